import { useTranslation } from 'next-i18next/pages';
import { ProviderButton } from '@/components/ui/provider-button';
import { SOCIAL_PROVIDERS, type SocialProviderId } from '@/lib/auth/providers';
import styles from './sign-in.module.css';
import type { ProviderSignIn } from './use-provider-sign-in';

/** More than this many buttons stand side by side with the provider's name alone. */
const WHOLE_AT_MOST = 3;

type Props = {
  providers: readonly SocialProviderId[];
  /** The one used last on this device. */
  lastUsed: string | null;
  signIn: ProviderSignIn;
};

export function ProviderButtons({ providers, lastUsed, signIn }: Props) {
  const { t } = useTranslation('sign-in');
  const { phase, press, approach } = signIn;
  const compact = providers.length > WHOLE_AT_MOST;
  return (
    <div className={compact ? styles.providerGrid : styles.providers}>
      {providers.map((id, index) => (
        <ProviderButton
          key={id}
          provider={SOCIAL_PROVIDERS[id]}
          label={t('common:continueWith', { provider: SOCIAL_PROVIDERS[id].name })}
          // Of an odd number the first has a row of its own.
          compact={compact && (index > 0 || providers.length % 2 === 0)}
          note={id === lastUsed ? t('lastUsed') : undefined}
          busy={phase.name === 'busy' && phase.provider === id}
          busyLabel={t('signingIn')}
          onPress={() => press(id)}
          onApproach={approach}
        />
      ))}
    </div>
  );
}
