import flow from '@/components/layout/flow.module.css';
import { AuthLayout } from '@/components/layout/auth-layout';
import { RedirectLoopScreen } from '@/components/session/lazy-redirect-loop';
import { PageLink } from '@/components/ui/page-link';
import { useAppConfig } from '@/lib/browser/config/app-config-context';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';
import { ResetBanner } from './reset-banner';
import { SignInMethods } from './sign-in-methods';
import styles from '@/components/providers/methods.module.css';

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
