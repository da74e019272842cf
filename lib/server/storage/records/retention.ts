import { and, eq, inArray, isNotNull, isNull, lt, notExists, or, sql } from 'drizzle-orm';
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core';
import { reportError } from '@/lib/shared/error-reporting/report';
import { getRetentionStart } from './events';
import { isRecordsError } from './errors';
import { getRecords } from '.';
import { ADVISORY_LOCKS, type Records, type Tx } from './engines';
import {
  oidcArtifacts,
  oidcLogouts,
  accounts,
  devices,
  events,
  notices,
  passkeys,
  sessions,
  usedChallenges,
  authenticatorApps,
  factorResets,
  pendingSignIns,
} from './schema';

const INTERVAL_MS = 24 * 60 * 60 * 1000;
/** Until the next try while the database is away, in milliseconds. */
const RETRY_MS = 60_000;
/** Rows of one transaction: it must end within the statement time-out. */
const BATCH = 5_000;

/** Deletes expired records now and once a day, in whichever process comes first. */
export function scheduleRetention(): void {
  scheduleOnRecords((records) => deleteExpired(records, new Date()), INTERVAL_MS, 'deleting expired records');
}

/**
 * Does work in the database now and regularly.
 * @param during the work, in a report of its failure
 */
export function scheduleOnRecords(
  work: (records: Records) => Promise<unknown>,
  intervalMs: number,
  during: string,
): void {
  const run = () => {
    getRecords()
      .then(work)
      .catch((error: unknown) => {
        // The outage itself is logged once, by the work that asks regularly (lib/server/launch).
        if (isRecordsError(error) && error.isAway) setTimeout(run, RETRY_MS).unref();
        else reportError(error, { during });
      });
  };
  run();
  setInterval(run, intervalMs).unref();
}

/** Sent notices are kept for this long: operators find what was sent, and which failed. */
const NOTICE_DAYS = 30;

/**
 * Deletes notices and events that are too old, sessions that have expired and devices not seen since, and then accounts
 * without events, passkeys, second factor and reset of it that have not been seen since.
 * @returns how many events; none while another process is doing it
 */
export async function deleteExpired(records: Records, now: Date, batch = BATCH): Promise<number> {
  let total = 0;
  for (;;) {
    const count = await records.transact((tx) => deleteBatch(tx, now, batch));
    total += count;
    if (count < batch) return total;
  }
}

async function deleteBatch(tx: Tx, now: Date, batch: number): Promise<number> {
  const oldest = getRetentionStart(now);
  const [lock] = await tx
    .select({ isOurs: sql<boolean>`pg_try_advisory_xact_lock(${ADVISORY_LOCKS.retention}::bigint)` })
    .from(sql`(select 1) as one`);
  // The process that has it goes on to the end.
  if (!lock?.isOurs) return 0;
  const closedAt = sql`coalesce(${notices.sentAt}, ${notices.failedAt})`;
  const noticesUntil = sql`now() - make_interval(days => ${NOTICE_DAYS})`;
  // One for a receiver that is gone is never sent.
  const isOld = or(lt(closedAt, noticesUntil), and(isNotNull(notices.receiver), lt(notices.createdAt, noticesUntil)));
  await tx.delete(notices).where(isOld);
  // One whose owner is not told of it yet waits a day longer.
  const isDone = or(
    isNull(pendingSignIns.brand),
    isNotNull(pendingSignIns.passedAt),
    lt(pendingSignIns.expiresAt, new Date(now.getTime() - INTERVAL_MS)),
  );
  await tx.delete(pendingSignIns).where(and(lt(pendingSignIns.expiresAt, now), isDone));
  await tx.delete(usedChallenges).where(lt(usedChallenges.expiresAt, now));
  // Each hour where they are used (lib/server/oidc/adapter.ts); these are left where that was turned off.
  await tx.delete(oidcArtifacts).where(lt(oidcArtifacts.expiresAt, now));
  await tx.delete(oidcLogouts).where(lt(oidcLogouts.createdAt, sql`now() - make_interval(days => ${NOTICE_DAYS})`));
  // In the order of its index: otherwise the planner may read the table from its beginning again for each batch.
  const expired = tx
    .select({ id: events.id })
    .from(events)
    .where(lt(events.at, oldest))
    .orderBy(events.at)
    .limit(batch);
  const deleted = await tx.delete(events).where(inArray(events.id, expired)).returning({ id: events.id });
  if (deleted.length < batch) await deleteSessions(tx, oldest, now, batch);
  const hasNone = (table: PgTable & { uid: AnyPgColumn }) => {
    const rows = tx.select({ uid: table.uid }).from(table).where(eq(table.uid, accounts.uid));
    return notExists(rows);
  };
  const hasNothing = [events, passkeys, authenticatorApps, factorResets].map(hasNone);
  const isForgotten = and(lt(accounts.seenAt, oldest), isNull(accounts.secondFactorSince), ...hasNothing);
  if (deleted.length < batch) await tx.delete(accounts).where(isForgotten);
  return deleted.length;
}

/** Rows of expired sessions are kept for this long, in milliseconds; never less than their cookies are valid. */
const EXPIRED_SESSION_MS = 30 * 24 * 60 * 60 * 1000;

async function deleteSessions(tx: Tx, oldest: Date, now: Date, batch: number): Promise<void> {
  const expiredBefore = new Date(now.getTime() - EXPIRED_SESSION_MS);
  const expired = tx
    .select({ id: sessions.id })
    .from(sessions)
    .where(lt(sessions.expiresAt, expiredBefore))
    .orderBy(sessions.expiresAt)
    .limit(batch);
  await tx.delete(sessions).where(inArray(sessions.id, expired));
  const used = tx.select({ id: sessions.id }).from(sessions).where(eq(sessions.deviceId, devices.id));
  const unused = and(lt(devices.lastSeenAt, oldest), notExists(used));
  const gone = tx.select({ id: devices.id }).from(devices).where(unused).limit(batch);
  await tx.delete(devices).where(inArray(devices.id, gone));
}
