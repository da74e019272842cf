import { and, count, eq, isNull, lte, or, sql, type InferSelectModel, type SQL } from 'drizzle-orm';
import { processWide, Signal } from '@/lib/server/runtime';
import type { Records } from './engines';
import { jobs } from './schema';

// The queue (docs/adr/0047). All times are the database's, because the clocks of processes may differ and jump.

/**
 * How long a process may work on a row, in seconds. An email or a webhook takes less, with all its timeouts. After a
 * crash, another process takes the row when the lease has ended.
 */
const LEASE_SECONDS = 60;
/** A third of a lease, in milliseconds. If a renewal fails, there is time for the next. */
const LEASE_RENEWAL_MS = 20_000;
/** Concurrent jobs of a handler or receiver in a process. The pool of the mail server has five connections. */
const LANES = 4;
/** Before the second attempt, the third, and so on. The last delay repeats. */
const RETRY_DELAYS_SECONDS = [10, 60, 300, 900, 3_600] as const;
/** How long notices are retried. Mail servers are repaired on a Monday. */
export const GIVE_UP_AFTER_SECONDS = 3 * 86_400;

export const now = sql`now()`;
export const afterSeconds = (seconds: number) => sql`now() + make_interval(secs => ${seconds})`;
/** While the process that has just written a row works on it itself. */
export const afterLease = afterSeconds(LEASE_SECONDS);

/** Condition of `jobs`: the job is neither done nor given up. */
export const isOpen = and(isNull(jobs.sentAt), isNull(jobs.failedAt));
/** Condition of `jobs`: a process may take the job. */
export const isDue = and(isOpen, lte(jobs.dueAt, now));

/** A job that this process may work on until its lease ends. */
export type Job = InferSelectModel<typeof jobs> & {
  claimedAt: Date;
  /** Whether this process has just written it, and nothing has tried it before. */
  isFresh: boolean;
  /** Seconds until the next attempt if this one fails. Null if this one is the last. */
  nextDelay: number | null;
};

/**
 * What an error means for the next attempt. `code`: a kind of error or a status, never a message, which can contain an
 * address. `isPermanent`: another attempt would fail as well. `retryAfter`: seconds that replace the usual delay.
 * `isAway`: the receiver did not answer, so its other jobs wait for the next round.
 */
export type Failure = { code: string; isPermanent: boolean; retryAfter?: number | undefined; isAway?: boolean };

/** How a module carries out its jobs. */
export type JobHandler = {
  /** Condition of `jobs`: the jobs that this version can do. Jobs of a newer version are left to it. */
  isOwn: SQL | undefined;
  /** Condition of open `jobs`: the jobs that operators should see as waiting. */
  isWaiting: SQL | undefined;
  /** Name of the work, if each receiver has separate lanes. A receiver that hangs then delays no other. */
  byReceiver?: string;
  giveUpAfterSeconds: number;
  /** Which rows stay, without their content, until retention deletes them. */
  kept: 'done and failed' | 'failed' | 'none';
  /** Carries out a job. It may run again after an interruption. */
  work: (job: Job, records: Records) => Promise<void>;
  judge: (error: unknown) => Failure;
  /** Logs and counts an attempt. `failure`: null if it is done. */
  report: (job: Job, failure: (Failure & { error: unknown; isGivenUp: boolean }) | null) => void;
  /** Whether the jobs of a receiver are left alone in this round. */
  isSkipped?: (records: Records, receiver: string | null) => Promise<boolean>;
};

type Attempt = {
  /** Attempts so far, including this one. */
  attempts: number;
  /** Since the job was written. */
  ageSeconds: number;
};

/**
 * Decides when a job is retried if this attempt fails, in seconds. Null if this attempt is the last.
 * @param giveUpAfter since the job was written, in seconds
 */
export function decideRetry({ attempts, ageSeconds }: Attempt, giveUpAfter: number): number | null {
  const delay = RETRY_DELAYS_SECONDS[attempts - 1] ?? RETRY_DELAYS_SECONDS.at(-1) ?? 0;
  return ageSeconds + delay > giveUpAfter ? null : delay;
}

/**
 * Carries out all due jobs of a handler, each at least once. Other processes may do the same concurrently.
 * @param lanes number of concurrent jobs
 * @throws RecordsError. The last job then runs again when its lease ends
 */
