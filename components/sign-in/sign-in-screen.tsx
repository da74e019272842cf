import flow from '@/components/layout/flow.module.css';
import { AuthLayout } from '@/components/layout/auth-layout';
import { RedirectLoopScreen } from '@/components/session/lazy-redirect-loop';
import { PageLink } from '@/components/ui/page-link';
import { useAppConfig, usePublicEnv } from '@/lib/browser/config/context';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';
import styles from '@/components/providers/methods.module.css';
import { Notice } from '@/components/ui/notice';
import { useClientValue } from '@/lib/browser/hooks';
import { readCookie } from '@/lib/browser/cookies';
import { SignInMethods } from './sign-in-methods';

type Props = {
  /** The platform keeps redirecting this learner back: show that instead of redirecting again. */
  bounced: boolean | null;
};

/** Sign-in with what this learner needs first, and every other sign-in method (docs/product.md#screens). */
export function SignInScreen({ bounced }: Props) {
  const { t } = useMessages('sign-in');
  if (bounced) return <RedirectLoopScreen />;
  return (
    <AuthLayout
      heading={t('heading')}
      aside={
        <p className={flow.aside}>
          {t('newHere')} <PageLink href={paths.registration}>{t('createAccount')}</PageLink>
        </p>
      }
    >
      <ResetBanner />
      <SignInMethods />
      <WithoutSignIn />
    </AuthLayout>
  );
}

/** The link to continue without signing in, if the brand allows it. */
function WithoutSignIn() {
  const { t } = useMessages('sign-in');
  const env = usePublicEnv();
  const config = useAppConfig();
  if (config?.showContinueWithoutLogin !== true) return null;
  return (
    <div className={styles.otherWays}>
      <a href={config.continueWithoutLoginUrl ?? `${env.platformOrigin}/`}>{t('continueWithout')}</a>
    </div>
  );
}

/**
 * Invites users of the previous system to choose a new password: if the brand enables it, and, while both systems are
 * in use, on devices where such a user has signed in.
 */
function ResetBanner() {
  const { t } = useMessages('sign-in');
  const { rolloutMode } = usePublicEnv();
  const config = useAppConfig();
  // Read in the browser only, so that the page itself stays cacheable.
  const isLegacy = useClientValue(() => readCookie('legacyUserStatus') === 'legacy', false);
  const isInvited = config?.showBetaResetPasswordBanner === true || (rolloutMode === 'V3AndV2' && isLegacy);
  if (!isInvited) return null;
  return (
    <Notice tone="info">
      {t('resetBanner.text')} <PageLink href={paths.forgetPassword}>{t('resetBanner.link')}</PageLink>
    </Notice>
  );
}
