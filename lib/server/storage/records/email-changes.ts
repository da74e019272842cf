import { and, desc, eq, gte, isNotNull, isNull, ne, or, sql, type SQL } from 'drizzle-orm';
import type { LockedAccount } from '../account-lock';
import { emailChanges } from './schema';
import type { Records, Tx } from './engines';
import { now } from './jobs';

// Queries about changes of an account's email. lib/server/policy/email-change.ts decides what is allowed. Each write
// asserts the account's lock in its transaction, because its process may have been frozen while others changed the account.

/** Days that a change is kept, a day longer than its links (`EMAIL_UNDO_MS`). */
export const EMAIL_CHANGE_DAYS = 8;

export type StoredEmailChange = typeof emailChanges.$inferSelect & { ageMs: number };

/** Writes a request, which replaces an open one of its account. Call it within `writeAboutAccount`. */
export async function insertEmailChange(
  tx: Tx,
  locked: LockedAccount,
  change: { id: string; kind: 'main' | 'recovery'; from: string; to: string },
): Promise<void> {
  const { uid } = locked;
  await locked.assertHeld(tx);
  const isWaiting = and(eq(emailChanges.uid, uid), isNull(emailChanges.doneAt), isNull(emailChanges.endedAt));
  await tx.update(emailChanges).set({ endedAt: now }).where(isWaiting);
  await tx.insert(emailChanges).values({ ...change, uid, requestedAt: now });
}

/** @returns null if the account has no such request */
export function readEmailChange(
  records: Records,
  { uid, id }: { uid: string; id: string },
): Promise<StoredEmailChange | null> {
  return readFirst(records, and(eq(emailChanges.id, id), eq(emailChanges.uid, uid)));
}

/** @returns the first change of an account from an email since a time, unless it has ended; null if there is none */
export function findEmailChange(
  records: Records,
  { uid, from, since }: { uid: string; from: string; since: Date },
): Promise<StoredEmailChange | null> {
  const isOwn = and(eq(emailChanges.uid, uid), eq(emailChanges.from, from), gte(emailChanges.requestedAt, since));
  const isMain = eq(emailChanges.kind, 'main');
  return readFirst(records, and(isOwn, isMain, isNotNull(emailChanges.doneAt), isNull(emailChanges.endedAt)));
}

async function readFirst(records: Records, which: SQL | undefined): Promise<StoredEmailChange | null> {
  const ageMs = sql<number>`(extract(epoch from now() - ${emailChanges.requestedAt}) * 1000)::float8`;
  const [row] = await records.query((tx) =>
    tx.select({ row: emailChanges, ageMs }).from(emailChanges).where(which).orderBy(emailChanges.requestedAt).limit(1),
  );
  return row ? { ...row.row, ageMs: row.ageMs } : null;
}

/** Lists the accounts whose owner, or an intruder, has changed them away from an email. At most 5, the latest first. */
export async function listMovedFrom(records: Records, email: string): Promise<string[]> {
  const isDone = and(eq(emailChanges.kind, 'main'), eq(emailChanges.from, email), isNotNull(emailChanges.doneAt));
  const rows = await records.query((tx) =>
    tx.select({ uid: emailChanges.uid }).from(emailChanges).where(isDone).orderBy(desc(emailChanges.doneAt)).limit(5),
  );
  return [...new Set(rows.map(({ uid }) => uid))];
}

/** Records that a change begins, or that it did not. Its link for undoing it then restores the former email. */
export async function markEmailChange(tx: Tx, locked: LockedAccount, id: string, isDone: boolean): Promise<void> {
  await locked.assertHeld(tx);
  const doneAt = isDone ? now : null;
  await tx.update(emailChanges).set({ doneAt }).where(eq(emailChanges.id, id));
}

/**
 * Ends a change that its former mailbox has undone. After a restoration, all later changes end, and the links of recovery
 * emails. The end of a recovery email ends no completed change, because its link restores the email of another mailbox.
 * The end of a change that waited ends no other link: an intruder may have added a recovery email before it.
 */
export async function endEmailChanges(tx: Tx, locked: LockedAccount, change: StoredEmailChange): Promise<void> {
  const isIt = eq(emailChanges.id, change.id);
  const others = { main: change.doneAt === null ? sql`false` : isRestoredBy(change), recovery: isWaitingSince(change) };
  await endWhere(tx, locked, or(isIt, others[change.kind]));
}

/** Ends all changes that a restoration ends, except its own change, so that its link still works if it is interrupted. */
export async function endRestoredChanges(tx: Tx, locked: LockedAccount, change: StoredEmailChange): Promise<void> {
  await endWhere(tx, locked, and(ne(emailChanges.id, change.id), isRestoredBy(change)));
}

/** Ends all changes of an account, so that none of its former mailboxes undoes one. */
export async function endAllEmailChanges(tx: Tx, locked: LockedAccount): Promise<void> {
  await endWhere(tx, locked, undefined);
}

const isSince = ({ requestedAt }: StoredEmailChange) => gte(emailChanges.requestedAt, requestedAt);
const isRestoredBy = (change: StoredEmailChange) => or(eq(emailChanges.kind, 'recovery'), isSince(change));
const isWaitingSince = (change: StoredEmailChange) => and(isNull(emailChanges.doneAt), isSince(change));

async function endWhere(tx: Tx, locked: LockedAccount, which: SQL | undefined): Promise<void> {
  await locked.assertHeld(tx);
  const isMeant = and(eq(emailChanges.uid, locked.uid), isNull(emailChanges.endedAt), which);
  await tx.update(emailChanges).set({ endedAt: now }).where(isMeant);
}
