import { and, eq, inArray, lt, notExists, sql } from 'drizzle-orm';
import { reportError } from '@/lib/shared/error-reporting/report';
import { getRetentionStart } from './events';
import { getRecords } from './index';
import { ADVISORY_LOCKS } from './migrations';
import { accounts, events } from './schema';
import type { Records, Tx } from './types';

const INTERVAL_MS = 24 * 60 * 60 * 1000;
/** Rows of one transaction: it must end within the statement time-out. */
const BATCH = 5_000;

/** Deletes expired records now and once a day, in whichever process comes first. */
export function scheduleRetention(): void {
  const run = () => {
    getRecords()
      .then((records) => deleteExpired(records, new Date()))
      .catch((error: unknown) => reportError(error, { during: 'deleting expired records' }));
  };
  run();
  setInterval(run, INTERVAL_MS).unref();
}

/**
 * Deletes events that are too old, and then accounts without any that have not been seen since.
 * @returns how many events; null when another process is doing it
 */
export async function deleteExpired(records: Records, now: Date, batch = BATCH): Promise<number | null> {
  let total = 0;
  for (;;) {
    const count = await records.transact((tx) => deleteBatch(tx, getRetentionStart(now), batch));
    if (count === null) return null;
    total += count;
    if (count < batch) return total;
  }
}

async function deleteBatch(tx: Tx, oldest: Date, batch: number): Promise<number | null> {
  const [lock] = await tx
    .select({ isOurs: sql<boolean>`pg_try_advisory_xact_lock(${ADVISORY_LOCKS.retention}::bigint)` })
    .from(sql`(select 1) as one`);
  if (!lock?.isOurs) return null;
  const expired = tx.select({ id: events.id }).from(events).where(lt(events.at, oldest)).limit(batch);
  const deleted = await tx.delete(events).where(inArray(events.id, expired)).returning({ id: events.id });
  const left = tx.select({ id: events.id }).from(events).where(eq(events.uid, accounts.uid));
  if (deleted.length < batch) await tx.delete(accounts).where(and(lt(accounts.seenAt, oldest), notExists(left)));
  return deleted.length;
}
