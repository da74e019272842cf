import { AuthLayout } from '@/components/layout/auth-layout';
import { RedirectLoopScreen } from '@/components/session/lazy-redirect-loop';
import { useMessages } from '@/lib/browser/use-messages';
import { BackToSignIn } from '../back-to-sign-in';
import { EnterpriseForm } from './enterprise-form';

/** Signs in with an organization, which is looked up by the work email address (docs/product.md#screens). */
export function EnterpriseScreen({ bounced }: { bounced: boolean | null }) {
  const { t } = useMessages('enterprise');
  if (bounced) return <RedirectLoopScreen />;
  return (
    <AuthLayout heading={t('heading')}>
      <EnterpriseForm />
      <BackToSignIn />
    </AuthLayout>
  );
}
