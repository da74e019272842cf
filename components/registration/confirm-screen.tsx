import { useTranslation } from 'next-i18next/pages';
import { AddressLead } from '@/components/layout/address-lead';
import { AuthLayout } from '@/components/layout/auth-layout';
import styles from '@/components/layout/flow.module.css';
import { ResendButton } from '@/components/layout/resend-button';
import { ButtonLink } from '@/components/ui/button';
import { PageLink } from '@/components/ui/page-link';
import { resendConfirmation } from '@/lib/account/calls';
import { paths } from '@/lib/paths';
import { CodeForm } from './code-form';

type Props = {
  /** What this browser waits for; null when it asked for no code, or too long ago. `resendAfter` is in seconds. */
  pending: { email: string; resendAfter: number } | null;
};

/** Confirming an address with the code from the mail. */
export function ConfirmScreen({ pending }: Props) {
  const { t } = useTranslation('registration-confirm');
  if (!pending) return <NothingPending />;
  return (
    <AuthLayout heading={t('heading')} lead={<AddressLead text={t('sentTo')} email={pending.email} />}>
      <CodeForm />
      <div className={styles.links}>
        <p>{t('spam')}</p>
        <ResendButton wait={pending.resendAfter} onResend={resendConfirmation} />
        <PageLink href={paths.registration}>{t('otherAddress')}</PageLink>
      </div>
    </AuthLayout>
  );
}

/** Opened in another browser, or too late: says so, and where to go on. */
function NothingPending() {
  const { t } = useTranslation('registration-confirm');
  return (
    <AuthLayout heading={t('nothing.heading')} lead={t('nothing.lead')}>
      <div className={styles.stack}>
        <ButtonLink kind="primary" href={paths.signIn}>
          {t('nothing.signIn')}
        </ButtonLink>
        <ButtonLink href={paths.registration}>{t('nothing.register')}</ButtonLink>
      </div>
    </AuthLayout>
  );
}
