import { useTranslation } from 'next-i18next/pages';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { errorTextKey } from '@/lib/auth/error-codes';
import type { PendingLink } from '@/lib/auth/pending-link';
import { isSocialProvider, SOCIAL_PROVIDERS, type SocialProviderId } from '@/lib/auth/providers';
import { useAppConfig } from '@/lib/config/app-config-context';
import { ProviderButtons } from '../provider-buttons';
import styles from '../sign-in.module.css';
import { useProviderSignIn } from '../use-provider-sign-in';
import { LinkPasswordForm } from './link-password-form';
import { isOrganisation, nameOfMethod } from '@/lib/auth/method-name';

/** The ways into the existing account: those it is known to have, else all that this origin allows. */
export function LinkAccount({ link }: { link: PendingLink }) {
  const { t } = useTranslation('link-account');
  const enabled: readonly string[] = useAppConfig()?.enabledIdentities ?? ['password'];
  const signIn = useProviderSignIn();
  const known = link.methods.length > 0;
  const byPassword = known ? link.methods.includes('password') : enabled.includes('password');
  const providers = socialProviders().filter((id) =>
    known ? link.methods.includes(SOCIAL_PROVIDERS[id].firebaseId) : enabled.includes(id) && id !== link.provider,
  );
  const nameOf = (id: string) => {
    if (id === 'password') return t('password');
    return isOrganisation(id) ? t('sign-in:sso') : nameOfMethod(id);
  };
  return (
    <div className={styles.ways}>
      {signIn.phase.name === 'failed' && <Notice tone="error">{t(errorTextKey(signIn.phase.failure.code))}</Notice>}
      {known && (
        <p>
          {t('methods', {
            methods: link.methods.map(nameOf).join(', '),
          })}
        </p>
      )}
      {byPassword && <LinkPasswordForm email={link.email} />}
      {link.methods.filter(isOrganisation).map((id) => (
        <Button
          key={id}
          kind="secondary"
          busy={signIn.phase.name === 'busy' && signIn.phase.provider === id}
          busyLabel={t('sign-in:signingIn')}
          onClick={() => signIn.press(id)}
        >
          {t('common:continueWith', { provider: t('sign-in:sso') })}
        </Button>
      ))}
      {providers.length > 0 && <ProviderButtons providers={providers} lastUsed={null} signIn={signIn} />}
    </div>
  );
}

function socialProviders(): SocialProviderId[] {
  return Object.keys(SOCIAL_PROVIDERS).filter(isSocialProvider);
}
