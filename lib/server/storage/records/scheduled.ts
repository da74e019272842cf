import { and, count, eq, gt, isNull, lt, lte, sql, type InferSelectModel } from 'drizzle-orm';
import { isApiProblem } from '@/lib/shared/problem';
import { hashAccount, log } from '@/lib/server/runtime';
import { afterLease, drainDue, now, toStartOfLease } from './jobs';
import type { deletions, factorResets } from './schema';
import type { Records, Tx } from './engines';

// Changes of accounts that take effect at a set time. Any process can make them. All times are the database's, because
// the clocks of processes may differ and jump.

/** A change that is this many hours late counts as overdue. */
const OVERDUE_HOURS = 1;

/** Tables with the columns that these queries are about. */
type Schedule = typeof deletions | typeof factorResets;
type Row<T extends Schedule> = InferSelectModel<T> & { uid: string };

/** Condition: the row is this change of this account, and not a later change. */
export const isRow = (table: Schedule, { uid, id }: { uid: string; id: string }) =>
  and(eq(table.uid, uid), eq(table.id, id));

/** Both tables have these columns, but the query builder does not accept a union of tables. */
const toCommon = (table: Schedule) => table as typeof deletions;

/**
 * The effective time of a change after its last email, which states it. A late email would otherwise state a past time.
 * @param hours minimum number of hours from now
 */
export const notBefore = (table: Schedule, hours: number) =>
  sql`greatest(${toCommon(table).effectiveAt}, now() + make_interval(hours => ${hours}))`;

/** Reads an account's scheduled change. Null if there is none, or if it has another `id`. */
export async function readScheduled<T extends Schedule>(
  tx: Tx,
  table: T,
  uid: string,
  id?: string,
): Promise<Row<T> | null> {
  const common = toCommon(table);
  const [row] = await tx.select().from(common).where(eq(common.uid, uid)).limit(1);
  return row && (id === undefined || row.id === id) ? (row as Row<T>) : null;
}

/**
 * Removes a change that has not begun. @param id limits it to this change; by default it is the current change @returns
 * null if there was none
 */
export async function removeScheduled<T extends Schedule>(
  tx: Tx,
  table: T,
  { uid, id }: { uid: string; id?: string | undefined },
): Promise<Row<T> | null> {
  const common = toCommon(table);
  const matches = and(eq(common.uid, uid), isNull(common.startedAt), id === undefined ? undefined : eq(common.id, id));
  const [row] = await tx.delete(common).where(matches).returning();
  return row ? (row as Row<T>) : null;
}

/** Starts a change, which cannot be canceled from then on. @returns false if it was already canceled or done */
export async function startScheduled(
  tx: Tx,
  table: Schedule,
  row: { uid: string; id: string },
  more: Partial<InferSelectModel<typeof deletions>> = {},
): Promise<boolean> {
  const common = toCommon(table);
  const startedAt = sql`coalesce(${common.startedAt}, now())`;
  const started = await tx
    .update(common)
    .set({ ...more, startedAt })
    .where(isRow(table, row))
    .returning({ uid: common.uid });
  return started.length > 0;
}

/**
 * Advances every change that is due. A change that fails or is interrupted is retried when its lease ends.
 * @param advance performs the next step, given the current time
 * @param delayed log message for an outage of the identity provider
 * @throws RecordsError
 */
export async function advanceDue<T extends Schedule>(
  records: Records,
  table: T,
  { advance, delayed }: { advance: (row: Row<T>, now: Date) => Promise<void>; delayed: string },
): Promise<void> {
  const work = async ({ row, now }: { row: Row<T>; now: Date }) => {
    try {
      await advance(row, now);
    } catch (error) {
      if (!isApiProblem(error)) throw error;
      log().warn({ err: error, account: hashAccount(row.uid) }, delayed);
    }
  };
  await drainDue(() => claimDue(records, table), work);
}

/** Claims a due change for this process. @returns the change with the current time, or null if none is due */
function claimDue<T extends Schedule>(records: Records, table: T): Promise<{ row: Row<T>; now: Date } | null> {
  const common = toCommon(table);
  return records.query(async (tx) => {
    const next = tx
      .select({ uid: common.uid })
      .from(common)
      .where(lte(common.dueAt, now))
      .orderBy(common.dueAt)
      .limit(1)
      .for('update', { skipLocked: true });
    const [row] = await tx.update(common).set({ dueAt: afterLease }).where(eq(common.uid, next)).returning();
    return row ? { row: row as Row<T>, now: toStartOfLease(row) } : null;
  });
}

export type Pause = { dueAt: Date; corrects?: { effectiveAt?: Date; remindedAt?: null; warnedAt?: null } };

/**
 * Postpones a change. A change that became due again while a process worked on it stays due.
 * @param pause `dueAt`: when a process looks at the change next. `corrects`: other times to set
 * @param also writes further records in the transaction
 */
export async function postpone(
  records: Records,
  table: Schedule,
  row: { uid: string; id: string },
  { dueAt, corrects }: Pause,
  also: (tx: Tx) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const common = toCommon(table);
  await records.transact(async (tx) => {
    const isPaused = and(isRow(table, row), gt(common.dueAt, now));
    const paused = await tx
      .update(common)
      .set({ dueAt, ...corrects })
      .where(isPaused)
      .returning({ uid: common.uid });
    if (paused.length > 0) await also(tx);
  });
}

/** Counts the overdue changes. */
export function countOverdue(records: Records, table: Schedule): Promise<number> {
  return records.query(async (tx) => {
    const latest = sql`now() - make_interval(hours => ${OVERDUE_HOURS})`;
    const [row] = await tx.select({ overdue: count() }).from(toCommon(table)).where(lt(table.effectiveAt, latest));
    return row?.overdue ?? 0;
  });
}
