import type { AuthProvider } from 'firebase/auth';
import { isSocialProvider, SOCIAL_PROVIDERS } from '@/lib/shared/providers/social-providers';

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
    const { firebaseId, scopes } = SOCIAL_PROVIDERS[id];
    const provider = new OAuthProvider(firebaseId);
    scopes.forEach((scope) => provider.addScope(scope));
    return provider;
  }
  if (/^saml\.[\w-]+$/.test(id)) return new SAMLAuthProvider(id);
  if (/^oidc\.[\w-]+$/.test(id)) return new OAuthProvider(id);
  throw new Error(`Unsupported authentication provider: ${id}`);
}
