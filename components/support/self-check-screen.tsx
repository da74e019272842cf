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
  const { t } = useTranslation('self-check');
  const { check, begin } = useSelfCheck();
  const isDone = check.state === 'done';
  return (
    <AuthLayout heading={t('heading')} lead={t('lead')} showsContext={false}>
      <div className={flow.stack}>
        {isDone && <Verdict isFine={check.results.every(({ ok }) => ok)} />}
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

function Verdict({ isFine }: { isFine: boolean }) {
  const { t } = useTranslation('self-check');
  return <Notice tone={isFine ? 'success' : 'info'}>{isFine ? t('fine') : t('trouble')}</Notice>;
}

function SupportCode({ code }: { code: string }) {
  const { t } = useTranslation('self-check');
  const { supportMailbox } = usePublicEnv();
  const subject = encodeURIComponent(t('subject', { code }));
  return (
    <p>
      {t('codeLead')} <strong>{code}</strong> <a href={`mailto:${supportMailbox}?subject=${subject}`}>{t('write')}</a>
    </p>
  );
}
