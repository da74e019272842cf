import { useTranslation } from 'next-i18next/pages';
import { AuthLayout } from '@/components/layout/auth-layout';
import flow from '@/components/layout/flow.module.css';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { PageLink } from '@/components/ui/page-link';
import { usePublicEnv } from '@/lib/config/public-env-context';
import { paths } from '@/lib/paths';
import { CheckList } from './check-list';
import { useSelfCheck } from './use-self-check';

/** For somebody who cannot sign in: what is wrong with this browser or network, and a code for support. */
export function SelfCheckScreen() {
  const { t } = useTranslation('common');
  const { check, begin } = useSelfCheck();
  const isDone = check.state === 'done';
  return (
    <AuthLayout heading={t('selfCheck.heading')} lead={t('selfCheck.lead')} showsContext={false}>
      <div className={flow.stack}>
        {isDone && <Verdict isFine={check.results.every(({ ok }) => ok)} />}
        {isDone && <CheckList results={check.results} />}
        {isDone && <SupportCode code={check.code} />}
        <Button
          kind={isDone ? 'secondary' : 'primary'}
          busy={check.state === 'checking'}
          busyLabel={t('selfCheck.busy')}
          onClick={() => void begin()}
        >
          {isDone ? t('selfCheck.again') : t('selfCheck.begin')}
        </Button>
        <div className={flow.links}>
          <PageLink href={paths.signIn}>{t('selfCheck.back')}</PageLink>
        </div>
      </div>
    </AuthLayout>
  );
}

function Verdict({ isFine }: { isFine: boolean }) {
  const { t } = useTranslation('common');
  return <Notice tone={isFine ? 'success' : 'info'}>{isFine ? t('selfCheck.fine') : t('selfCheck.trouble')}</Notice>;
}

function SupportCode({ code }: { code: string }) {
  const { t } = useTranslation('common');
  const { supportMailbox } = usePublicEnv();
  const subject = encodeURIComponent(t('selfCheck.subject', { code }));
  return (
    <p>
      {t('selfCheck.codeLead')} <strong>{code}</strong>{' '}
      <a href={`mailto:${supportMailbox}?subject=${subject}`}>{t('selfCheck.write')}</a>
    </p>
  );
}
