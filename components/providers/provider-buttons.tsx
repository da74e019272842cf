import { ProviderButton } from '@/components/ui/provider-button';
import { SOCIAL_PROVIDERS, type SocialProviderId } from '@/lib/shared/providers/social-providers';
import { useMessages } from '@/lib/browser/use-messages';
import styles from './methods.module.css';
import { isProviderBusy, type ProviderSignIn } from './use-provider-sign-in';

/** Above this number, the buttons are placed side by side and show only the provider's name. */
const WHOLE_AT_MOST = 3;

type Props = {
  providers: readonly SocialProviderId[];
  /** The provider used last on this device. */
  lastUsed: string | null;
  signIn: ProviderSignIn;
};

export function ProviderButtons({ providers, lastUsed, signIn }: Props) {
  const { t } = useMessages('providers');
  const { phase, press, approach } = signIn;
  const compact = providers.length > WHOLE_AT_MOST;
  return (
    <div className={compact ? styles.providerGrid : styles.providers}>
      {providers.map((id, index) => (
        <ProviderButton
          key={id}
          provider={SOCIAL_PROVIDERS[id]}
          label={t('common:continueWith', { provider: SOCIAL_PROVIDERS[id].name })}
          // With an odd number of buttons, the first takes a full row.
          compact={compact && (index > 0 || providers.length % 2 === 0)}
          note={id === lastUsed ? t('lastUsed') : undefined}
          busy={isProviderBusy(phase, id)}
          busyLabel={t('signingIn')}
          onPress={(button) => press(id, button)}
          onApproach={approach}
        />
      ))}
    </div>
  );
}
