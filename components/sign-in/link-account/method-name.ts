import { SOCIAL_PROVIDERS } from '@/lib/auth/providers';

/** A provider's name for people, by our id or the identity provider's. */
export function nameOfMethod(id: string): string {
  const known = Object.entries(SOCIAL_PROVIDERS).find(([own, { firebaseId }]) => own === id || firebaseId === id);
  return known?.[1].name ?? id;
}
