import type { DecodedIdToken } from 'firebase-admin/auth';
import { LRUCache } from 'lru-cache';
import { evictOnAccountChange, getAccount, hasAccountChangedSince, isUnavailable } from '@/lib/server/identity';
import {
  countSignIn,
  digest,
  log,
  processWide,
  runOutsideOfRequest,
  setRequestAccount,
  settle,
} from '@/lib/server/runtime';
import {
  endAndMark,
  findEndInRecords,
  hasRecords,
  isAnyEnded,
  LATE_ENDS,
  markEnded,
  readEnd,
  tryLater,
  withRecordsInTime,
  type Records,
} from '@/lib/server/storage';
import { type Refused, type StoredAccount, toProblem } from '@/lib/server/policy';
import { reportError } from '@/lib/shared/error-reporting/report';
import { ApiProblem, isApiProblem } from '@/lib/shared/problem';
import { SESSION } from '@/lib/shared/session-contract';
import {
  PASSKEY_METHOD,
  getSocialProviderId,
  toOwnMethod,
  type SocialProviderId,
  type TokenMethod,
} from '@/lib/shared/sign-in-methods';
import {
  getAuthenticationTime,
  getHandoffMethod,
  getSessionEnd,
  getSessionId,
  getSessionIds,
  readSignIn,
  verifyCookie,
  verifyCookieOrNull,
} from './tokens';
import { decideOnSession, readAssurance, verifyToken } from './verify-sign-in';
import { leaveSessionsInBackground, markEnabledInBackground, toRefusedAccount } from './leave-sessions';
import { completeSignIn, openSession, renewSession, replaceSession, requireOwnBrowser } from './open-session';
import { digestDevice } from './request';
import type { CreatedSession, Device, LiveSession, SessionBackend, SignIn } from './types';

/**
 * A sign-in method in the metrics. `custom`: email links, emailed codes and automatic sign-in, which reach the session
 * by a custom token of this server; `unknown`: the token was refused before its method was known.
 */
type SignInMethodLabel =
  | SocialProviderId
  | typeof PASSKEY_METHOD
  | 'password'
  | 'saml'
  | 'oidc'
  | 'custom'
  | 'other'
  | 'unknown';

/**
 * One label for all organizations and one for all partners: their number is not bounded.
 * @param provider `sign_in_provider` of a verified token
 * @param method as our server has verified it
 */
export function getSignInMethodLabel(provider: string, method: TokenMethod | null = null): SignInMethodLabel {
  if (toOwnMethod(method) === PASSKEY_METHOD) return PASSKEY_METHOD;
  const social = getSocialProviderId(provider);
  if (social !== null) return social;
  if (provider === 'password' || provider === 'custom') return provider;
  if (provider.startsWith('saml.')) return 'saml';
  return provider.startsWith('oidc.') ? 'oidc' : 'other';
}

/** Sessions as Firebase session cookies. */
export function createFirebaseBackend(): SessionBackend {
  return {
    open: (token, request, unverifiedPasskey = null) =>
      countOpening(token, (decoded) => openSession(token, decoded, request, unverifiedPasskey)),
    completeSignIn: (token, request, remembersBrowser) =>
      countOpening(token, (decoded) => completeSignIn(token, decoded, request, remembersBrowser)),
    replace: (token, request) => countOpening(token, (decoded) => replaceSession(token, decoded, request)),
    renew: renewSession,
    requireOwnBrowser,
    check,
    end,
  };
}

async function countOpening(
  token: string,
  open: (decoded: DecodedIdToken) => Promise<CreatedSession>,
): Promise<CreatedSession> {
  let method: SignInMethodLabel = 'unknown';
  try {
    const decoded = await verifyToken(token);
    method = getSignInMethodLabel(decoded.firebase.sign_in_provider, getHandoffMethod(decoded));
    const created = await open(decoded);
    countSignIn(method, 'ok');
    return created;
  } catch (error) {
    countSignIn(method, isApiProblem(error) ? error.code : 'internal-error');
    throw error;
  }
}

function check(cookie: string, { uncached = false } = {}): LiveSession | Promise<LiveSession> {
  const state = uncached ? fetchSessionState(cookie) : getSessionState(cookie);
  return state instanceof Promise ? checkNew(cookie, state) : checkState(state);
}

async function checkNew(cookie: string, state: Promise<SessionState>): Promise<LiveSession> {
  state.catch(() => undefined);
  // Check sign-out first: it must hold even when the provider is unreachable.
  if (await isAnyEnded([getSessionId(cookie)])) throw new ApiProblem('session-required');
  return checkState(await state);
}

function checkState(state: SessionState): LiveSession | Promise<LiveSession> {
  setRequestAccount(state.uid);
  return settle(
    () => isAnyEnded(state.sids),
    (isEnded) => {
      if (isEnded) throw new ApiProblem('session-required');
      return requireLive(state);
    },
  );
}

async function end(cookie: string, device?: Device): Promise<string | null> {
  const signOut = { cookie, device, at: new Date() };
  try {
    return await endGenuine(signOut);
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    // Undecidable: mark it as ended anyway, for its maximum lifetime. Its record follows.
    const sid = getSessionId(cookie);
    await markEnded(sid, Date.now() / 1000 + SESSION.length);
    if (hasRecords()) endLate(`sign out ${sid}`, (records) => endGenuine(signOut, records));
    return null;
  }
}

