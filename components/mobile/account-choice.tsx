import { AuthLayout } from '@/components/layout/auth-layout';
import { Button, ButtonLink } from '@/components/ui/button';
import { PageLink } from '@/components/ui/page-link';
import { deletionPage } from '@/lib/shared/security-parts';
import { Notice } from '@/components/ui/notice';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import { useMessages } from '@/lib/browser/use-messages';
import styles from './mobile.module.css';
import { useAccountChoice } from './use-account-choice';

export type Selection = { request: string; name: string | null; email: string | null; canDelete: boolean };

/** Which account the app gets. */
export function AccountChoice({ selection }: { selection: Selection }) {
  const { t } = useMessages('mobile');
  const { brandName: brand } = usePublicEnv();
  const { phase, goOn, signIn, another } = useAccountChoice(selection.request, selection.email);
  const who = selection.name ?? selection.email ?? t('thisAccount');
  if (phase.name === 'sent') return <HandedOver address={phase.address} />;
  const needsSignIn = phase.name === 'sign-in-required';
  return (
    <AuthLayout heading={t('heading')} lead={t('lead', { brand })}>
      <div className={styles.stack}>
        {phase.name === 'failed' && <Notice tone="error">{t(`failed.${phase.reason}`)}</Notice>}
        {needsSignIn && <Notice tone="info">{t('signIn')}</Notice>}
        <p className={styles.account}>
          <strong dir="auto">{who}</strong>
          {selection.name !== null && selection.email !== null && <bdi>{selection.email}</bdi>}
        </p>
        {/* One button that changes its label: it was just clicked and must keep the focus. */}
        <Button
          busy={needsSignIn ? phase.leaving : phase.name === 'asking'}
          busyLabel={needsSignIn ? t('common:signingOut') : t('asking')}
          onClick={needsSignIn ? signIn : goOn}
        >
          {needsSignIn ? t('common:signInAgain') : t('continueAs', { name: who })}
        </Button>
        <Button kind="secondary" busy={phase.name === 'leaving'} busyLabel={t('common:signingOut')} onClick={another}>
          {t('another')}
        </Button>
        {selection.canDelete && (
          <PageLink className={styles.link ?? ''} href={deletionPage}>
            {t('delete')}
          </PageLink>
        )}
      </div>
    </AuthLayout>
  );
}

/** The app has the account, unless the browser did not open it. */
function HandedOver({ address }: { address: string }) {
  const { t } = useMessages('mobile');
  const { brandName: brand } = usePublicEnv();
  return (
    <AuthLayout heading={t('sent')} lead={t('sentLead', { brand })}>
      <ButtonLink kind="primary" href={address}>
        {t('openApp')}
      </ButtonLink>
    </AuthLayout>
  );
}
