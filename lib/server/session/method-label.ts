import { PASSKEY_METHOD, toOwnMethod, type TokenMethod } from '@/lib/shared/account/own-methods';
import { getSocialProviderId, type SocialProviderId } from '@/lib/shared/providers';

/**
 * A sign-in method in the metrics. `custom`: email links, emailed codes and automatic sign-in, which reach the session
 * by a custom token of this server; `unknown`: the token was refused before its method was known.
 */
export type SignInMethodLabel =
  SocialProviderId | typeof PASSKEY_METHOD | 'password' | 'saml' | 'oidc' | 'custom' | 'other' | 'unknown';

/**
 * One label for all organizations and one for all partners: their number is not bounded.
 * @param provider `sign_in_provider` of a verified token
 * @param method as our server has verified it
 */
export function getSignInMethodLabel(provider: string, method: TokenMethod | null = null): SignInMethodLabel {
  if (toOwnMethod(method) === PASSKEY_METHOD) return PASSKEY_METHOD;
  const social = getSocialProviderId(provider);
  if (social !== null) return social;
  if (provider === 'password' || provider === 'custom') return provider;
  if (provider.startsWith('saml.')) return 'saml';
  return provider.startsWith('oidc.') ? 'oidc' : 'other';
}
