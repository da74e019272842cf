import { useTranslation } from 'next-i18next/pages';
import { AuthLayout } from '@/components/layout/auth-layout';
import { LearningContext } from '@/components/layout/learning-context';
import { OtherWays } from './other-ways';
import { PasswordForm } from './password-form';
import { ResetBanner } from './reset-banner';

/** Signing in with e-mail and password, and the doors to every other way (product decisions, 6). */
export function SignInScreen() {
  const { t } = useTranslation('sign-in');
  return (
    <AuthLayout heading={t('heading')} lead={<LearningContext />}>
      <ResetBanner />
      <PasswordForm />
      <OtherWays />
    </AuthLayout>
  );
}
