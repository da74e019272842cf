import { and, eq, inArray, isNotNull, isNull, lt, notExists, or, sql, type SQL } from 'drizzle-orm';
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core';
import { reportError } from '@/lib/shared/error-reporting/report';
import { getRetentionStart } from './events';
import { isRecordsError } from './errors';
import { getRecords } from '.';
import { ADVISORY_LOCKS, type Records, type Tx } from './engines';
import { EMAIL_CHANGE_DAYS } from './email-changes';
import { SENT_EMAIL_DAYS } from './sent-emails';
import {
  accountLocks,
  oidcArtifacts,
  accounts,
  deletions,
  devices,
  events,
  jobs,
  passkeys,
  sentEmails,
  sessions,
  usedChallenges,
  authenticatorApps,
  emailChanges,
  factorResets,
  pendingSignIns,
  recoveryEmails,
} from './schema';

const INTERVAL_MS = 24 * 60 * 60 * 1000;
/** Delay before the next attempt while the database is away, in milliseconds. */
const RETRY_MS = 60_000;
/** SQLSTATE `query_canceled`: the statement took too long. */
const TIME_OUT = '57014';
/** Maximum rows of a transaction, so that it ends within the statement timeout. */
const BATCH = 5_000;

/** Deletes expired records now and once a day, in whichever process comes first. */
export function scheduleRetention(): void {
  scheduleOnRecords((records) => deleteExpired(records, new Date()), INTERVAL_MS, 'deleting expired records');
}

/**
 * Runs work in the database now and regularly.
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
        // Regular work logs an outage once (lib/server/launch). A slow statement is no outage.
        if (isRecordsError(error) && error.isAway && error.code !== TIME_OUT) setTimeout(run, RETRY_MS).unref();
        else reportError(error, { during });
      });
  };
  run();
  setInterval(run, intervalMs).unref();
}

/** Days for which sent notices are kept. Operators can see which were sent and which failed. */
const NOTICE_DAYS = 30;
/** Milliseconds for which expired sessions are kept. It is never less than the lifetime of their cookies. */
const EXPIRED_SESSION_MS = 30 * 24 * 60 * 60 * 1000;

/** Rows to delete, by key, oldest first. Without this order, each batch may read the table from its beginning. */
type Expired = { key: AnyPgColumn; age: AnyPgColumn; which: (tx: Tx) => SQL | undefined };

/** Lists the tables in order: events before accounts, and sessions before devices. */
function listExpired(now: Date): Expired[] {
  const oldest = getRetentionStart(now);
  const noticesUntil = sql`now() - make_interval(days => ${NOTICE_DAYS})`;
  const isClosed = lt(sql`coalesce(${jobs.sentAt}, ${jobs.failedAt})`, noticesUntil);
  // Keep a row for another day if its owner has not been told yet.
  const isDone = or(
    isNull(pendingSignIns.brand),
    isNotNull(pendingSignIns.passedAt),
    lt(pendingSignIns.expiresAt, new Date(now.getTime() - INTERVAL_MS)),
  );
  const hasNone = (tx: Tx, table: PgTable & { uid: AnyPgColumn }, which?: SQL) => {
    const rows = tx
      .select({ uid: table.uid })
      .from(table)
      .where(and(eq(table.uid, accounts.uid), which));
    return notExists(rows);
  };
  return [
    {
      key: jobs.id,
      age: jobs.createdAt,
      // A job for a receiver that no longer exists is never sent.
      which: () => and(lt(jobs.createdAt, noticesUntil), or(isClosed, isNotNull(jobs.receiver))),
    },
    {
      key: pendingSignIns.digest,
      age: pendingSignIns.expiresAt,
      which: () => and(lt(pendingSignIns.expiresAt, now), isDone),
    },
    {
      key: sentEmails.id,
      age: sentEmails.at,
      which: () => lt(sentEmails.at, sql`now() - make_interval(days => ${SENT_EMAIL_DAYS})`),
    },
    { key: accountLocks.subject, age: accountLocks.expiresAt, which: () => lt(accountLocks.expiresAt, now) },
    { key: usedChallenges.challenge, age: usedChallenges.expiresAt, which: () => lt(usedChallenges.expiresAt, now) },
    // The OpenID Provider deletes these every ten minutes (lib/server/oidc/adapter.ts). They remain if it was turned off.
    { key: oidcArtifacts.idDigest, age: oidcArtifacts.expiresAt, which: () => lt(oidcArtifacts.expiresAt, now) },
    {
      key: emailChanges.id,
      age: emailChanges.requestedAt,
      which: () => lt(emailChanges.requestedAt, sql`now() - make_interval(days => ${EMAIL_CHANGE_DAYS})`),
    },
    { key: events.id, age: events.at, which: () => lt(events.at, oldest) },
    {
      key: sessions.id,
      age: sessions.expiresAt,
      which: () => lt(sessions.expiresAt, new Date(now.getTime() - EXPIRED_SESSION_MS)),
    },
    {
      key: devices.id,
      age: devices.lastSeenAt,
      which: (tx) => {
        const used = tx.select({ id: sessions.id }).from(sessions).where(eq(sessions.deviceId, devices.id));
        return and(lt(devices.lastSeenAt, oldest), notExists(used));
      },
    },
    {
      key: accounts.uid,
      age: accounts.seenAt,
      which: (tx) =>
        and(
          lt(accounts.seenAt, oldest),
          isNull(accounts.secondFactorSince),
          ...[events, passkeys, factorResets, deletions, recoveryEmails].map((table) => hasNone(tx, table)),
          // An app whose setup was not completed does not keep the account.
          hasNone(tx, authenticatorApps, isNotNull(authenticatorApps.confirmedAt)),
        ),
    },
  ];
}

/**
 * Deletes old notices, records of emails and events, expired sessions, and devices without them. It then deletes
 * accounts that have no events, passkeys, second factor, recovery email or scheduled change.
 * @returns the number of deleted events, 0 if another process deletes
 * @throws RecordsError the first failure, after all other work was done
 */
export async function deleteExpired(records: Records, now: Date, batch = BATCH): Promise<number> {
  let total = 0;
  const failures: unknown[] = [];
  let isOurs = true;
  for (const expired of listExpired(now)) {
    for (let count = batch; isOurs && count >= batch;) {
      const deleted = await records
        .transact((tx) => deleteBatch(tx, expired, batch))
        .catch((error: unknown) => void failures.push(error));
      // The process with the lock continues to the end. It does not know about failures in this process.
      isOurs = deleted !== null;
      count = deleted ?? 0;
      if (expired.key === events.id) total += count;
    }
  }
  if (failures.length > 0) throw failures[0];
  return total;
}

/** @returns the number of deleted rows, or null if another process deletes */
async function deleteBatch(tx: Tx, { key, age, which }: Expired, batch: number): Promise<number | null> {
  const [lock] = await tx
    .select({ isOurs: sql<boolean>`pg_try_advisory_xact_lock(${ADVISORY_LOCKS.retention}::bigint)` })
    .from(sql`(select 1) as one`);
  if (!lock?.isOurs) return null;
  const table = key.table;
  const old = tx.select({ key }).from(table).where(which(tx)).orderBy(age).limit(batch);
  // A single column does not identify a row if the key has several columns.
  const deleted = await tx
    .delete(table)
    .where(and(inArray(key, old), which(tx)))
    .returning({ key });
  return deleted.length;
}
