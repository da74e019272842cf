import { SESSION } from '@/lib/shared/session-contract';
import { isApiProblem } from '@/lib/shared/problem';
import { hasRecords, withRecords } from '.';
import { findSession } from './sessions';
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

/** Whether a session was ended before its expiry, by any process. @param sid as by `getSessionId` */
export function isEnded(sid: string): Promise<boolean> {
  return isAnyEnded([sid]);
}

/** Whether any of these sessions was ended before its expiry. */
export async function isAnyEnded(sids: readonly string[]): Promise<boolean> {
  return (await getStore().hasAny(sids.map(getKey))) ?? isEndedWithoutMarks(sids);
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
    return await isEndedInRecords(sids);
  } finally {
    lookups -= 1;
  }
}

/** How long a check waits for the records, in milliseconds. */
const RECORDS_TIMEOUT_MS = 1_000;

/**
 * Whether the records say that any of these sessions was ended: the marks are lost with the store. While the database is away,
 * the marks decide alone (docs/adr/0004).
 */
export async function isEndedInRecords(sids: readonly string[]): Promise<boolean> {
  if (!hasRecords()) return false;
  try {
    const found = await withRecords((records) => findSession(records, sids, new Date()), RECORDS_TIMEOUT_MS);
    return found.isEnded;
  } catch (error) {
    if (isApiProblem(error) && error.code === 'records-unavailable') return false;
    throw error;
  }
}

/** Whether any of these sessions was ended before its expiry, by the marks or by the records. */
export async function wasEnded(sids: readonly string[]): Promise<boolean> {
  return (await Promise.all([isAnyEnded(sids), isEndedInRecords(sids)])).includes(true);
}
