import { and, count, eq, inArray, isNull, lte, sql } from 'drizzle-orm';
import { randomUUID } from 'node:crypto';
import { afterLease, afterSeconds, readLanguage, notices, type Records, type Tx } from '@/lib/server/storage';
import { decideRetry } from './retry';
import { NOTICE_KINDS, type NoticeKind } from './kinds';
import { getNoticeKind, type NewNotice, type Notice, type NoticeBody } from './types';

const isOpen = and(isNull(notices.sentAt), isNull(notices.failedAt));

/**
 * Writes a notice in the transaction of what it announces: both are there, or neither. Of one account, kind and key there
 * is only one.
 */
export async function addNotice(tx: Tx, { uid, key, body }: NewNotice): Promise<void> {
  const at = sql`now()`;
  await tx
    .insert(notices)
    .values({ id: randomUUID(), uid, kind: getNoticeKind(body), key, body, createdAt: at, dueAt: at })
    .onConflictDoNothing();
}

/** Deletes the notices of an account, sent or not. @param kinds all by default */
export async function deleteNotices(tx: Tx, uid: string, kinds: readonly NoticeKind[] = NOTICE_KINDS): Promise<void> {
  await tx.delete(notices).where(and(eq(notices.uid, uid), inArray(notices.kind, [...kinds])));
}

/** Takes the notice that has been due for longest, for this process alone. @returns null when none is due */
export function claimNotice(records: Records): Promise<Notice | null> {
  return records.transact(async (tx) => {
    // A scalar subquery is evaluated once; with `in`, the database may lock more rows than it returns.
    const next = tx
      .select({ id: notices.id })
      .from(notices)
      .where(and(isOpen, lte(notices.dueAt, sql`now()`), inArray(notices.kind, [...NOTICE_KINDS])))
      .orderBy(notices.dueAt)
      .limit(1)
      .for('update', { skipLocked: true });
    const [row] = await tx
      .update(notices)
      .set({ dueAt: afterLease, attempts: sql`${notices.attempts} + 1` })
      .where(eq(notices.id, next))
      .returning();
    if (!row) return null;
    const { id, uid, kind, body, attempts, createdAt } = row;
    const language = await readLanguage(tx, uid);
    return { id, uid, kind: kind as NoticeKind, body: body as NoticeBody, attempts, createdAt, language };
  });
}

/** Records that a notice was sent, and forgets to whom. */
export async function settleNotice(records: Records, { id }: Notice): Promise<void> {
  await records.transact((tx) =>
    tx
      .update(notices)
      .set({ sentAt: sql`now()`, body: null, lastError: null })
      .where(eq(notices.id, id)),
  );
}

/**
 * Records a failed attempt.
 * @param failure `code` without data; `isPermanent`: trying again is no use
 * @returns whether the notice was given up
 */
export function failNotice(
  records: Records,
  { id, attempts }: Notice,
  { code, isPermanent }: { code: string; isPermanent: boolean },
): Promise<boolean> {
  return records.transact(async (tx) => {
    const own = and(eq(notices.id, id), eq(notices.attempts, attempts), isOpen);
    const ageSeconds = sql<number>`extract(epoch from now() - ${notices.createdAt})::float8`;
    const [row] = await tx.select({ ageSeconds }).from(notices).where(own).for('update');
    // Its lease has ended, and another process has taken it.
    if (!row) return false;
    const delay = decideRetry({ attempts, ageSeconds: row.ageSeconds, isPermanent });
    const outcome = delay === null ? { failedAt: sql`now()`, body: null } : { dueAt: afterSeconds(delay) };
    await tx
      .update(notices)
      .set({ ...outcome, lastError: code })
      .where(own);
    return delay === null;
  });
}

/** How many notices wait for a process to send them. */
export function countDueNotices(records: Records): Promise<number> {
  return records.transact(async (tx) => {
    const [row] = await tx
      .select({ due: count() })
      .from(notices)
      .where(and(isOpen, lte(notices.dueAt, sql`now()`)));
    return row?.due ?? 0;
  });
}
