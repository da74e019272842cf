import { useState } from 'react';
import { AuthLayout } from '@/components/layout/auth-layout';
import flow from '@/components/layout/flow.module.css';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { PageLink } from '@/components/ui/page-link';
import { usePublicEnv } from '@/lib/browser/config/context';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';
import { Icon } from '@/components/ui/icons';
import { type CheckResult, checkBrowser } from '@/lib/browser/self-check/checks';
import { giveSupportCode } from '@/lib/browser/self-check/support-code';
import { reportError } from '@/lib/shared/error-reporting/report';
import styles from './support.module.css';

/** For users who cannot sign in: the problems of this browser or network, and a code for support. */
export function SelfCheckScreen() {
  const { t } = useMessages('self-check');
  const { check, begin } = useSelfCheck();
  const isDone = check.state === 'done';
  return (
    <AuthLayout heading={t('heading')} lead={t('lead')} showsContext={false}>
      <div className={flow.stack}>
        {isDone && <CheckSummary isFine={check.results.every(({ ok }) => ok)} />}
        {isDone && <CheckList results={check.results} />}
        {isDone && <SupportCode code={check.code} />}
        <Button
          kind={isDone ? 'secondary' : 'primary'}
          busy={check.state === 'checking'}
          busyLabel={t('busy')}
          onClick={() => void begin()}
        >
          {isDone ? t('again') : t('begin')}
        </Button>
        <div className={flow.links}>
          <PageLink href={paths.signIn}>{t('back')}</PageLink>
        </div>
      </div>
    </AuthLayout>
  );
}

function CheckSummary({ isFine }: { isFine: boolean }) {
  const { t } = useMessages('self-check');
  return <Notice tone={isFine ? 'success' : 'info'}>{isFine ? t('fine') : t('trouble')}</Notice>;
}

function SupportCode({ code }: { code: string }) {
  const { t } = useMessages('self-check');
  const { supportMailbox } = usePublicEnv();
  const subject = encodeURIComponent(t('subject', { code }));
  return (
    <p>
      {t('codeLead')} <strong dir="ltr">{code}</strong>{' '}
      <a href={`mailto:${supportMailbox}?subject=${subject}`}>{t('write')}</a>
    </p>
  );
}

/** Every check with its result as text, and a fix if it failed. */
function CheckList({ results }: { results: CheckResult[] }) {
  const { t } = useMessages('self-check');
  return (
    <ul className={styles.checks}>
      {results.map(({ name, ok }) => (
        <li key={name} className={ok ? styles.good : styles.bad}>
          <Icon glyph={ok ? 'check' : 'alert'} />
          <div>
            <p>
              {t(`checks.${name}.name`)}: {ok ? t('works') : t('fails')}
            </p>
            {!ok && <p className={styles.advice}>{t(`checks.${name}.advice`)}</p>}
          </div>
        </li>
      ))}
    </ul>
  );
}

type SelfCheck = { state: 'idle' | 'checking' } | { state: 'done'; results: CheckResult[]; code: string };

/** Checks this browser on demand, and reports the results under a code that support can look up. */
function useSelfCheck() {
  const env = usePublicEnv();
  const [check, setCheck] = useState<SelfCheck>({ state: 'idle' });
  const begin = async () => {
    setCheck({ state: 'checking' });
    const results = await checkBrowser(env);
    const code = giveSupportCode();
    const failed = results.flatMap(({ name, ok }) => (ok ? [] : [name]));
    reportError(new Error('A learner checked their browser'), { failed });
    setCheck({ state: 'done', results, code });
  };
  return { check, begin };
}
