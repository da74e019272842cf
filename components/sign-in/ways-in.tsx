import { useTranslation } from 'next-i18next/pages';
import { Suspense } from 'react';
import { Notice } from '@/components/ui/notice';
import { errorTextKey } from '@/lib/auth/error-codes';
import { lastMethod } from '@/lib/auth/last-method';
import { isSocialProvider, SOCIAL_PROVIDERS, type SocialProviderId } from '@/lib/auth/providers';
import { useBrowserFact } from '@/lib/browser-fact';
import { useAppConfig } from '@/lib/config/app-config-context';
import { isEmbeddedBrowser } from '@/lib/embedded-browser';
import { latePart } from '@/lib/late-part';
import { PasswordForm } from './password-form';
import { ProviderButtons } from './provider-buttons';
import { SharedComputer } from './shared-computer';
import styles from './sign-in.module.css';
import { useProviderSignIn } from './use-provider-sign-in';

const EmbeddedNotice = latePart(() => import('./embedded-notice'));

/** The ways in that this origin allows, the one last used on this device first. The password alone where it does not say. */
export function WaysIn() {
  const { t } = useTranslation('sign-in');
  const enabled: readonly string[] = useAppConfig()?.enabledIdentities ?? ['password'];
  const lastUsed = useBrowserFact(lastMethod, null);
  const signIn = useProviderSignIn();
  const isEmbedded = useBrowserFact(() => isEmbeddedBrowser(navigator.userAgent), false);
  const withoutGoogle = isEmbedded && enabled.includes('google.com');
  const providers = inTableOrder(enabled).filter((id) => id !== 'google.com' || !withoutGoogle);
  const byPassword = enabled.includes('password');
  const first = providers.find((id) => id === lastUsed);
  if (!byPassword && providers.length === 0 && !withoutGoogle) return <Notice tone="info">{t('noWayIn')}</Notice>;
  const others = providers.filter((id) => id !== first);
  return (
    <div className={styles.ways}>
      {signIn.phase.name === 'failed' && <Notice tone="error">{t(errorTextKey(signIn.phase.failure.code))}</Notice>}
      <Suspense>{withoutGoogle && <EmbeddedNotice />}</Suspense>
      {first && <ProviderButtons providers={[first]} lastUsed={lastUsed} signIn={signIn} />}
      {first && byPassword && <Divider />}
      {byPassword && <PasswordForm />}
      {others.length > 0 && (byPassword || first) && <Divider />}
      {others.length > 0 && <ProviderButtons providers={others} lastUsed={lastUsed} signIn={signIn} />}
      <SharedComputer />
    </div>
  );
}

function Divider() {
  const { t } = useTranslation('sign-in');
  return <p className={styles.divider}>{t('or')}</p>;
}

function inTableOrder(enabled: readonly string[]): SocialProviderId[] {
  return Object.keys(SOCIAL_PROVIDERS)
    .filter(isSocialProvider)
    .filter((id) => enabled.includes(id));
}
