import { AuthLayout } from '@/components/layout/auth-layout';
import flow from '@/components/layout/flow.module.css';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { PageLink } from '@/components/ui/page-link';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';
import { CheckList } from './check-list';
import { useSelfCheck } from './use-self-check';

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
