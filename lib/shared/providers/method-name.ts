import { SOCIAL_PROVIDERS, type SocialProviderId } from './social-providers';

/** Maps the identity provider's id of a social provider to ours; null for all other methods. */
export function getSocialProviderId(firebaseId: string): SocialProviderId | null {
  const known = Object.entries(SOCIAL_PROVIDERS).find(([, provider]) => provider.firebaseId === firebaseId);
  return (known?.[0] as SocialProviderId | undefined) ?? null;
}

/** A provider's display name, by our id or the identity provider's. */
export function getMethodName(id: string): string {
  const known = Object.entries(SOCIAL_PROVIDERS).find(([own, { firebaseId }]) => own === id || firebaseId === id);
  return known?.[1].name ?? id;
}

/** Whether a method signs in through an organization or a partner. */
export function isOrganization(id: string): boolean {
  return /^(?:saml|oidc)\./.test(id) && getSocialProviderId(id) === null;
}
