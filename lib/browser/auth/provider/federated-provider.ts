import type { AuthProvider } from 'firebase/auth';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { isSocialProvider, SOCIAL_PROVIDERS, type SocialProviderId } from '@/lib/shared/providers/social-providers';

/**
 * Scopes requested in addition to the default. Sign-in is rejected without an email address. Here, not in the table: pages load that with
 * their buttons.
 */
const SCOPES: Record<SocialProviderId, readonly string[]> = {
  'google.com': ['profile', 'email'],
  'microsoft.com': ['openid', 'email', 'profile'],
  'apple.com': ['email', 'name'],
  'facebook.com': ['email'],
  'linkedin.com': ['email', 'profile'],
  'github.com': ['user:email'],
  'twitter.com': [],
};

/** What providers call the language of their pages; all others have OpenID's `ui_locales`, or ignore it. */
const LANGUAGE_PARAMETERS: Partial<Record<ProviderId, string>> = {
  'google.com': 'hl',
  'apple.com': 'locale',
  'twitter.com': 'lang',
};

/**
 * A social provider by our id, or an enterprise or partner provider by the identity provider's id (`saml.*`, `oidc.*`).
 */
export type ProviderId = string;

/**
 * Creates the SDK's object for a provider, whose pages are in the language of this one where learners choose it.
 * @throws Error `Cannot use redirect for password`, `Unsupported authentication provider: {provider}`
 * (docs/product.md#validation)
 */
export async function createFederatedProvider(
  { locales }: Pick<PublicEnv, 'locales'>,
  id: ProviderId,
): Promise<AuthProvider> {
  if (id === 'password') throw new Error('Cannot use redirect for password');
  const { OAuthProvider, SAMLAuthProvider } = await import('./sdk');
  const create = (firebaseId: string) => {
    const provider = new OAuthProvider(firebaseId);
    const name = LANGUAGE_PARAMETERS[id] ?? 'ui_locales';
    if (locales) provider.setCustomParameters({ [name]: document.documentElement.lang });
    return provider;
  };
  if (isSocialProvider(id)) {
    const provider = create(SOCIAL_PROVIDERS[id].firebaseId);
    SCOPES[id].forEach((scope) => provider.addScope(scope));
    return provider;
  }
  // SAML has no parameter for it.
  if (/^saml\.[\w-]+$/.test(id)) return new SAMLAuthProvider(id);
  if (/^oidc\.[\w-]+$/.test(id)) return create(id);
  throw new Error(`Unsupported authentication provider: ${id}`);
}
