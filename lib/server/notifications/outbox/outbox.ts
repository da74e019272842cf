import { and, count, eq, inArray, isNull, lte, sql, type SQL } from 'drizzle-orm';
import { randomUUID } from 'node:crypto';
import {
  afterLease,
  afterSeconds,
  readLanguage,
  notices,
  WEBHOOK_KINDS,
  type Records,
  type Tx,
} from '@/lib/server/storage';
import { decideRetry } from './retry';
import { EMAIL_KINDS, type EmailKind } from './kinds';
import type { NewNotice, Notice, NoticeBody } from './types';

const isOpen = and(isNull(notices.sentAt), isNull(notices.failedAt));
const isDue = and(isOpen, lte(notices.dueAt, sql`now()`));
const isWebhook = inArray(notices.kind, [...WEBHOOK_KINDS]);

export const isEmail = and(isNull(notices.receiver), inArray(notices.kind, [...EMAIL_KINDS]));
/** @param receiver null for that of `WEBHOOK_URL` */
export const isForReceiver = (receiver: string | null) =>
  and(receiver === null ? isNull(notices.receiver) : eq(notices.receiver, receiver), isWebhook);

/**
 * Writes a notice in the transaction of what it announces: both are there, or neither. Of one account, kind and key there
 * is only one.
 */
export async function addNotice(tx: Tx, { uid, key, body }: NewNotice): Promise<void> {
  const at = sql`now()`;
  await tx
    .insert(notices)
    .values({ id: randomUUID(), uid, kind: body.email.kind, key, body, createdAt: at, dueAt: at })
    .onConflictDoNothing();
}

/** Deletes the emails to an account, sent or not. @param kinds all by default */
export async function deleteNotices(tx: Tx, uid: string, kinds: readonly EmailKind[] = EMAIL_KINDS): Promise<void> {
  await tx.delete(notices).where(and(eq(notices.uid, uid), inArray(notices.kind, [...kinds])));
}

/** The receivers of webhooks that are due; null for that of `WEBHOOK_URL`. */
export function listDueReceivers(records: Records): Promise<(string | null)[]> {
  return records.transact(async (tx) => {
    // Bounded: a row for each receiver that was configured.
    const due = await tx.selectDistinct({ receiver: notices.receiver }).from(notices).where(and(isDue, isWebhook));
    return due.map(({ receiver }) => receiver);
  });
}

/**
 * Takes the notice that has been due for longest, for this process alone.
 * @param which `isEmail`, or of a receiver
 * @returns null when none is due
 */
export function claimNotice(records: Records, which: SQL | undefined): Promise<Notice | null> {
  return records.transact(async (tx) => {
    // A scalar subquery is evaluated once; with `in`, the database may lock more rows than it returns.
    const next = tx
      .select({ id: notices.id })
      .from(notices)
      .where(and(isDue, which))
      .orderBy(notices.dueAt)
      .limit(1)
      .for('update', { skipLocked: true });
    const [row] = await tx
      .update(notices)
      .set({ dueAt: afterLease, attempts: sql`${notices.attempts} + 1` })
      .where(eq(notices.id, next))
      .returning();
    if (!row) return null;
    const { id, uid, receiver, attempts, createdAt } = row;
    const body = row.body as NoticeBody;
    const language = body.channel === 'email' ? await readLanguage(tx, uid) : null;
    return { id, uid, body, receiver, attempts, createdAt, language };
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
    const [row] = await tx.select({ due: count() }).from(notices).where(isDue);
    return row?.due ?? 0;
  });
}
