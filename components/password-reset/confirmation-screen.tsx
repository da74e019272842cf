import { AuthLayout } from '@/components/layout/auth-layout';
import { ButtonLink } from '@/components/ui/button';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';

/** The new password is set. */
export function ConfirmationScreen() {
  const { t } = useMessages('confirmation-password');
  return (
    <AuthLayout heading={t('heading')} lead={t('lead')}>
      <ButtonLink kind="primary" href={paths.signIn}>
        {t('signIn')}
      </ButtonLink>
    </AuthLayout>
  );
}
