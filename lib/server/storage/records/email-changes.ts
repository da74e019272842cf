import { and, desc, eq, gte, isNotNull, isNull, or, sql, type SQL } from 'drizzle-orm';
import { emailChanges } from './schema';
import type { Records, Tx } from './engines';
import { now } from './jobs';

// Queries about changes of an account's email. lib/server/policy/email-change.ts decides what is allowed.

/** Days that a change is kept, a day longer than its links (`EMAIL_UNDO_MS`). */
export const EMAIL_CHANGE_DAYS = 8;

export type StoredEmailChange = typeof emailChanges.$inferSelect & { ageMs: number };

/** Writes a request, which replaces an open one of its account. Call it within `writeAboutAccount`. */
export async function insertEmailChange(
  tx: Tx,
  change: { id: string; uid: string; kind: 'main' | 'recovery'; from: string; to: string },
): Promise<void> {
  const isWaiting = and(eq(emailChanges.uid, change.uid), isNull(emailChanges.doneAt), isNull(emailChanges.endedAt));
  await tx.update(emailChanges).set({ endedAt: now }).where(isWaiting);
  await tx.insert(emailChanges).values({ ...change, requestedAt: now });
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
export async function markEmailChange(tx: Tx, id: string, isDone: boolean): Promise<void> {
  const doneAt = isDone ? now : null;
  await tx.update(emailChanges).set({ doneAt }).where(eq(emailChanges.id, id));
}

/**
 * Ends a change that its former mailbox has undone. After a restoration, all later changes end, and the links of recovery
 * emails. The end of a recovery email ends no completed change, because its link restores the email of another mailbox.
 * The end of a change that waited ends no other link: an intruder may have added a recovery email before it.
 */
export async function endEmailChanges(tx: Tx, change: StoredEmailChange): Promise<void> {
  const { id, kind, uid, requestedAt, doneAt } = change;
  const isIt = eq(emailChanges.id, id);
  const isLater = gte(emailChanges.requestedAt, requestedAt);
  const ofMain = doneAt === null ? isIt : or(eq(emailChanges.kind, 'recovery'), isLater);
  const which = kind === 'main' ? ofMain : or(isIt, and(isNull(emailChanges.doneAt), isLater));
  const isMeant = and(eq(emailChanges.uid, uid), isNull(emailChanges.endedAt), which);
  await tx.update(emailChanges).set({ endedAt: now }).where(isMeant);
}

/** Ends all changes of an account, so that none of its former mailboxes undoes one. */
export async function endAllEmailChanges(tx: Tx, uid: string): Promise<void> {
  const isOpen = and(eq(emailChanges.uid, uid), isNull(emailChanges.endedAt));
  await tx.update(emailChanges).set({ endedAt: now }).where(isOpen);
}
