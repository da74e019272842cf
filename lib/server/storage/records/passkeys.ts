import { and, asc, eq, inArray, isNull, lt, ne, sql, type SQL } from 'drizzle-orm';
import { randomBytes, randomUUID } from 'node:crypto';
import { MAX_PASSKEYS, type PasskeySource } from '@/lib/shared/account/passkeys';
import type { ClientDescription } from '@/lib/server/runtime';
import { addEvent, writeAboutAccount, writeAboutKnownAccount } from './events';
import { findBrowserOfCookie } from './sessions';
import { accounts, passkeys } from './schema';
import { insertUsed } from './used-once';
import type { LockedAccount } from '../account-lock';
import type { Records, Tx } from './engines';

// Queries about passkeys. lib/server/passkeys decides what is accepted.

const HANDLE_BYTES = 32;

export type StoredPasskey = typeof passkeys.$inferSelect;

/** A verified credential. */
export type NewPasskey = Omit<
  StoredPasskey,
  'id' | 'uid' | 'createdAt' | 'lastUsedAt' | 'suspectAt' | 'source' | 'addedIn'
> & {
  source: PasskeySource;
};

/** A passkey with the user handle that its authenticator must send. */
export type FoundPasskey = StoredPasskey & { userHandle: string | null };

/** All passkeys of an account, oldest first. */
export type AccountPasskeys = { userHandle: string | null; passkeys: StoredPasskey[] };

/** The event of a passkey. */
type Occasion = { uid: string; at: Date; client: ClientDescription };

/** A challenge that is redeemed in the transaction of its ceremony. */
export type SpentChallenge = { challenge: string; expiresAt: Date };

/** Writes the email about a change in its transaction. */
type Announce = (tx: Tx, passkey: StoredPasskey) => Promise<void>;

/** Returns the user handle of an account. The first call creates it. */
export function ensureUserHandle(records: Records, uid: string, at: Date): Promise<string> {
  return writeAboutAccount(records, { uid, at }, async (tx) => {
    const fresh = randomBytes(HANDLE_BYTES).toString('base64url');
    const [row] = await tx
      .update(accounts)
      .set({ userHandle: sql`coalesce(${accounts.userHandle}, ${fresh})` })
      .where(eq(accounts.uid, uid))
      .returning({ userHandle: accounts.userHandle });
    return row?.userHandle ?? fresh;
  });
}

/** @returns null if no account has this credential */
export function findPasskey(records: Records, credentialId: string): Promise<FoundPasskey | null> {
  return records.query(async (tx) => {
    const [found] = await tx
      .select({ passkey: passkeys, userHandle: accounts.userHandle })
      .from(passkeys)
      .innerJoin(accounts, eq(accounts.uid, passkeys.uid))
      .where(eq(passkeys.credentialId, credentialId));
    return found ? { ...found.passkey, userHandle: found.userHandle } : null;
  });
}

/**
 * Lists all passkeys of an account. It locks the account's row, which only the primary server allows. With a stale
 * replica, password managers would remove a new passkey.
 */
export function listPasskeys(records: Records, uid: string): Promise<AccountPasskeys> {
  return records.query((tx) => readPasskeys(tx, uid));
}

async function readPasskeys(tx: Tx, uid: string): Promise<AccountPasskeys> {
  // Bounded: an account has a limited number of passkeys.
  const rows = await tx
    .select({ userHandle: accounts.userHandle, passkey: passkeys })
    .from(accounts)
    .leftJoin(passkeys, eq(passkeys.uid, accounts.uid))
    .where(eq(accounts.uid, uid))
    .orderBy(asc(passkeys.createdAt))
    .for('share', { of: accounts });
  return { userHandle: rows[0]?.userHandle ?? null, passkeys: rows.flatMap(({ passkey }) => passkey ?? []) };
}

/**
 * `challenge-used`: another request redeemed it. `exists`: an account has the credential. `limit`: the account has too
 * many passkeys.
 */
export type AddResult = AccountPasskeys | 'challenge-used' | 'exists' | 'limit';

/**
 * Stores a passkey with its event and email, and redeems its challenge. @param occasion `sid`: a cookie's id of the
 * session that adds it
 */
export function insertPasskey(
  records: Records,
  locked: LockedAccount,
  passkey: NewPasskey,
  { at, client, announce, sid, ...spent }: Omit<Occasion, 'uid'> & SpentChallenge & { announce: Announce; sid: string },
): Promise<AddResult> {
  const { uid } = locked;
  return writeAboutAccount(records, { uid, at }, async (tx) => {
    await locked.assertHeld(tx);
    if (!(await insertUsed(tx, [spent]))) return 'challenge-used';
    const before = await readPasskeys(tx, uid);
    if (before.passkeys.length >= MAX_PASSKEYS) return 'limit';
    const addedIn = await findBrowserOfCookie(tx, sid);
    const row = { ...passkey, uid, id: randomUUID(), createdAt: at, lastUsedAt: null, suspectAt: null, addedIn };
    const [added] = await tx.insert(passkeys).values(row).onConflictDoNothing().returning();
    if (!added) return 'exists';
    await addEvent(tx, { uid, at, client, kind: 'passkey-added' });
    await announce(tx, added);
    return { ...before, passkeys: [...before.passkeys, added] };
  });
}

export type PasskeyUse = SpentChallenge & { id: string; uid: string; at: Date; counter: number; backedUp: boolean };

/**
 * Records a verified use, and redeems its challenge.
 * @returns all passkeys of the account; `challenge-used` if another request redeemed the challenge; null if the passkey
 *   was removed in between
 */
