import { settle } from '@/lib/server/runtime';
import { SESSION } from '@/lib/shared/session-contract';
import { isApiProblem } from '@/lib/shared/problem';
import { hasRecords, isRecordsOpen, withRecords } from '.';
import type { Records } from './engines';
import { writeInBackground } from './events';
import { endRevokedSessions, endSessionsOfCookies, findSession } from './sessions';
import { getStore } from '../store';

const getKey = (sid: string) => `ended-session:${sid}`;

/**
 * Records, for all processes, that a session was ended early (docs/adr/0004).
 * @param expiresAt expiry of the cookie itself, seconds since 1970
 */
export async function markEnded(sid: string, expiresAt: number): Promise<void> {
  const remaining = Math.ceil(expiresAt - Date.now() / 1000);
  if (remaining > 0) await getStore().set(getKey(sid), '1', Math.min(remaining, SESSION.length));
}

/** The same for all cookies of ended sessions. */
export async function markAllEnded(cookies: readonly { sid: string; expiresAt: Date }[]): Promise<void> {
  await Promise.all(cookies.map(({ sid, expiresAt }) => markEnded(sid, expiresAt.getTime() / 1000)));
}

/**
 * Ends the sessions of cookies in the records (`endSessionsOfCookies`), and marks all that they have.
 * @returns whether this has ended one; null when none was live
 */
export async function endAndMark(
  records: Records,
  ending: Parameters<typeof endSessionsOfCookies>[1],
): Promise<boolean | null> {
  const ended = await endSessionsOfCookies(records, ending);
  await markAllEnded(ended?.cookies ?? []);
  return ended?.isAny ?? null;
}

/**
 * Ends, in the background, the sessions that our server has revoked at the identity provider: their records, and with marks their cookies in
 * all processes, which otherwise notice within 20 s. Not in the process of a command, which has no database open.
 */
export function endRevokedInBackground(uid: string, validSince: Date): void {
  const at = new Date();
  if (isRecordsOpen())
    writeInBackground(async (records) =>
      markAllEnded(await endRevokedSessions(records, { uid, at, by: 'revoked', validSince })),
    );
}

/** Whether any of these sessions was ended before its expiry, by any process. @param sids as by `getSessionId` */
export function isAnyEnded(sids: readonly string[]): boolean | Promise<boolean> {
  return settle(
    () => getStore().hasAny(sids.map(getKey)),
    (known) => known ?? isEndedWithoutMarks(sids),
  );
}

/** Whether a process has marked any of these sessions; false when the marks cannot be read. Asks no database: for use within a transaction. */
export async function hasEndMark(sids: readonly string[]): Promise<boolean> {
  return (await getStore().hasAny(sids.map(getKey))) ?? false;
}

/** Lookups of a process at the same time; beyond them the marks of this process decide alone. */
const MAX_LOOKUPS = 20;
let lookups = 0;

/**
 * While the shared store is away, or a node of its cluster, the marks of other processes cannot be read: the records have what they
 * ended. Bounded, so that the database does not go away, too.
 */
async function isEndedWithoutMarks(sids: readonly string[]): Promise<boolean> {
  if (lookups >= MAX_LOOKUPS) return false;
  lookups += 1;
  try {
    return (await findEndInRecords(sids)).isEnded;
  } finally {
    lookups -= 1;
  }
}

/** How long a check waits for the records, in milliseconds. */
const RECORDS_TIMEOUT_MS = 1_000;

/**
 * `isLive`: the first one is recorded, and goes on; `isToldDisabled`: receivers were told that the account is disabled, and nothing has shown
 * since that it is not.
 */
type RecordedEnd = { isEnded: boolean; isLive: boolean; isToldDisabled: boolean };

/**
 * Whether the records say that any of these sessions was ended: the marks are lost with the store. While the database is away,
 * the marks decide alone (docs/adr/0004).
 */
export async function findEndInRecords(sids: readonly string[]): Promise<RecordedEnd> {
  const unknown = { isEnded: false, isLive: false, isToldDisabled: false };
  if (!hasRecords()) return unknown;
  try {
    const found = await withRecords((records) => findSession(records, sids, new Date()), RECORDS_TIMEOUT_MS);
    const { isLive = false, isToldDisabled = false } = found.own ?? {};
    return { isEnded: found.isEnded, isLive, isToldDisabled };
  } catch (error) {
    if (isApiProblem(error) && error.code === 'records-unavailable') return unknown;
    throw error;
  }
}

/** Whether any of these sessions was ended before its expiry, by the marks or by the records. */
export async function wasEnded(sids: readonly string[]): Promise<boolean> {
  const [isMarked, { isEnded }] = await Promise.all([isAnyEnded(sids), findEndInRecords(sids)]);
  return isMarked || isEnded;
}
