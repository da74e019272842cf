import { and, count, eq, gt, isNull, lt, lte, sql, type InferSelectModel, type SQL } from 'drizzle-orm';
import { isApiProblem } from '@/lib/shared/problem';
import { hashAccount, log, processWide } from '@/lib/server/runtime';
import type { deletions, factorResets, notices, oidcLogouts, requestedEmails } from './schema';
import type { Records, Tx } from './engines';

// Changes of accounts that come at a set time, done by whichever process is first. All times are those of the database: the clocks of
// processes may differ, and jump.

/**
 * Until when a process may work on a row, in seconds: longer than its calls to the identity provider together, and than an email or a
 * webhook with all its time-outs. After a crash, another process takes it when the lease has ended.
 */
const LEASE_SECONDS = 60;
/** How late a change is a problem. */
const OVERDUE_HOURS = 1;

/** Tables with the columns that these queries are about. */
type Schedule = typeof deletions | typeof factorResets;
type Row<T extends Schedule> = InferSelectModel<T> & { uid: string };

export const now = sql`now()`;
export const afterSeconds = (seconds: number) => sql`now() + make_interval(secs => ${seconds})`;
/** While the process that has just written a row works on it itself. */
export const afterLease = afterSeconds(LEASE_SECONDS);

/** The conditions of one change of one account: not of a later one. */
export const isRow = (table: Schedule, { uid, id }: { uid: string; id: string }) =>
  and(eq(table.uid, uid), eq(table.id, id));

/** They have these columns in common; a union of tables is not one to the query builder. */
const toCommon = (table: Schedule) => table as typeof deletions;

/** When a change comes whose owner is told once more: an email that is late would speak of the past. @param hours from now, at least */
export const notBefore = (table: Schedule, hours: number) =>
  sql`greatest(${toCommon(table).effectiveAt}, now() + make_interval(hours => ${hours}))`;

/** The change of an account that is scheduled; null when there is none, or its own `id` is another one. */
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

/** Removes a change that has not begun. @param id only this one; without it, the present one. @returns null when there was none */
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

/** From here on it cannot be canceled. @returns false if it was canceled, or done, before */
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
 * Advances every change that needs something done. One that fails or is interrupted is tried again when its lease ends.
 * @param advance does the next step; given the present time
 * @param delayed what the log says when the identity provider is away
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

/**
 * Works on all that is due, until nothing is left.
 * @param claim takes the next one, for this process alone; null when there is none
 * @param lanes how many are worked on at the same time
 * @throws what a lane has thrown, when all have ended
 */
export async function drainDue<T>(
  claim: () => Promise<T | null>,
  work: (item: T) => Promise<void>,
  lanes = 1,
): Promise<void> {
  const drain = async () => {
    for (let item = await claim(); item !== null; item = await claim()) await work(item);
  };
  const ends = await Promise.allSettled(Array.from({ length: lanes }, drain));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

type Sender<T, Item> = {
  claim: (target: T) => Promise<Item | null>;
  send: (item: Item) => Promise<boolean>;
  lanes: number;
};

/** By database, which tests have several of. */
const draining = () => processWide('draining', () => new WeakMap<Records, Map<string, Promise<void>>>());

/**
 * Sends what is due for each target at the same time, so that one which hangs delays no other, and is left alone until the next call; to one
 * target once at a time, however often this is called. What is written in the moment in which a target is done waits for the next call.
 * @param name of the work
 * @param send returns whether the target is away
 */
export async function drainByTarget<T extends string | null, Item>(
  records: Records,
  name: string,
  targets: readonly T[],
  { claim, send, lanes }: Sender<T, Item>,
): Promise<void> {
  const drain = async (target: T) => {
    let isAway = false;
    await drainDue(
      () => (isAway ? Promise.resolve(null) : claim(target)),
      async (item) => void (isAway = (await send(item)) || isAway),
      lanes,
    );
  };
  const running = draining().get(records) ?? new Map<string, Promise<void>>();
  draining().set(records, running);
  const ends = targets.map((target) => {
    const key = JSON.stringify([name, target]);
    const present = running.get(key);
    if (present) return present;
    const end = drain(target).finally(() => running.delete(key));
    running.set(key, end);
    return end;
  });
  for (const end of await Promise.allSettled(ends)) if (end.status === 'rejected') throw end.reason;
}

/** Takes a change that needs something done, for this process alone. @returns it with the present time; null if none */
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

/** Tables of what is sent, and sent again until it is received. */
type Queue = typeof notices | typeof oidcLogouts | typeof requestedEmails;

/**
 * Takes the row of a queue that has been due for longest, for this process alone until its lease ends, and counts the attempt.
 * @param which rows; null when there is none
 */
export async function claimNext<T extends Queue>(
  tx: Tx,
  table: T,
  which: SQL | undefined,
): Promise<{ row: InferSelectModel<T>; now: Date } | null> {
  const common = table as typeof requestedEmails;
  // A scalar subquery is evaluated once; with `in`, the database may lock more rows than it returns.
  const next = tx
    .select({ id: common.id })
    .from(common)
    .where(which)
    .orderBy(common.dueAt)
    .limit(1)
    .for('update', { skipLocked: true });
  const attempts = sql`${common.attempts} + 1`;
  const [row] = await tx.update(common).set({ dueAt: afterLease, attempts }).where(eq(common.id, next)).returning();
  return row ? { row: row as InferSelectModel<T>, now: toStartOfLease(row) } : null;
}

/** The present time: there is no need for another query, nor for the process's own clock. @param row just claimed */
function toStartOfLease({ dueAt }: { dueAt: Date }): Date {
  return new Date(dueAt.getTime() - LEASE_SECONDS * 1000);
}

export type Pause = { dueAt: Date; corrects?: { effectiveAt?: Date; remindedAt?: null; warnedAt?: null } };

/**
 * One that has become due again while it was looked at stays due.
 * @param pause `dueAt`: when a process looks at the change next; `corrects`: other times of it
 * @param also what is written with it
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

/** How many changes should have been made some time ago. */
export function countOverdue(records: Records, table: Schedule): Promise<number> {
  return records.query(async (tx) => {
    const latest = sql`now() - make_interval(hours => ${OVERDUE_HOURS})`;
    const [row] = await tx.select({ overdue: count() }).from(toCommon(table)).where(lt(table.effectiveAt, latest));
    return row?.overdue ?? 0;
  });
}
