import { Suspense } from 'react';
import { Notice } from '@/components/ui/notice';
import { getLastMethod } from '@/lib/browser/auth/sign-in/last-method';
import { PASSKEY_METHOD } from '@/lib/shared/account/own-methods';
import { isSocialProvider, SOCIAL_PROVIDERS, type SocialProviderId } from '@/lib/shared/providers/social-providers';
import { useClientValue } from '@/lib/browser/use-client-value';
import { useAppConfig } from '@/lib/browser/config/app-config-context';
import { isEmbeddedBrowser } from '@/lib/browser/embedded-browser';
import { useMessages } from '@/lib/browser/use-messages';
import { lazyWithFallback } from '@/lib/browser/lazy-with-fallback';
import { PasskeySignIn } from './passkey-sign-in';
import { PasswordForm } from './password-form';
import { ProviderButtons } from './provider-buttons';
import { ProviderStatus } from './provider-status';
import { SharedComputer } from './shared-computer';
import styles from './sign-in.module.css';
import { usePasskeySignIn } from './use-passkey-sign-in';
import { useProviderSignIn } from './use-provider-sign-in';

const EmbeddedNotice = lazyWithFallback(() => import('./embedded-notice'));

/** The origin's allowed sign-in methods, the one last used on this device first. Only the password if none are set. */
export function SignInMethods() {
  const { t } = useMessages('sign-in');
  const enabled: readonly string[] = useAppConfig()?.enabledIdentities ?? ['password'];
  const lastUsed = useClientValue(getLastMethod, null);
  const signIn = useProviderSignIn();
  const passkeys = usePasskeySignIn(enabled.includes('password'));
  const isEmbedded = useClientValue(() => isEmbeddedBrowser(navigator.userAgent), false);
  const withoutGoogle = isEmbedded && enabled.includes('google.com');
  const providers = inTableOrder(enabled).filter((id) => id !== 'google.com' || !withoutGoogle);
  const byPassword = enabled.includes('password');
  const first = providers.find((id) => id === lastUsed);
  const isPasskeyFirst = passkeys !== null && lastUsed === PASSKEY_METHOD;
  const byPasskey = passkeys && <PasskeySignIn signIn={passkeys} isLastUsed={isPasskeyFirst} />;
  if (!byPassword && providers.length === 0 && !withoutGoogle) return <Notice tone="info">{t('noWayIn')}</Notice>;
  const others = providers.filter((id) => id !== first);
  return (
    <div className={styles.methods}>
      <ProviderStatus signIn={signIn} />
      <Suspense>{withoutGoogle && <EmbeddedNotice />}</Suspense>
      {isPasskeyFirst && byPasskey}
      {first && <ProviderButtons providers={[first]} lastUsed={lastUsed} signIn={signIn} />}
      {(first || isPasskeyFirst) && byPassword && <Divider />}
      {byPassword && <PasswordForm />}
      {(others.length > 0 || (passkeys && !isPasskeyFirst)) && (byPassword || first) && <Divider />}
      {!isPasskeyFirst && byPasskey}
      {others.length > 0 && <ProviderButtons providers={others} lastUsed={lastUsed} signIn={signIn} />}
      <SharedComputer />
    </div>
  );
}

function Divider() {
  const { t } = useMessages('sign-in');
  return <p className={styles.divider}>{t('or')}</p>;
}

function inTableOrder(enabled: readonly string[]): SocialProviderId[] {
  return Object.keys(SOCIAL_PROVIDERS)
    .filter(isSocialProvider)
    .filter((id) => enabled.includes(id));
}
