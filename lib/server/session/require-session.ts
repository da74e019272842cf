import { ApiProblem, isApiProblem } from '@/lib/shared/problem';
import { env, describeClient } from '@/lib/server/runtime';
import { cookieTable } from '@/lib/shared/cookie-table';
import type { RequestWithCookies } from '@/lib/server/http';
import { recordEvent } from '@/lib/server/storage';
import { changeAccountWithSessions } from '@/lib/server/identity';
import { createFirebaseBackend } from './firebase';
import type { LiveSession, SessionBackend } from './types';
import { createUpstreamBackend } from './upstream';
import { recordUse } from './record-use';

export type { LiveSession } from './types';

/** The configured backend. */
export function getSessionBackend(): SessionBackend {
  const { SESSION_BACKEND, UPSTREAM_IDENTITY_URL: url, NEXT_PUBLIC_MAIN_DOMAIN: mainDomain } = env();
  return SESSION_BACKEND === 'upstream' && url ? createUpstreamBackend({ url, mainDomain }) : createFirebaseBackend();
}

/** The session cookie of a request; null when there is none. */
export function getSessionCookie(req: RequestWithCookies): string | null {
  return req.cookies[cookieTable.session.name] || null;
}

/**
 * The live session of a request, for API routes and pages.
 * @throws ApiProblem 401 (`session-required` and others), 503 when that cannot be decided
 */
export function requireSession(req: RequestWithCookies): Promise<LiveSession> {
  return checkSession(req, false);
}

/**
 * The same for a change of the account: a session that was revoked in another process within the last 20 s makes none.
 * @throws ApiProblem as `requireSession`
 */
export function requireSessionNow(req: RequestWithCookies): Promise<LiveSession> {
  return checkSession(req, true);
}

async function checkSession(req: RequestWithCookies, uncached: boolean): Promise<LiveSession> {
  const cookie = getSessionCookie(req);
  if (cookie === null) throw new ApiProblem('session-required');
  const session = await getSessionBackend().check(cookie, { uncached });
  recordUse(req, session.sid);
  return session;
}

/** Whether a request has a session cookie whose session is over; false while that cannot be decided. */
export async function hasEndedSession(req: RequestWithCookies): Promise<boolean> {
  const cookie = getSessionCookie(req);
  if (cookie === null) return false;
  try {
    await getSessionBackend().check(cookie);
    return false;
  } catch (error) {
    if (!isApiProblem(error)) throw error;
    return error.status === 401;
  }
}

/** Ends the session of a request; does nothing when there is none. @throws ApiProblem 503 */
export async function endSession(req: RequestWithCookies): Promise<void> {
  const cookie = getSessionCookie(req);
  const uid = cookie === null ? null : await getSessionBackend().end(cookie);
  if (uid !== null) recordEvent({ uid, kind: 'signed-out', client: describeClient(req) });
}

/**
 * Ends every session of an account: immediately in this process, within the revocation window in all others. Sessions
 * created by a later sign-in are not affected.
 * @throws ApiProblem 503
 */
export async function revokeAllSessions(uid: string): Promise<void> {
  await changeAccountWithSessions(uid, { revoke: true });
}