export function recordPasskeyUse(
  records: Records,
  { id, uid, at, counter, backedUp, ...spent }: PasskeyUse,
): Promise<AccountPasskeys | 'challenge-used' | null> {
  return records.transact(async (tx) => {
    if (!(await insertUsed(tx, [spent]))) return 'challenge-used';
    const [used] = await tx
      .update(passkeys)
      // Two uses of an authenticator can arrive in the wrong order.
      .set({ backedUp, lastUsedAt: at, counter: sql`greatest(${passkeys.counter}, ${counter})` })
      .where(and(eq(passkeys.id, id), isNull(passkeys.suspectAt)))
      .returning({ id: passkeys.id });
    return used ? readPasskeys(tx, uid) : null;
  });
}

/** Makes user verification count from now on (`decideVerification`). Call it in a transaction. */
export async function initializeVerification(tx: Tx, { uid, id }: { uid: string; id: string }): Promise<void> {
  await tx
    .update(passkeys)
    .set({ userVerified: true })
    .where(and(eq(passkeys.id, id), eq(passkeys.uid, uid)));
}

/**
 * Marks a passkey whose counter went back, once, with its event and email. It redeems the challenge first, because a
 * replayed response also has an old counter.
 * @returns whether it was marked now; `challenge-used` if another request had the same response
 */
export async function suspectPasskey(
  records: Records,
  { id, uid, at, client, announce, ...spent }: Occasion & SpentChallenge & { id: string; announce: Announce },
): Promise<boolean | 'challenge-used'> {
  const marked = await writeAboutKnownAccount(records, uid, async (tx) => {
    if (!(await insertUsed(tx, [spent]))) return 'challenge-used';
    const isFirst = and(eq(passkeys.id, id), eq(passkeys.uid, uid), isNull(passkeys.suspectAt));
    const [marked] = await tx.update(passkeys).set({ suspectAt: at }).where(isFirst).returning();
    if (!marked) return false;
    await addEvent(tx, { uid, at, client, kind: 'passkey-suspect' });
    await announce(tx, marked);
    return true;
  });
  return marked ?? false;
}

/** @returns false if the account has no such passkey */
export async function renamePasskey(
  records: Records,
  { uid, id, name }: { uid: string; id: string; name: string },
): Promise<boolean> {
  const renamed = await records.transact((tx) =>
    tx
      .update(passkeys)
      .set({ name })
      .where(and(eq(passkeys.id, id), eq(passkeys.uid, uid)))
      .returning({ id: passkeys.id }),
  );
  return renamed.length > 0;
}

/**
 * Removes a passkey with its event and email. @returns the remaining passkeys, or null if the account had no such
 * passkey
 */
export function deletePasskey(
  records: Records,
  { id, uid, at, client, announce }: Occasion & { id: string; announce: Announce },
): Promise<AccountPasskeys | null> {
  return writeAboutKnownAccount(records, uid, async (tx) => {
    const matches = and(eq(passkeys.id, id), eq(passkeys.uid, uid));
    const [removed] = await tx.delete(passkeys).where(matches).returning();
    if (!removed) return null;
    await addEvent(tx, { uid, at, client, kind: 'passkey-removed' });
    await announce(tx, removed);
    return readPasskeys(tx, uid);
  });
}

/** Removes passkeys that a rule finds suspect, with an event each. @returns the number of removed passkeys */
export async function removeSuspectPasskeys(
  tx: Tx,
  event: Omit<Occasion, 'client'> & { client?: ClientDescription },
  { isSuspect }: { isSuspect: (passkey: { addedIn: string | null; at: Date }) => boolean },
): Promise<number> {
  // Bounded: an account has a limited number of passkeys.
  const found = await tx
    .select({ id: passkeys.id, addedIn: passkeys.addedIn, at: passkeys.createdAt })
    .from(passkeys)
    .where(eq(passkeys.uid, event.uid));
  const suspect = found.filter(isSuspect).map(({ id }) => id);
  return removePasskeys(tx, event, inArray(passkeys.id, suspect));
}

/**
 * Removes the account's passkeys for other emails, with an event each. They cannot sign in, and would be listed among
 * the owner's passkeys.
 * @returns the number of removed passkeys
 */
export function removeForeignPasskeys(tx: Tx, event: { uid: string; at: Date }, email: string): Promise<number> {
  return removePasskeys(tx, event, ne(passkeys.email, email));
}

/**
 * Lets the passkeys of an account belong to its new email. Call it within `writeAboutAccount`.
 * @param before limits it to passkeys that are older
 */
export async function movePasskeys(tx: Tx, locked: LockedAccount, email: string, before?: Date): Promise<void> {
  await locked.assertHeld(tx);
  const isMeant = and(eq(passkeys.uid, locked.uid), before && lt(passkeys.createdAt, before));
  await tx.update(passkeys).set({ email }).where(isMeant);
}

async function removePasskeys(
  tx: Tx,
  { uid, at, client }: Omit<Occasion, 'client'> & { client?: ClientDescription },
  which: SQL,
): Promise<number> {
  const matches = and(eq(passkeys.uid, uid), which);
  const removed = await tx.delete(passkeys).where(matches).returning({ id: passkeys.id });
  for (let count = 0; count < removed.length; count += 1)
    await addEvent(tx, { uid, at, client, kind: 'passkey-removed' });
  return removed.length;
}

/** Finds the RP ID of a passkey with another RP ID than this one. @returns null if there is none */
export function findOtherRpId(records: Records, rpId: string): Promise<string | null> {
  return records.transact(async (tx) => {
    const [other] = await tx.select({ rpId: passkeys.rpId }).from(passkeys).where(ne(passkeys.rpId, rpId)).limit(1);
    return other?.rpId ?? null;
  });
}
