import type { DecodedIdToken, UserRecord } from 'firebase-admin/auth';
import { LRUCache } from 'lru-cache';
import {
  callIdentityProvider,
  evictOnAccountChange,
  getIdentityAdmin,
  hasAccountChangedSince,
} from '@/lib/server/identity';
import { digest, processWide } from '@/lib/server/runtime';
import { findEndInRecords } from '@/lib/server/storage';
import { ApiProblem, isApiProblem, type ProblemCode } from '@/lib/shared/problem';
import { SESSION } from '@/lib/shared/session-contract';
import { decideOnSession, readAssurance, readSignIn } from './decide';
import { getAuthenticationTime, getSessionEnd, getSessionIds } from './handoff';
import { leaveSessionsInBackground, markEnabledInBackground, toRefusedAccount } from './leave-sessions';
import type { LiveSession, SignIn } from './types';
import { verifyCookie } from './verify-cookie';

/**
 * How long the provider's response about a session is cached, in milliseconds: less than the revocation window
 * (docs/adr/0004).
 */
const STATE_TTL_MS = 20_000;
const MAX_SESSIONS = 10_000;

/**
 * The provider's response about a session: `sids` by which it can be ended, `expires` in milliseconds since 1970,
 * `invalidReason` the reason why it is invalid.
 */
type SessionState = { sids: string[]; uid: string; expires: number } & (
  { session: LiveSession; invalidReason: null } | { session: null; invalidReason: ProblemCode }
);

const cache = () =>
  processWide('session-states', () => {
    const states = new LRUCache<string, SessionState, string>({
      max: MAX_SESSIONS,
      ttl: STATE_TTL_MS,
      perf: { now: () => Date.now() },
      ttlResolution: 0,
      // Concurrent checks of one cookie share the provider's response.
      fetchMethod: (_key, _stale, { context }) => fetchSessionState(context),
    });
    evictOnAccountChange((uid) => {
      for (const [key, state] of states.entries()) if (state.uid === uid) states.delete(key);
    });
    return states;
  });

/**
 * The state of a session cookie: genuine, and its account valid within the last 20 s.
 * @returns the cached state synchronously, or a promise of the provider's response
 */
export function getSessionState(cookie: string): SessionState | Promise<SessionState> {
  const key = digest(cookie);
  return cache().get(key) ?? getFreshSessionState(key, cookie);
}

/** The session of a state. @throws ApiProblem 401 with the reason for which it is no longer valid */
export function requireLive({ session, invalidReason, expires }: SessionState): LiveSession {
  if (invalidReason !== null) throw new ApiProblem(invalidReason);
  if (expires <= Date.now()) throw new ApiProblem('token-expired');
  return session;
}

/** Refetches an entry removed while it was being fetched: the response may predate the change. */
async function getFreshSessionState(key: string, cookie: string): Promise<SessionState> {
  const fetchIt = async () => {
    const state = await cache().fetch(key, { context: cookie });
    if (!state) throw new ApiProblem('session-required');
    return state;
  };
  try {
    return await fetchIt();
  } catch (error) {
    if (isApiProblem(error)) throw error;
    return fetchIt();
  }
}

/**
 * The state of a session cookie as it is now.
 * @throws ApiProblem 401 for a cookie that is not genuine, 503 when that cannot be decided
 */
export async function fetchSessionState(cookie: string): Promise<SessionState> {
  const decoded = await verifyCookie(cookie);
  const sids = getSessionIds(cookie, decoded);
  const common = { sids, uid: decoded.uid, expires: getSessionEnd(decoded) * 1000 };
  try {
    // The marks of ended sessions are looked up at each check, bypassing this cache.
    const [user, end] = await Promise.all([getUserAfterChanges(decoded.uid), findEndInRecords(sids)]);
    const { isEnded, isToldDisabled } = end;
    const signIn = readSignIn(decoded);
    const decision = await decideOnSession(signIn, user, isEnded);
    if (decision.outcome !== 'allow') {
      if (!isEnded) leaveSessionsInBackground(decoded.uid, toRefusedAccount(user, signIn), sids);
      return { ...common, invalidReason: decision.code, session: null };
    }
    if (isToldDisabled) markEnabledInBackground(decoded.uid);
    const assurance = await readAssurance(signIn, user.email?.toLowerCase() ?? null);
    return {
      ...common,
      invalidReason: null,
      session: toLiveSession(sids[0] ?? '', decoded, { user, signIn, assurance }),
    };
  } catch (error) {
    if (!isApiProblem(error) || error.code !== 'user-deleted') throw error;
    leaveSessionsInBackground(decoded.uid, null, sids);
    return { ...common, invalidReason: 'user-deleted', session: null };
  }
}

/** Looks an account up, and again if this process has changed it since: the first response may predate the change. */
async function getUserAfterChanges(uid: string): Promise<UserRecord> {
  const begun = performance.now();
  const user = await callIdentityProvider(getIdentityAdmin().getUser(uid), 'getUser');
  return hasAccountChangedSince(uid, begun) ? getUserAfterChanges(uid) : user;
}

function toLiveSession(
  sid: string,
  decoded: DecodedIdToken,
  { user, signIn, assurance }: { user: UserRecord; signIn: SignIn; assurance: 1 | 2 },
): LiveSession {
  return {
    sid,
    status: {
      uid: user.uid,
      email: user.email ?? null,
      displayName: user.displayName ?? null,
      photoURL: user.photoURL ?? null,
      emailVerified: user.emailVerified,
      expiresAt: toRfc3339(getSessionEnd(decoded)),
      refreshAfter: toRfc3339(decoded.iat + SESSION.updateAge),
      assurance,
    },
    authTime: getAuthenticationTime(decoded),
    signIn,
    validSince: user.tokensValidAfterTime ? Date.parse(user.tokensValidAfterTime) / 1000 : null,
    claims: user.customClaims ?? {},
  };
}

function toRfc3339(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