type SignOut = { cookie: string; device: Device | undefined; at: Date };

/**
 * @param late with these records, which must answer: what they do not take is tried again
 * @returns whose session was ended; null for an invalid or expired cookie, and one that was ended
 */
async function endGenuine({ cookie, device, at }: SignOut, late: Records | null = null): Promise<string | null> {
  const sid = getSessionId(cookie);
  const decoded = await verifyCookieOrNull(cookie);
  if (decoded === null) return null;
  setRequestAccount(decoded.uid);
  const sids = getSessionIds(cookie, decoded);
  const wasEnded = await isAnyEnded(sids);
  await markEnded(sid, decoded.exp);
  const found = late === null ? await findEndInRecords(sids).catch(() => null) : await readEnd(late, sids);
  // One that is over, or came from one that is, ends nothing more: what its proof, or its browser, has opened since may go on. With a mark,
  // only the records can say that it is not.
  if (found?.isEnded || (wasEnded && !found?.isLive)) return null;
  // Also end the session a custom token was minted from, for as long as such a token could create another one.
  const roots = sids.filter((id) => id !== sid);
  await Promise.all(roots.map((root) => markEnded(root, Date.now() / 1000 + SESSION.length)));
  // After the marks: they hold even while the database is away.
  const deviceDigest = device ? digestDevice(device, decoded.uid) : null;
  const ending = { uid: decoded.uid, sids, deviceDigest, at, by: 'sign-out' } as const;
  const isAny = late === null ? await endRecords(ending) : await endAndMark(late, ending);
  return (isAny ?? !wasEnded) ? decoded.uid : null;
}

function endLate(key: string, write: (records: Records) => Promise<unknown>): void {
  runOutsideOfRequest(() => tryLater(key, LATE_ENDS, write)).catch((cause: unknown) =>
    reportError(cause, { during: 'ending a session late' }),
  );
}

/**
 * Ends the records of a session, and with them all its cookies; later where the database does not take it.
 * @returns whether one was live; null when none is recorded, or that is not known
 */
async function endRecords(ending: Parameters<typeof endAndMark>[1]): Promise<boolean | null> {
  if (!hasRecords()) return null;
  const write = (records: Records) => endAndMark(records, ending);
  try {
    return await withRecordsInTime(write);
  } catch (error) {
    log().error({ err: error }, 'the record of an ended session could not be ended');
    endLate(`end ${ending.sids[0] ?? ''}`, write);
    return null;
  }
}

/**
 * How long the provider's response about a session is cached, in milliseconds: less than the revocation window
 * (docs/adr/0004).
 */
const STATE_TTL_MS = 20_000;
const MAX_SESSIONS = 10_000;

/**
 * The provider's response about a session: `sids` by which it can be ended, `expires` in milliseconds since 1970,
 * `refusal` why it is invalid.
 */
type SessionState = { sids: string[]; uid: string; expires: number } & (
  | { session: LiveSession; refusal: null }
  | { session: null; refusal: Refused }
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
function getSessionState(cookie: string): SessionState | Promise<SessionState> {
  const key = digest(cookie);
  return cache().get(key) ?? getFreshSessionState(key, cookie);
}

/** The session of a state. @throws ApiProblem 401 with the reason for which it is no longer valid */
function requireLive({ session, refusal, expires }: SessionState): LiveSession {
  if (refusal !== null) throw toProblem(refusal);
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
 * The state of a session cookie as it is now; read again if this process has changed the account meanwhile.
 * @throws ApiProblem 401 for a cookie that is not genuine, 503 when that cannot be decided
 */
async function fetchSessionState(cookie: string): Promise<SessionState> {
  const decoded = await verifyCookie(cookie);
  const sids = getSessionIds(cookie, decoded);
  const common = { sids, uid: decoded.uid, expires: getSessionEnd(decoded) * 1000 };
  const begun = performance.now();
  try {
    // The marks of ended sessions are looked up at each check, bypassing this cache.
    const [user, end] = await Promise.all([getAccount(decoded.uid), findEndInRecords(sids)]);
    const { isEnded, isToldDisabled } = end;
    const signIn = readSignIn(decoded);
    const decision = await decideOnSession(signIn, user, isEnded);
    const assurance = await readAssurance(signIn, user);
    // The response may predate the change. Last: nothing was cached yet that the change could evict.
    if (hasAccountChangedSince(decoded.uid, begun)) return await fetchSessionState(cookie);
    if (decision.outcome !== 'allow') {
      if (!isEnded) leaveSessionsInBackground(decoded, toRefusedAccount(user, signIn), cookie);
      return { ...common, refusal: decision, session: null };
    }
    if (isToldDisabled) markEnabledInBackground(decoded.uid);
    return {
      ...common,
      refusal: null,
      session: toLiveSession(sids[0] ?? '', decoded, { user, signIn, assurance }),
    };
  } catch (error) {
    if (!isApiProblem(error) || error.code !== 'user-deleted') throw error;
    leaveSessionsInBackground(decoded, null, cookie);
    return { ...common, refusal: { code: 'user-deleted', rule: 'deleted-account' }, session: null };
  }
}

function toLiveSession(
  sid: string,
  decoded: DecodedIdToken,
  { user, signIn, assurance }: { user: StoredAccount; signIn: SignIn; assurance: 1 | 2 },
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
