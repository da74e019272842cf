import { Button } from '@/components/ui/button';
import type { PendingLink } from '@/lib/browser/auth/sign-in/pending-link';
import { isSocialProvider, SOCIAL_PROVIDERS, type SocialProviderId } from '@/lib/shared/providers/social-providers';
import { useAppConfig } from '@/lib/browser/config/app-config-context';
import { ProviderButtons } from '@/components/providers/provider-buttons';
import { ProviderStatus } from '@/components/providers/provider-status';
import styles from '@/components/providers/methods.module.css';
import { isProviderBusy, useProviderSignIn } from '@/components/providers/use-provider-sign-in';
import { LinkPasswordForm } from './link-password-form';
import { isOrganization, getMethodName } from '@/lib/shared/providers/method-name';
import { useMessages } from '@/lib/browser/use-messages';

/** The sign-in methods of the existing account: the known ones, otherwise all that this origin allows. */
export function LinkAccount({ link }: { link: PendingLink }) {
  const { t } = useMessages('link-account');
  const enabled: readonly string[] = useAppConfig()?.enabledIdentities ?? ['password'];
  const signIn = useProviderSignIn();
  const hasMethods = link.methods.length > 0;
  const byPassword = hasMethods ? link.methods.includes('password') : enabled.includes('password');
  const providers = socialProviders().filter((id) =>
    hasMethods ? link.methods.includes(SOCIAL_PROVIDERS[id].firebaseId) : enabled.includes(id) && id !== link.provider,
  );
  const getName = (id: string) => {
    if (id === 'password') return t('password');
    return isOrganization(id) ? t('providers:sso') : getMethodName(id);
  };
  return (
    <div className={styles.methods}>
      <ProviderStatus signIn={signIn} />
      {hasMethods && (
        <p>
          {t('methods', {
            methods: link.methods.map(getName).join(', '),
          })}
        </p>
      )}
      {byPassword && <LinkPasswordForm email={link.email} />}
      {link.methods.filter(isOrganization).map((id) => (
        <Button
          key={id}
          kind="secondary"
          busy={isProviderBusy(signIn.phase, id)}
          busyLabel={t('sign-in:signingIn')}
          onClick={(event) => signIn.press(id, event.currentTarget)}
        >
          {t('common:continueWith', { provider: t('providers:sso') })}
        </Button>
      ))}
      {providers.length > 0 && <ProviderButtons providers={providers} lastUsed={null} signIn={signIn} />}
    </div>
  );
}

function socialProviders(): SocialProviderId[] {
  return Object.keys(SOCIAL_PROVIDERS).filter(isSocialProvider);
}
