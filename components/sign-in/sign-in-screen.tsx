import { useTranslation } from 'next-i18next/pages';
import { AuthLayout } from '@/components/layout/auth-layout';
import { BouncedScreen } from '@/components/layout/bounced-screen';
import { OtherWays } from './other-ways';
import { ResetBanner } from './reset-banner';
import { WaysIn } from './ways-in';

type Props = {
  /** The platform keeps sending this learner back: say so instead of handing over again. */
  bounced: boolean;
};

/** Signing in with e-mail and password, and the doors to every other way (product decisions, 6). */
export function SignInScreen({ bounced }: Props) {
  const { t } = useTranslation('sign-in');
  if (bounced) return <BouncedScreen />;
  return (
    <AuthLayout heading={t('heading')}>
      <ResetBanner />
      <WaysIn />
      <OtherWays />
    </AuthLayout>
  );
}
