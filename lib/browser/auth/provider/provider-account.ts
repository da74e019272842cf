import type { PublicEnv } from '@/lib/shared/config/public-env';
import type { ProviderAccount } from '../sign-in/events';
import { callProvider } from './call-provider';

type Found = {
  providerUserInfo?: { providerId?: string }[];
  photoUrl?: string;
  createdAt?: string;
  lastLoginAt?: string;
};

/**
 * Looks up what the identity provider knows of an account (REST method `accounts:lookup`).
 * @param idToken of the account
 * @returns null if the provider does not answer
 */
export async function findProviderAccount(env: PublicEnv, idToken: string): Promise<ProviderAccount | null> {
  const { ok, body } = await callProvider<{ users?: Found[] }>(env, 'accounts:lookup', { idToken });
  const found = body.users?.[0];
  if (!ok || !found) return null;
  return {
    photoURL: found.photoUrl ?? null,
    providerIds: (found.providerUserInfo ?? []).flatMap(({ providerId }) => providerId ?? []),
    createdAt: toDate(found.createdAt),
    lastSignInAt: toDate(found.lastLoginAt),
    anonymous: false,
  };
}

/** @param milliseconds since 1970, as text @returns an RFC 7231 date, as the SDK writes it */
function toDate(milliseconds: string | undefined): string | undefined {
  return milliseconds === undefined ? undefined : new Date(Number(milliseconds)).toUTCString();
}
