import { and, desc, eq, gte, isNotNull, isNull, or, sql } from 'drizzle-orm';
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
export async function readEmailChange(
  records: Records,
  { uid, id }: { uid: string; id: string },
): Promise<StoredEmailChange | null> {
  const ageMs = sql<number>`(extract(epoch from now() - ${emailChanges.requestedAt}) * 1000)::float8`;
  const isThis = and(eq(emailChanges.id, id), eq(emailChanges.uid, uid));
  const [row] = await records.query((tx) => tx.select({ row: emailChanges, ageMs }).from(emailChanges).where(isThis));
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

/** @returns the id of the earliest change since a request that took the email of that request from its account, or null */
export async function findChangeFrom(
  records: Records,
  { uid, from, requestedAt }: StoredEmailChange,
): Promise<string | null> {
  const isIt = and(
    eq(emailChanges.uid, uid),
    eq(emailChanges.kind, 'main'),
    eq(emailChanges.from, from),
    gte(emailChanges.requestedAt, requestedAt),
    isNotNull(emailChanges.doneAt),
    isNull(emailChanges.endedAt),
  );
  const { id, requestedAt: at } = emailChanges;
  const [row] = await records.query((tx) => tx.select({ id }).from(emailChanges).where(isIt).orderBy(at).limit(1));
  return row?.id ?? null;
}

/**
 * Ends a change and all later ones of its account, and the links of recovery emails. The end of a recovery email ends no
 * completed change, because its link restores the email of another mailbox.
 */
export async function endEmailChanges(tx: Tx, { id, kind, uid, requestedAt }: StoredEmailChange): Promise<void> {
  const isMeant = and(
    eq(emailChanges.uid, uid),
    isNull(emailChanges.endedAt),
    kind === 'main'
      ? or(eq(emailChanges.kind, 'recovery'), gte(emailChanges.requestedAt, requestedAt))
      : or(eq(emailChanges.id, id), and(isNull(emailChanges.doneAt), gte(emailChanges.requestedAt, requestedAt))),
  );
  await tx.update(emailChanges).set({ endedAt: now }).where(isMeant);
}
