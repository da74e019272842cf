import { Suspense } from 'react';
import { Divider, MoreWays } from '@/components/providers/method-groups';
import { ProviderButtons } from '@/components/providers/provider-buttons';
import { ProviderStatus } from '@/components/providers/provider-status';
import styles from '@/components/providers/methods.module.css';
import { useOfferedProviders } from '@/components/providers/use-offered-providers';
import { useProviderSignIn } from '@/components/providers/use-provider-sign-in';
import { useAppConfig } from '@/lib/browser/config/app-config-context';
import { lazyWithFallback } from '@/lib/browser/lazy-with-fallback';
import { useMessages } from '@/lib/browser/use-messages';

const EmbeddedNotice = lazyWithFallback(() => import('@/components/providers/embedded-notice'));

/** The providers of /sign-in: the first sign-in with one creates the account. */
export function RegistrationProviders() {
  const { t } = useMessages('providers');
  const signIn = useProviderSignIn();
  const enabled: readonly string[] = useAppConfig()?.enabledIdentities ?? [];
  const { visible, more, withoutGoogle } = useOfferedProviders(enabled, null);
  if (visible.length + more.length === 0 && !withoutGoogle) return null;
  return (
    <div className={styles.methods}>
      <Divider />
      <ProviderStatus signIn={signIn} />
      <Suspense>{withoutGoogle && <EmbeddedNotice />}</Suspense>
      {visible.length > 0 && <ProviderButtons providers={visible} lastUsed={null} signIn={signIn} />}
      {more.length > 0 && (
        <MoreWays label={t('moreToRegister')}>
          <ProviderButtons providers={more} lastUsed={null} signIn={signIn} />
        </MoreWays>
      )}
    </div>
  );
}
