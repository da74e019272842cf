import type { DecodedIdToken, UserRecord } from 'firebase-admin/auth';
import { LRUCache } from 'lru-cache';
import { ApiProblem, type ProblemCode } from '@/lib/api/problem';
import { SESSION } from '@/lib/session/contract';
import { processWide } from '../process-wide';
import { identityAdmin } from './admin';
import { provedAt } from './custom-token';
import { askProvider } from './provider-errors';
import { digest, sidOf } from './sid';
import type { LiveSession } from './types';

/** How long what the provider said of a session holds, in milliseconds: less than the revocation window (docs/adr/0004). */
const FRESH = 20_000;
const MAX_SESSIONS = 10_000;

/** What the provider said of a session: `expires` in milliseconds since 1970, `dead` why it is over. */
type Knowledge = { sid: string; uid: string; expires: number } & (
  { session: LiveSession; dead: null } | { session: null; dead: ProblemCode }
);

const cache = () =>
  processWide(
    'session-knowledge',
    () =>
      new LRUCache<string, Knowledge, string>({
        max: MAX_SESSIONS,
        ttl: FRESH,
        perf: { now: () => Date.now() },
        ttlResolution: 0,
        // Checks of one cookie that come while the provider is being asked share its answer.
        fetchMethod: (_key, _stale, { context }) => askAnew(context),
      }),
  );

/**
 * What is known of a session cookie: genuine, and its account in good standing within the last 20 s.
 * @returns at once what is remembered, or what the provider says
 */
export function knowledgeOf(cookie: string): Knowledge | Promise<Knowledge> {
  const key = digest(cookie);
  return cache().get(key) ?? ask(key, cookie);
}

/** @throws ApiProblem 401 for a session that is over */
export function liveSessionOf({ session, dead, expires }: Knowledge): LiveSession {
  if (dead !== null) throw new ApiProblem(dead);
  if (expires <= Date.now()) throw new ApiProblem('token-expired');
  return session;
}

/** What was forgotten while it was being asked for is asked for anew: the answer under way may be from before the change. */
async function ask(key: string, cookie: string): Promise<Knowledge> {
  const fetchIt = async () => {
    const known = await cache().fetch(key, { context: cookie });
    if (!known) throw new ApiProblem('session-required');
    return known;
  };
  try {
    return await fetchIt();
  } catch (error) {
    if (error instanceof ApiProblem) throw error;
    return fetchIt();
  }
}

/** Forgets what this process knows of an account's sessions, so that a change here holds at once. */
export function forgetSessionsOf(uid: string): void {
  for (const [key, known] of cache().entries()) if (known.uid === uid) cache().delete(key);
}

/** @throws ApiProblem 401 for a cookie that is not genuine, 503 when that cannot be decided */
async function askAnew(cookie: string): Promise<Knowledge> {
  const decoded = await askProvider(identityAdmin().verifySessionCookie(cookie));
  const what = { sid: sidOf(cookie), uid: decoded.uid, expires: decoded.exp * 1000 };
  try {
    const user = await askProvider(identityAdmin().getUser(decoded.uid));
    const dead = verdictOn(decoded, user);
    return dead === null
      ? { ...what, dead, session: sessionOf(what.sid, decoded, user) }
      : { ...what, dead, session: null };
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.code !== 'user-deleted') throw error;
    return { ...what, dead: 'user-deleted', session: null };
  }
}

function verdictOn(decoded: DecodedIdToken, user: UserRecord): ProblemCode | null {
  if (user.disabled) return 'user-disabled';
  const validAfter = user.tokensValidAfterTime ? Date.parse(user.tokensValidAfterTime) : 0;
  return decoded.auth_time * 1000 < validAfter ? 'token-revoked' : null;
}

function sessionOf(sid: string, decoded: DecodedIdToken, user: UserRecord): LiveSession {
  return {
    sid,
    status: {
      uid: user.uid,
      email: user.email ?? null,
      displayName: user.displayName ?? null,
      photoURL: user.photoURL ?? null,
      expiresAt: toRfc3339(decoded.exp),
      refreshAfter: toRfc3339(decoded.iat + SESSION.updateAge),
    },
    authTime: provedAt(decoded),
    emailVerified: user.emailVerified,
    claims: user.customClaims ?? {},
  };
}

function toRfc3339(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
