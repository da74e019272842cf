import { Suspense, useEffect, useState, type ReactNode } from 'react';
import { AuthLayout } from '@/components/layout/auth-layout';
import flow from '@/components/layout/flow.module.css';
import styles from '@/components/providers/methods.module.css';
import { Divider, MoreWays, useOfferedProviders } from '@/components/providers/offered-providers';
import { ProviderButtons, ProviderStatus, useProviderSignIn } from '@/components/providers/provider-sign-in';
import { RedirectLoopScreen } from '@/components/session/lazy-redirect-loop';
import { Notice } from '@/components/ui/notice';
import { PageLink } from '@/components/ui/page-link';
import { carryTypedEmail } from '@/lib/browser/account/carried-email';
import { EMAIL_LINK_METHOD, getLastMethod, hasRememberedAccounts } from '@/lib/browser/auth/sign-in/this-device';
import { useAppConfig, useEnabledIdentities, usePublicEnv } from '@/lib/browser/config/context';
import { readCookie } from '@/lib/browser/cookies';
import { lazyWithFallback, useClientValue } from '@/lib/browser/hooks';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';
import { PASSKEY_METHOD } from '@/lib/shared/sign-in-methods';
import type { ChooserState } from './account-chooser';
import { PasskeySignIn, usePasskeySignIn } from './passkey-sign-in';
import { PasswordForm, SharedComputer } from './password-form';

type Props = {
  /**
   * Whether the platform keeps redirecting this learner back, so that an explanation is shown instead of another
   * redirect.
   */
  bounced?: boolean | null;
};

/** Sign-in with the method that this learner needs first, and every other method (docs/product.md#screens). */
export function SignInScreen({ bounced }: Props) {
  const { t } = useMessages('sign-in');
  const enabled = useEnabledIdentities();
  if (bounced) return <RedirectLoopScreen />;
  return (
    <AuthLayout heading={t('heading')}>
      <ResetBanner />
      <SignInMethods enabled={enabled} />
      {/* Organizations manage their accounts themselves. */}
      {enabled.some((method) => method !== 'enterprise') && (
        <p className={flow.aside}>
          <span>{`${t('newHere')} `}</span>
          <PageLink href={paths.registration} onClick={carryTypedEmail}>
            {t('createAccount')}
          </PageLink>
        </p>
      )}
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
    <div className={flow.links}>
      <a href={config.continueWithoutLoginUrl ?? `${env.platformOrigin}/`}>{t('continueWithout')}</a>
    </div>
  );
}

/**
 * Invites users of the previous system to choose a new password. It is shown if the brand enables it. While both
 * systems are in use, it is also shown on devices where such a user has signed in.
 */
function ResetBanner() {
  const { t } = useMessages('sign-in');
  const { rolloutMode } = usePublicEnv();
  const config = useAppConfig();
  // Read only in the browser, so that the page itself stays cacheable.
  const isLegacy = useClientValue(() => readCookie('legacyUserStatus') === 'legacy', false);
  const isInvited = config?.showBetaResetPasswordBanner === true || (rolloutMode === 'V3AndV2' && isLegacy);
  if (!isInvited) return null;
  return (
    <Notice tone="info">
      <span>{`${t('resetBanner.text')} `}</span>
      <PageLink href={paths.forgetPassword} onClick={carryTypedEmail}>
        {t('resetBanner.link')}
      </PageLink>
    </Notice>
  );
}

const EmbeddedNotice = lazyWithFallback(() => import('@/components/providers/embedded-notice'));
const MoreSignInWays = lazyWithFallback(() => import('./more-sign-in-ways'));

/**
 * The accounts of this browser if there are any. Otherwise the origin's sign-in methods, with the last used first, and
 * rarely needed methods behind a disclosure.
 */
function SignInMethods({ enabled }: { enabled: readonly string[] }) {
  const { t } = useMessages('providers');
  const [state, setState] = useState<ChooserState>({ Chooser: null });
  const lastMethod = useClientValue(getLastMethod, null);
  const signIn = useProviderSignIn();
  const byPassword = enabled.includes('password');
  const passkeys = usePasskeySignIn(byPassword);
  const lastUsed = 'method' in state ? state.method : lastMethod;
  const chip: ReactNode = 'chip' in state && state.chip;
  const { first, visible, more, withoutGoogle } = useOfferedProviders(enabled, lastUsed);
  useEffect(() => {
    if (!hasRememberedAccounts()) return;
    // If the list does not load, the form works as well.
    void import('./late-parts')
      .then(({ showChooser }) => showChooser((Chooser) => setState({ Chooser })))
      .catch(() => undefined);
  }, []);

  const isPasskeyFirst = passkeys !== null && lastUsed === PASSKEY_METHOD;
  const byPasskey = passkeys && <PasskeySignIn signIn={passkeys} isLastUsed={isPasskeyFirst} />;
  // An email link signs in to the same accounts as a password.
  const hasMore = byPassword || enabled.includes('enterprise') || more.length > 0;
  if (!hasMore && !first && visible.length === 0 && !withoutGoogle) return <Notice tone="info">{t('none')}</Notice>;
  if ('Chooser' in state && state.Chooser)
    return <state.Chooser enabled={enabled} hasPasskeys={passkeys !== null} signIn={signIn} onChoose={setState} />;
  return (
    <div className={styles.methods}>
      <ProviderStatus signIn={signIn} />
      <Suspense>{withoutGoogle && <EmbeddedNotice />}</Suspense>
      {isPasskeyFirst && byPasskey}
      {first && <ProviderButtons providers={[first]} lastUsed={lastUsed} signIn={signIn} />}
      {(first || isPasskeyFirst) && byPassword && <Divider />}
      {chip}
      {byPassword && <PasswordForm />}
      {(visible.length > 0 || (passkeys && !isPasskeyFirst)) && (byPassword || first) && <Divider />}
      {!isPasskeyFirst && byPasskey}
      {visible.length > 0 && <ProviderButtons providers={visible} lastUsed={lastUsed} signIn={signIn} />}
      {hasMore && (
        <MoreWays
          label={t('more')}
          // It is open if it contains all methods, at an origin with organizations only.
          isOpen={
            (!byPassword && !first && !visible[0]) ||
            lastUsed === EMAIL_LINK_METHOD ||
            lastUsed?.startsWith('saml.') === true
          }
        >
          <MoreSignInWays
            providers={more}
            byEmailLink={byPassword}
            byOrganization={enabled.includes('enterprise')}
            lastUsed={lastUsed}
            signIn={signIn}
          />
        </MoreWays>
      )}
      {!byPassword && <SharedComputer />}
    </div>
  );
}
