import { useState } from 'react';
import { AuthLayout } from '@/components/layout/auth-layout';
import flow from '@/components/layout/flow.module.css';
import { Button } from '@/components/ui/button';
import { LateNotice } from '@/components/ui/late-notice';
import { PageLink } from '@/components/ui/page-link';
import { usePublicEnv } from '@/lib/browser/config/context';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';
import { Icon } from '@/components/ui/icons';
import { type CheckResult, checkBrowser } from '@/lib/browser/self-check/checks';
import { giveSupportCode } from '@/lib/browser/self-check/support-code';
import { reportError } from '@/lib/shared/error-reporting/report';
import styles from './support.module.css';

/**
 * For users who cannot sign in. It finds problems of the browser or network, and reports them under a code that support
 * can look up.
 */
export function SelfCheckScreen() {
  const { t } = useMessages('self-check');
  const env = usePublicEnv();
  const [isBusy, setBusy] = useState(false);
  const [done, setDone] = useState<{ results: CheckResult[]; code: string } | null>(null);
  const begin = async () => {
    setDone(null);
    setBusy(true);
    const results = await checkBrowser(env);
    const code = giveSupportCode();
    const failed = results.flatMap(({ name, ok }) => (ok ? [] : [name]));
    reportError(new Error('A learner checked their browser'), { failed });
    setDone({ results, code });
    setBusy(false);
  };
  const isFine = done?.results.every(({ ok }) => ok) === true;
  const subject = done && encodeURIComponent(t('subject', { code: done.code }));
  return (
    <AuthLayout heading={t('heading')} lead={t('lead')} showsContext={false}>
      <div className={flow.stack}>
        <LateNotice tone={isFine ? 'success' : 'info'}>
          {done !== null && (isFine ? t('fine') : t('trouble'))}
        </LateNotice>
        {done && (
          <>
            <CheckList results={done.results} />
            <p>
              <span>{`${t('codeLead')} `}</span>
              <strong className={styles.code} dir="ltr">
                {done.code}
              </strong>
              <span> </span>
              <a href={`mailto:${env.supportMailbox}?subject=${subject}`}>{t('write')}</a>
            </p>
          </>
        )}
        <Button kind={done ? 'secondary' : 'primary'} busy={isBusy} busyLabel={t('busy')} onClick={() => void begin()}>
          {done ? t('again') : t('begin')}
        </Button>
        <div className={flow.links}>
          <PageLink href={paths.signIn}>{t('back')}</PageLink>
        </div>
      </div>
    </AuthLayout>
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
            <p>{`${t(`checks.${name}.name`)}: ${ok ? t('works') : t('fails')}`}</p>
            {!ok && <p className={styles.advice}>{t(`checks.${name}.advice`)}</p>}
          </div>
        </li>
      ))}
    </ul>
  );
}
