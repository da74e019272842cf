import { useTranslation } from 'next-i18next/pages';
import { AuthLayout } from '@/components/layout/auth-layout';
import styles from '@/components/layout/flow.module.css';
import { ResendButton } from '@/components/layout/resend-button';
import { ButtonLink } from '@/components/ui/button';
import { resendReset } from '@/lib/account/calls';
import { paths } from '@/lib/paths';
import type { PendingReset } from './instructions-screen';
import { ResetForm } from './reset-form';

/** Setting a new password with the code from the mail. */
export function ResetScreen({ pending }: { pending: PendingReset | null }) {
  const { t } = useTranslation('reset-password');
  if (!pending) {
    // Opened in another browser, or too late.
    return (
      <AuthLayout heading={t('nothing.heading')} lead={t('nothing.lead')}>
        <ButtonLink kind="primary" href={paths.forgetPassword}>
          {t('nothing.ask')}
        </ButtonLink>
      </AuthLayout>
    );
  }
  return (
    <AuthLayout heading={t('heading')} lead={t('lead')}>
      <ResetForm email={pending.email} />
      <div className={styles.links}>
        <ResendButton wait={pending.resendAfter} onResend={resendReset} />
      </div>
    </AuthLayout>
  );
}
