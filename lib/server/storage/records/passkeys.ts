import { and, asc, eq, inArray, isNull, ne, sql, type SQL } from 'drizzle-orm';
import { randomBytes, randomUUID } from 'node:crypto';
import { MAX_PASSKEYS, type PasskeySource } from '@/lib/shared/account/passkeys';
import type { ClientDescription } from '@/lib/server/runtime';
import { addEvent, assertMayGrant, writeAboutAccount, writeAboutKnownAccount } from './events';
import { findBrowserOfCookie } from './sessions';
import { accounts, passkeys, usedChallenges } from './schema';
import type { Records, Tx } from './engines';

// Queries about passkeys. What is accepted is decided in lib/server/passkeys.

const HANDLE_BYTES = 32;

export type StoredPasskey = typeof passkeys.$inferSelect;

/** A credential that was verified, for an account. */
export type NewPasskey = Omit<StoredPasskey, 'id' | 'createdAt' | 'lastUsedAt' | 'suspectAt' | 'source' | 'addedIn'> & {
  source: PasskeySource;
};

/** A passkey together with what its authenticator must know the account by. */
export type FoundPasskey = StoredPasskey & { userHandle: string | null };

/** All passkeys of an account, oldest first. */
export type AccountPasskeys = { userHandle: string | null; passkeys: StoredPasskey[] };

/** What happened to a passkey, for its event. */
type Occasion = { uid: string; at: Date; client: ClientDescription };

/** A challenge that is used up in the transaction of what it was made for. */
export type SpentChallenge = { challenge: string; expiresAt: Date };

/** Writes the email about a change, in its transaction. */
type Announce = (tx: Tx, passkey: StoredPasskey) => Promise<void>;

/** The user handle of an account, made at the first call. */
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

/** @returns null when no account has this credential */
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
 * All passkeys of an account. Locks its row, which only the primary server allows: a copy that lags behind would tell password
 * managers to forget a new passkey.
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

/** `challenge-used`: by another request; `exists`: the credential is that of an account; `limit`: there are too many. */
export type AddResult = AccountPasskeys | 'challenge-used' | 'exists' | 'limit';

/** Stores a passkey with its event and email, and uses its challenge up. @param occasion `sid`: of a cookie of the session that adds it */
export function insertPasskey(
  records: Records,
  passkey: NewPasskey,
  { at, client, announce, sid, ...spent }: Omit<Occasion, 'uid'> & SpentChallenge & { announce: Announce; sid: string },
): Promise<AddResult> {
  const { uid } = passkey;
  return writeAboutAccount(records, { uid, at }, async (tx) => {
    await assertMayGrant(uid);
    if (!(await spendChallenge(tx, spent))) return 'challenge-used';
    const before = await readPasskeys(tx, uid);
    if (before.passkeys.length >= MAX_PASSKEYS) return 'limit';
    const addedIn = await findBrowserOfCookie(tx, sid);
    const row = { ...passkey, id: randomUUID(), createdAt: at, lastUsedAt: null, suspectAt: null, addedIn };
    const [added] = await tx.insert(passkeys).values(row).onConflictDoNothing().returning();
    if (!added) return 'exists';
    await addEvent(tx, { uid, at, client, kind: 'passkey-added' });
    await announce(tx, added);
    return { ...before, passkeys: [...before.passkeys, added] };
  });
}

export type PasskeyUse = SpentChallenge & { id: string; uid: string; at: Date; counter: number; backedUp: boolean };

/**
 * Records a use that was verified, and uses its challenge up.
 * @returns all passkeys of the account; `challenge-used`: by another request; null when the passkey was removed meanwhile
 */
export function recordPasskeyUse(
  records: Records,
  { id, uid, at, counter, backedUp, ...spent }: PasskeyUse,
): Promise<AccountPasskeys | 'challenge-used' | null> {
  return records.transact(async (tx) => {
    if (!(await spendChallenge(tx, spent))) return 'challenge-used';
    const [used] = await tx
      .update(passkeys)
      // Two uses of one authenticator can arrive in the other order.
      .set({ backedUp, lastUsedAt: at, counter: sql`greatest(${passkeys.counter}, ${counter})` })
      .where(and(eq(passkeys.id, id), isNull(passkeys.suspectAt)))
      .returning({ id: passkeys.id });
    return used ? readPasskeys(tx, uid) : null;
  });
}

/** User verification counts from now on (`decideVerification`). Within a transaction. */
export async function initializeVerification(tx: Tx, { uid, id }: { uid: string; id: string }): Promise<void> {
  await tx
    .update(passkeys)
    .set({ userVerified: true })
    .where(and(eq(passkeys.id, id), eq(passkeys.uid, uid)));
}

/** @returns false when it was used before */
async function spendChallenge(tx: Tx, { challenge, expiresAt }: SpentChallenge): Promise<boolean> {
  const spent = await tx.insert(usedChallenges).values({ challenge, expiresAt }).onConflictDoNothing().returning();
  return spent.length > 0;
}

/**
 * Marks a passkey whose counter went back, once, with its event and email, and uses the challenge up: a response that is sent again
 * has an old counter, too.
 * @returns whether it was marked now; `challenge-used`: the response is that of another request
 */
export async function suspectPasskey(
  records: Records,
  { id, uid, at, client, announce, ...spent }: Occasion & SpentChallenge & { id: string; announce: Announce },
): Promise<boolean | 'challenge-used'> {
  const marked = await writeAboutKnownAccount(records, uid, async (tx) => {
    if (!(await spendChallenge(tx, spent))) return 'challenge-used';
    const isFirst = and(eq(passkeys.id, id), eq(passkeys.uid, uid), isNull(passkeys.suspectAt));
    const [marked] = await tx.update(passkeys).set({ suspectAt: at }).where(isFirst).returning();
    if (!marked) return false;
    await addEvent(tx, { uid, at, client, kind: 'passkey-suspect' });
    await announce(tx, marked);
    return true;
  });
  return marked ?? false;
}

/** @returns false when the account has no such passkey */
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

/** Removes one passkey with its event and email. @returns those that are left; null when the account had no such passkey */
export function removePasskey(
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

/** Removes passkeys that a rule finds suspect, with an event each. @returns how many */
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
 * Removes the passkeys of other emails than that of the account, with an event each: with them no one signs in, and they would be listed
 * among the owner's.
 * @returns how many
 */
export function removeForeignPasskeys(tx: Tx, event: { uid: string; at: Date }, email: string): Promise<number> {
  return removePasskeys(tx, event, ne(passkeys.email, email));
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

/** A passkey of another RP ID than this one; null when there is none. */
export function findOtherRpId(records: Records, rpId: string): Promise<string | null> {
  return records.transact(async (tx) => {
    const [other] = await tx.select({ rpId: passkeys.rpId }).from(passkeys).where(ne(passkeys.rpId, rpId)).limit(1);
    return other?.rpId ?? null;
  });
}
