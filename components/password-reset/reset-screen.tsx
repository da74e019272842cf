import { AuthLayout } from '@/components/layout/auth-layout';
import styles from '@/components/layout/flow.module.css';
import { ResendButton } from '@/components/account-forms/resend-button';
import { ButtonLink } from '@/components/ui/button';
import { resendReset } from '@/lib/browser/account/api';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';
import type { PendingReset } from './instructions-screen';
import { ResetForm } from './reset-form';

/** Sets a new password with the code from the email. */
export function ResetScreen({ pending }: { pending: PendingReset | null }) {
  const { t } = useMessages('reset-password');
  if (!pending) {
    // Opened in another browser, or the reset has expired.
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
