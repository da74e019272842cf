import type { Passkey, PasskeyList, PasskeySignal } from '@/lib/shared/account/passkeys';
import type { AccountPasskeys, StoredPasskey } from '@/lib/server/storage';
import type { SessionUser } from '@/lib/server/session';
import { getAuthenticatorName } from './authenticators';
import type { RelyingParty } from '@/lib/server/http';

/** A passkey as its owner sees it. */
export function toPasskey({ id, name, aaguid, backedUp, suspectAt, createdAt, lastUsedAt }: StoredPasskey): Passkey {
  return {
    id,
    name,
    provider: getAuthenticatorName(aaguid),
    isSynced: backedUp,
    isSuspect: suspectAt !== null,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  };
}

/**
 * All passkeys of an account for the browser's password managers.
 * @param stored the complete list, just read
 * @returns null for an account that never had one
 */
export function toSignal(
  { id: rpId }: RelyingParty,
  { email = '', displayName }: Omit<SessionUser, 'uid'>,
  { userHandle, passkeys }: AccountPasskeys,
): PasskeySignal | null {
  if (userHandle === null) return null;
  const credentialIds = passkeys.map(({ credentialId }) => credentialId);
  return { rpId, userId: userHandle, credentialIds, name: email, displayName: displayName ?? email };
}

/** What /security shows. */
export function toPasskeyList(rp: RelyingParty, user: Omit<SessionUser, 'uid'>, stored: AccountPasskeys): PasskeyList {
  return { passkeys: stored.passkeys.map(toPasskey), signal: toSignal(rp, user, stored) };
}
