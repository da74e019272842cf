import { eq, sql } from 'drizzle-orm';
import { ApiProblem, isApiProblem } from '@/lib/shared/problem';
import type { RequestWithCookies } from '@/lib/server/http';
import { findById } from '@/lib/server/identity';
import type { StoredAccount } from '@/lib/server/policy';
import { RECORDS_TIMEOUT_MS, findSession, sessions, transactInTime, withRecords } from '@/lib/server/storage';
import { leaveSessions, toRefusedAccount } from './leave-sessions';
import { getSessionCookie, requireSessionNow, type LiveSession } from './require-session';
import type { SignIn } from './types';

/** `id`, in the records: not the `sid`, which scripts can read. `signIn`: how its user signed in. */
export type RecordedSession = { id: string; session: LiveSession; signIn: SignIn };

/**
 * The session of a request as it is now, with its record.
 * @returns null without a live session
 * @throws ApiProblem 503 when that cannot be decided, and for a session without a record
 */
export async function readRecordedSession(req: RequestWithCookies): Promise<RecordedSession | null> {
  if (getSessionCookie(req) === null) return null;
  try {
    const session = await requireSessionNow(req);
    const { own, isEnded } = await withRecords(
      (records) => findSession(records, [session.sid], new Date()),
      RECORDS_TIMEOUT_MS,
    );
    if (isEnded) return null;
    if (!own?.isLive || session.signIn === null) throw new ApiProblem('records-unavailable', { retryAfter: 5 });
    return { id: own.id, session, signIn: session.signIn };
  } catch (error) {
    if (isApiProblem(error) && error.status === 401) return null;
    throw error;
  }
}

/**
 * The account of a live session, asked for without its cookie.
 * @param id of the session in the records
 * @returns null when the session has ended, or its account may no longer be signed in: disabled, deleted, revoked, or with another email
 * @throws ApiProblem 503
 */
export async function findAccountOfSession(id: string): Promise<StoredAccount | null> {
  const row = await transactInTime(async (tx) => {
    const since = sql<number>`extract(epoch from greatest(${sessions.authenticatedAt}, ${sessions.openedAt}))::float8`;
    const isLive = sql<boolean>`${sessions.endedAt} is null and ${sessions.expiresAt} > now()`;
    const [found] = await tx.select({ uid: sessions.uid, since, isLive }).from(sessions).where(eq(sessions.id, id));
    return found;
  });
  if (!row?.isLive) return null;
  const account = await findById(row.uid);
  const isAllowed = account !== null && !account.facts.disabled && row.since >= account.facts.validSince;
  if (isAllowed) return account.user;
  // Disabled, revoked or deleted elsewhere: all are told by the first client that asks.
  const refused = account && toRefusedAccount(account.user, { renewedAt: null, authenticatedAt: row.since });
  await withRecords((records) => leaveSessions(records, row.uid, refused, () => Promise.resolve([id])));
  return null;
}
