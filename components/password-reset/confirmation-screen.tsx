import { useTranslation } from 'next-i18next/pages';
import { AuthLayout } from '@/components/layout/auth-layout';
import { ButtonLink } from '@/components/ui/button';
import { paths } from '@/lib/paths';

/** The new password is set. */
export function ConfirmationScreen() {
  const { t } = useTranslation('confirmation-password');
  return (
    <AuthLayout heading={t('heading')} lead={t('lead')}>
      <ButtonLink kind="primary" href={paths.signIn}>
        {t('signIn')}
      </ButtonLink>
    </AuthLayout>
  );
}