export async function runJobs(records: Records, handler: JobHandler, lanes = LANES): Promise<void> {
  const { byReceiver, isOwn } = handler;
  if (byReceiver === undefined) {
    const next = () => claim(records, handler, and(isDue, isOwn));
    await drainDue(next, async (job) => void (await attempt(records, handler, job)), lanes);
    return;
  }
  const receivers: (string | null)[] = [];
  for (const receiver of await listDueReceivers(records, isOwn))
    if (!(await handler.isSkipped?.(records, receiver))) receivers.push(receiver);
  const ends = receivers.map((receiver) => drainReceiver(records, handler, { receiver, byReceiver, lanes }));
  for (const end of await Promise.allSettled(ends)) if (end.status === 'rejected') throw end.reason;
}

/** Carries out a job that this process has just written with a lease for itself. */
export async function runOwnJob(records: Records, handler: JobHandler, id: string): Promise<void> {
  const job = await claim(records, handler, and(eq(jobs.id, id), eq(jobs.attempts, 0)));
  // Null: this process was so busy that another one has taken it.
  if (job !== null) await attempt(records, handler, { ...job, isFresh: true });
}

/** Counts the waiting jobs that operators should know about. */
export function countWaiting(records: Records, handlers: readonly JobHandler[]): Promise<number> {
  return records.query(async (tx) => {
    const isWaiting = or(...handlers.map((handler) => handler.isWaiting));
    const [row] = await tx.select({ waiting: count() }).from(jobs).where(and(isOpen, isWaiting));
    return row?.waiting ?? 0;
  });
}

/**
 * Works on all due items until none is left.
 * @param claimNext claims the next item for this process. Null if there is none
 * @param lanes number of concurrent items
 * @throws the first error of a lane, when all lanes have ended
 */
