import { Suspense, useEffect, useState, type ComponentType } from 'react';
import { Notice } from '@/components/ui/notice';
import { EMAIL_LINK_METHOD, getLastMethod, hasRememberedAccounts } from '@/lib/browser/auth/sign-in/last-method';
import { PASSKEY_METHOD } from '@/lib/shared/account/own-methods';
import { useClientValue, lazyWithFallback } from '@/lib/browser/hooks';
import { useAppConfig } from '@/lib/browser/config/context';
import { useMessages } from '@/lib/browser/use-messages';
import { isOrganization } from '@/lib/shared/providers';
import type { AccountChoice, AccountChooserProps } from './account-chooser';
import { Divider, MoreWays, useOfferedProviders } from '@/components/providers/offered-providers';
import { PasskeySignIn, usePasskeySignIn } from './passkey-sign-in';
import { PasswordForm } from './password-form';
import { ProviderButtons, ProviderStatus, useProviderSignIn } from '@/components/providers/provider-sign-in';
import { SharedComputer } from './shared-computer';
import styles from '@/components/providers/methods.module.css';

const EmbeddedNotice = lazyWithFallback(() => import('@/components/providers/embedded-notice'));
const MoreSignInWays = lazyWithFallback(() => import('./more-sign-in-ways'));

/** The list of the accounts of this browser, until one was chosen, or another. */
type State = AccountChoice | { Chooser: ComponentType<AccountChooserProps> | null };

/**
 * The accounts of this browser, if there are any; else the origin's sign-in methods, the one last used on this device first, and
 * those that few learners need behind a disclosure. Only the password if the origin has none set.
 */
export function SignInMethods() {
  const { t } = useMessages('providers');
  const enabled: readonly string[] = useAppConfig()?.enabledIdentities ?? ['password'];
  const [state, setState] = useState<State>({ Chooser: null });
  const lastMethod = useClientValue(getLastMethod, null);
  const signIn = useProviderSignIn();
  const byPassword = enabled.includes('password');
  const passkeys = usePasskeySignIn(byPassword);
  const lastUsed = 'method' in state ? state.method : lastMethod;
  const { first, visible, more, withoutGoogle } = useOfferedProviders(enabled, lastUsed);
  useEffect(() => {
    if (!hasRememberedAccounts()) return;
    // Without the list, the form is as good.
    void import('./account-chooser')
      .then(({ showChooser }) => showChooser((Chooser) => setState({ Chooser })))
      .catch(() => undefined);
  }, []);

  const isPasskeyFirst = passkeys !== null && lastUsed === PASSKEY_METHOD;
  const byPasskey = passkeys && <PasskeySignIn signIn={passkeys} isLastUsed={isPasskeyFirst} />;
  // An email link signs in to the same accounts as a password.
  const hasMore = byPassword || enabled.includes('enterprise') || more.length > 0;
  if (!hasMore && !first && visible.length === 0 && !withoutGoogle) return <Notice tone="info">{t('none')}</Notice>;
  if ('Chooser' in state && state.Chooser)
    return <state.Chooser enabled={enabled} hasPasskeys={passkeys !== null} onChoose={setState} />;
  return (
    <div className={styles.methods}>
      <ProviderStatus signIn={signIn} />
      <Suspense>{withoutGoogle && <EmbeddedNotice />}</Suspense>
      {isPasskeyFirst && byPasskey}
      {first && <ProviderButtons providers={[first]} lastUsed={lastUsed} signIn={signIn} />}
      {(first || isPasskeyFirst) && byPassword && <Divider />}
      {byPassword && <PasswordForm />}
      {(visible.length > 0 || (passkeys && !isPasskeyFirst)) && (byPassword || first) && <Divider />}
      {!isPasskeyFirst && byPasskey}
      {visible.length > 0 && <ProviderButtons providers={visible} lastUsed={lastUsed} signIn={signIn} />}
      {hasMore && (
        <MoreWays
          label={t('more')}
          isLastUsed={lastUsed !== null && (lastUsed === EMAIL_LINK_METHOD || isOrganization(lastUsed))}
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
