import { useTranslation } from 'next-i18next/pages';
import { AuthLayout } from '@/components/layout/auth-layout';
import { BouncedScreen } from '@/components/layout/bounced-screen';
import { BackToSignIn } from '../back-to-sign-in';
import { EnterpriseForm } from './enterprise-form';

/** Signing in through one's organisation: the work address decides which (product decisions, 6). */
export function EnterpriseScreen({ bounced }: { bounced: boolean }) {
  const { t } = useTranslation('enterprise');
  if (bounced) return <BouncedScreen />;
  return (
    <AuthLayout heading={t('heading')}>
      <EnterpriseForm />
      <BackToSignIn />
    </AuthLayout>
  );
}
