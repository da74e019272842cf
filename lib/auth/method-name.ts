import { SOCIAL_PROVIDERS, type SocialProviderId } from './providers';

/** Our id of a social provider, by the identity provider's; null for all other methods. */
export function socialIdOf(firebaseId: string): SocialProviderId | null {
  const known = Object.entries(SOCIAL_PROVIDERS).find(([, provider]) => provider.firebaseId === firebaseId);
  return (known?.[0] as SocialProviderId | undefined) ?? null;
}

/** A provider's name for people, by our id or the identity provider's. */
export function nameOfMethod(id: string): string {
  const known = Object.entries(SOCIAL_PROVIDERS).find(([own, { firebaseId }]) => own === id || firebaseId === id);
  return known?.[1].name ?? id;
}

/** Whether a method is a way in through an organisation or a partner. */
export function isOrganisation(id: string): boolean {
  return /^(?:saml|oidc)\./.test(id) && socialIdOf(id) === null;
}
