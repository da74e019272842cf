import { PageLink } from '@/components/ui/page-link';
import { carryTypedEmail } from '@/lib/browser/account/carried-email';
import { EMAIL_LINK_METHOD } from '@/lib/browser/auth/sign-in/this-device';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';
import type { SocialProviderId } from '@/lib/shared/sign-in-methods';
import { ProviderButtons, type ProviderSignIn } from '@/components/providers/provider-sign-in';
import styles from '@/components/providers/methods.module.css';
import marked from '@/components/ui/provider-button.module.css';

type Props = {
  providers: readonly SocialProviderId[];
  byEmailLink: boolean;
  byOrganization: boolean;
  lastUsed: string | null;
  signIn: ProviderSignIn;
};

/** The other providers, and links to the screens for an emailed link and for organizations. Loaded on demand. */
export default function MoreSignInWays({ providers, byEmailLink, byOrganization, lastUsed, signIn }: Props) {
  const { t } = useMessages('providers');
  // That screen does not find partners (`oidc.`).
  const isOrganizationLast = lastUsed?.startsWith('saml.') === true;
  const isEmailLast = lastUsed === EMAIL_LINK_METHOD;
  return (
    <>
      {providers.length > 0 && <ProviderButtons providers={providers} lastUsed={null} signIn={signIn} />}
      {byEmailLink && <Way href={paths.emailLink} text={t('emailLink')} isLastUsed={isEmailLast} />}
      {byOrganization && <Way href={paths.enterprise} text={t('enterprise')} isLastUsed={isOrganizationLast} />}
    </>
  );
}

function Way({ href, text, isLastUsed }: { href: string; text: string; isLastUsed: boolean }) {
  const { t } = useMessages('providers');
  return (
    <p className={styles.way}>
      <PageLink href={href} onClick={carryTypedEmail}>
        {text}
      </PageLink>
      <span> </span>
      {isLastUsed && <span className={marked.note}>{t('lastUsed')}</span>}
    </p>
  );
}
