import { AuthLayout } from '@/components/layout/auth-layout';
import { EmailLead } from '@/components/layout/email-lead';
import { ButtonLink } from '@/components/ui/button';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';
import { ResetForm, type PendingReset } from './reset-form';

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
    <AuthLayout heading={t('heading')} lead={<EmailLead text={t('lead')} email={pending.email} />}>
      <ResetForm key={pending.flow} pending={pending} />
    </AuthLayout>
  );
}
