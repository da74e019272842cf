import type { IncomingMessage } from 'node:http';
import { ApiProblem } from '@/lib/api/problem';
import { env } from '@/lib/config/env';
import { cookieTable } from '@/lib/cookies/table';
import { identityAdmin } from './admin';
import { firebaseBackend } from './firebase';
import { forgetSessionsOf } from './liveness';
import { askProvider } from './provider-errors';
import type { LiveSession, SessionBackend } from './types';
import { upstreamBackend } from './upstream';

export { identityAdmin } from './admin';
export type { LiveSession } from './types';

type WithCookies = IncomingMessage & { cookies: Partial<Record<string, string>> };

/** The configured backend. */
export function sessionBackend(): SessionBackend {
  const { SESSION_BACKEND, UPSTREAM_IDENTITY_URL: url, NEXT_PUBLIC_MAIN_DOMAIN: mainDomain } = env();
  return SESSION_BACKEND === 'upstream' && url ? upstreamBackend({ url, mainDomain }) : firebaseBackend(mainDomain);
}

/** The session cookie of a request; null when there is none. */
export function sessionCookieOf(req: WithCookies): string | null {
  return req.cookies[cookieTable.session.name] || null;
}

/**
 * The live session of a request, for API routes and pages alike.
 * @throws ApiProblem 401 (`session-required` and others), 503 when that cannot be decided
 */
export async function requireSession(req: WithCookies): Promise<LiveSession> {
  const cookie = sessionCookieOf(req);
  if (cookie === null) throw new ApiProblem('session-required');
  return sessionBackend().check(cookie);
}

/**
 * Ends every session of an account: at once in this process, within the revocation window in all others. Sessions
 * opened by a later sign-in are not touched.
 * @throws ApiProblem 503
 */
export async function revokeAllSessions(uid: string): Promise<void> {
  await askProvider(identityAdmin().revokeRefreshTokens(uid));
  forgetSessionsOf(uid);
}
