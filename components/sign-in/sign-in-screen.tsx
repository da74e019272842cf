import { AuthLayout } from '@/components/layout/auth-layout';
import { RedirectLoopScreen } from '@/components/session/lazy-redirect-loop';
import { useMessages } from '@/lib/browser/use-messages';
import { OtherMethods } from './other-methods';
import { ResetBanner } from './reset-banner';
import { SignInMethods } from './sign-in-methods';

type Props = {
  /** The platform keeps redirecting this learner back: show that instead of redirecting again. */
  bounced: boolean;
};

/** Sign-in with email and password, and links to every other sign-in method (docs/product.md#screens). */
export function SignInScreen({ bounced }: Props) {
  const { t } = useMessages('sign-in');
  if (bounced) return <RedirectLoopScreen />;
  return (
    <AuthLayout heading={t('heading')}>
      <ResetBanner />
      <SignInMethods />
      <OtherMethods />
    </AuthLayout>
  );
}
