import { getSocialProviderId } from '@/lib/shared/sign-in-methods';
import type { Refused } from './refusal';

/** `enabledIdentities` of an origin (docs/product.md#app-config). */
export type EnabledIdentities = ReadonlySet<string>;

/** The methods of an origin that is not listed, or lists none. */
export const DEFAULT_IDENTITIES: readonly string[] = ['password'];

/**
 * Decides whether an origin lets a sign-in method begin or complete a sign-in
 * (docs/account-policy.md#methods-of-an-origin). Pages hide refused methods.
 * @param method an identity provider's id of a method, or `passkey`, `email-link`, `registration`, `enterprise`
 */
export function isEnabledAtOrigin(method: string, enabled: EnabledIdentities): boolean {
  const social = getSocialProviderId(method);
  if (social !== null) return enabled.has(social);
  if (method === 'enterprise' || method.startsWith('saml.')) return enabled.has('enterprise');
  // The directory decides about partners. The sign-in behind a custom token was decided when the token was minted.
  if (method === 'custom' || method.startsWith('oidc.')) return true;
  return enabled.has('password');
}

export const METHOD_NOT_ENABLED = {
  code: 'provider-not-allowed',
  rule: 'method-not-enabled',
} as const satisfies Refused;

/** @returns null if the origin enables the method */
export function decideMethod(method: string, enabled: EnabledIdentities): Refused | null {
  return isEnabledAtOrigin(method, enabled) ? null : METHOD_NOT_ENABLED;
}