export async function drainDue<T>(
  claimNext: () => Promise<T | null>,
  work: (item: T) => Promise<void>,
  lanes = 1,
): Promise<void> {
  const drain = async () => {
    for (let item = await claimNext(); item !== null; item = await claimNext()) await work(item);
  };
  const ends = await Promise.allSettled(Array.from({ length: lanes }, drain));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

/** Lists the receivers of due jobs. Their number is bounded by the configuration. */
function listDueReceivers(records: Records, isOwn: SQL | undefined): Promise<(string | null)[]> {
  return records.query(async (tx) => {
    const due = await tx.selectDistinct({ receiver: jobs.receiver }).from(jobs).where(and(isDue, isOwn));
    return due.map(({ receiver }) => receiver);
  });
}

/** Work that this process does at intervals, and at once after a write: of emails, and of webhooks and logout tokens. */
type Round = 'outbox' | 'receivers';
const rounds = () => processWide('rounds', () => ({ outbox: new Signal(), receivers: new Signal() }));

/** Does due work of this process without waiting for its next round. */
export function wantRound(round: Round): void {
  rounds()[round].set();
}

/** Waits until a round is wanted, or for so many milliseconds. */
export function waitForRound(round: Round, ms: number): Promise<void> {
  return rounds()[round].wait(ms);
}

/**
 * The receivers that this process sends to now, by database, because tests have several databases. Only the start of
 * the app runs jobs.
 */
const draining = new WeakMap<Records, Map<string, Promise<void>>>();

/**
 * Carries out the jobs of a receiver. Concurrent calls share one run. A receiver that is away is skipped until the next
 * call. A job that is written at the end of a run waits for the next call.
 */
function drainReceiver(
  records: Records,
  handler: JobHandler,
  { receiver, byReceiver, lanes }: { receiver: string | null; byReceiver: string; lanes: number },
): Promise<void> {
  const running = draining.get(records) ?? new Map<string, Promise<void>>();
  draining.set(records, running);
  const key = JSON.stringify([byReceiver, receiver]);
  const present = running.get(key);
  if (present) return present;
  const isOfReceiver = receiver === null ? isNull(jobs.receiver) : eq(jobs.receiver, receiver);
  let isAway = false;
  const end = drainDue(
    () => (isAway ? Promise.resolve(null) : claim(records, handler, and(isDue, handler.isOwn, isOfReceiver))),
    async (job) => void (isAway = (await attempt(records, handler, job)) || isAway),
    lanes,
  ).finally(() => running.delete(key));
  running.set(key, end);
  return end;
}

/** Claims the job that has been due longest, for this process until its lease ends. Counts the attempt. */
function claim(records: Records, { giveUpAfterSeconds }: JobHandler, which: SQL | undefined): Promise<Job | null> {
  return records.query(async (tx) => {
    // A scalar subquery is evaluated once. With `in`, the database may lock more rows than it returns.
    const next = tx
      .select({ id: jobs.id })
      .from(jobs)
      .where(which)
      .orderBy(jobs.dueAt)
      .limit(1)
      .for('update', { skipLocked: true });
    const attempts = sql`${jobs.attempts} + 1`;
    const [row] = await tx.update(jobs).set({ dueAt: afterLease, attempts }).where(eq(jobs.id, next)).returning();
    if (!row) return null;
    const claimedAt = toStartOfLease(row);
    const ageSeconds = (claimedAt.getTime() - row.createdAt.getTime()) / 1000;
    return { ...row, claimedAt, isFresh: false, nextDelay: decideRetry({ ...row, ageSeconds }, giveUpAfterSeconds) };
  });
}

/** Returns the time of a claim by the database's clock, without another query. @param row just claimed */
export function toStartOfLease({ dueAt }: { dueAt: Date }): Date {
  return new Date(dueAt.getTime() - LEASE_SECONDS * 1000);
}

/** Jobs that this process has done but not recorded yet. While the database is away, they must not run again. */
const done = () => processWide('jobs-done', () => new Set<string>());

/** @returns whether the receiver is away */
async function attempt(records: Records, handler: JobHandler, job: Job): Promise<boolean> {
  const { id } = job;
  try {
    if (!done().has(id)) await renewLease(records, job, () => handler.work(job, records));
  } catch (error) {
    const failure = handler.judge(error);
    const delay = failure.isPermanent ? null : (failure.retryAfter ?? job.nextDelay);
    handler.report(job, { ...failure, error, isGivenUp: delay === null });
    await (delay === null ? giveUp(records, handler, job, failure) : postpone(records, job, delay, failure));
    return failure.isAway ?? false;
  }
  done().add(id);
  await settle(records, handler, id);
  done().delete(id);
  handler.report(job, null);
  return false;
}

/** Runs work and renews its lease, because several attempts with all their timeouts take longer than a lease. */
async function renewLease(records: Records, job: Job, work: () => Promise<void>): Promise<void> {
  // While the database is away, no other process can claim the job either.
  const renew = () =>
    void records
      .query((tx) => tx.update(jobs).set({ dueAt: afterLease }).where(isOwnLease(job)))
      .catch(() => undefined);
  const renewal = setInterval(renew, LEASE_RENEWAL_MS);
  try {
    await work();
  } finally {
    clearInterval(renewal);
  }
}

/** Condition of `jobs`: no other process has taken the job since. */
const isOwnLease = ({ id, attempts }: Job) => and(eq(jobs.id, id), eq(jobs.attempts, attempts), isOpen);

/** Records that a job was done, and deletes its content. */
async function settle(records: Records, { kept }: JobHandler, id: string): Promise<void> {
  const isThis = eq(jobs.id, id);
  const outcome = { sentAt: now, body: null, payload: null, lastError: null };
  await records.query((tx) =>
    kept === 'done and failed' ? tx.update(jobs).set(outcome).where(isThis) : tx.delete(jobs).where(isThis),
  );
}

async function giveUp(records: Records, { kept }: JobHandler, job: Job, { code }: Failure): Promise<void> {
  const outcome = { failedAt: now, body: null, payload: null, lastError: code };
  await records.query((tx) =>
    kept === 'none' ? tx.delete(jobs).where(isOwnLease(job)) : tx.update(jobs).set(outcome).where(isOwnLease(job)),
  );
}

async function postpone(records: Records, job: Job, seconds: number, { code }: Failure): Promise<void> {
  const later = { dueAt: afterSeconds(seconds), lastError: code };
  await records.query((tx) => tx.update(jobs).set(later).where(isOwnLease(job)));
}

/**
 * Drops the open jobs of a receiver, once the oldest has waited for long enough.
 * @param isOwn condition of `jobs`: those of the handler
 * @returns how many
 */
export async function dropWaiting(
  records: Records,
  { isOwn, receiver, afterSeconds: seconds }: { isOwn: SQL | undefined; receiver: string; afterSeconds: number },
): Promise<number> {
  const isOfReceiver = and(isOpen, isOwn, eq(jobs.receiver, receiver));
  const oldest = sql`(select min(${jobs.createdAt}) from ${jobs} where ${isOfReceiver})`;
  const isOver = sql`${oldest} < ${afterSeconds(-seconds)}`;
  const dropped = await records.query((tx) =>
    tx.delete(jobs).where(and(isOfReceiver, isOver)).returning({ id: jobs.id }),
  );
  return dropped.length;
}
