import type { AuthProvider } from 'firebase/auth';
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

/**
 * A social provider by our id, or an enterprise or partner provider by the identity provider's id (`saml.*`, `oidc.*`).
 */
export type ProviderId = string;

/**
 * Creates the SDK's object for a provider.
 * @throws Error `Cannot use redirect for password`, `Unsupported authentication provider: {provider}`
 * (docs/product.md#validation)
 */
export async function createFederatedProvider(id: ProviderId): Promise<AuthProvider> {
  if (id === 'password') throw new Error('Cannot use redirect for password');
  const { OAuthProvider, SAMLAuthProvider } = await import('./sdk');
  if (isSocialProvider(id)) {
    const provider = new OAuthProvider(SOCIAL_PROVIDERS[id].firebaseId);
    SCOPES[id].forEach((scope) => provider.addScope(scope));
    return provider;
  }
  if (/^saml\.[\w-]+$/.test(id)) return new SAMLAuthProvider(id);
  if (/^oidc\.[\w-]+$/.test(id)) return new OAuthProvider(id);
  throw new Error(`Unsupported authentication provider: ${id}`);
}
