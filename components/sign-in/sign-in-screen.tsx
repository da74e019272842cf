import { Fragment, Suspense, useEffect, useState, type ReactNode } from 'react';
import { AuthLayout } from '@/components/layout/auth-layout';
import flow from '@/components/layout/flow.module.css';
import styles from '@/components/providers/methods.module.css';
import { Divider, MoreWays, useOffer } from '@/components/providers/offered-providers';
import { ProviderButtons, ProviderStatus, useProviderSignIn } from '@/components/providers/provider-sign-in';
import { RedirectLoopScreen } from '@/components/session/lazy-redirect-loop';
import { Notice } from '@/components/ui/notice';
import { PageLink } from '@/components/ui/page-link';
import { carryTypedEmail } from '@/lib/browser/account/carried-email';
import { arrangeSignIn } from '@/lib/browser/auth/sign-in/arrange-methods';
import { getLastMethod, hasRememberedAccounts } from '@/lib/browser/auth/sign-in/this-device';
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
  const arranged = arrangeSignIn({ ...useOffer(enabled, lastUsed), hasPasskeys: passkeys !== null });
  useEffect(() => {
    if (!hasRememberedAccounts()) return;
    // If the list does not load, the form works as well.
    void import('./late-parts')
      .then(({ showChooser }) => showChooser((Chooser) => setState({ Chooser })))
      .catch(() => undefined);
  }, []);

  if (arranged === null) return <Notice tone="info">{t('none')}</Notice>;
  if ('Chooser' in state && state.Chooser)
    return <state.Chooser enabled={enabled} hasPasskeys={passkeys !== null} signIn={signIn} onChoose={setState} />;
  return (
    <div className={styles.methods}>
      <ProviderStatus signIn={signIn} />
      <Suspense>{arranged.withoutGoogle && <EmbeddedNotice />}</Suspense>
      {arranged.groups.map(({ place, parts }, index) => (
        <Fragment key={place}>
          {index > 0 && <Divider />}
          {parts.map((part) => {
            if (part === 'passkey')
              return (
                passkeys && <PasskeySignIn key={part} signIn={passkeys} isLastUsed={lastUsed === PASSKEY_METHOD} />
              );
            if (part === 'password')
              return (
                <Fragment key={part}>
                  {chip}
                  <PasswordForm />
                </Fragment>
              );
            return <ProviderButtons key="providers" providers={part} lastUsed={lastUsed} signIn={signIn} />;
          })}
        </Fragment>
      ))}
      {arranged.more && (
        <MoreWays label={t('more')} isOpen={arranged.more.isOpen}>
          <MoreSignInWays {...arranged.more} lastUsed={lastUsed} signIn={signIn} />
        </MoreWays>
      )}
      {!byPassword && <SharedComputer />}
    </div>
  );
}
