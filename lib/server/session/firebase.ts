import { LRUCache } from 'lru-cache';
import { getAccount, hasAccountChangedSince, isUnavailable } from '@/lib/server/identity';
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
  isAnyEnded,
  LATE_ENDS,
  type LockedAccount,
  markEnded,
  readEnd,
  recordRefusal,
  tryLater,
  RECORDS_TIMEOUT_MS,
  withRecords,
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
import { getSessionId, verifyCookie, verifyCookieOrNull, verifyToken } from './tokens';
import { decideOnSession, readAssurance } from './verify-sign-in';
import { leaveSessionsInBackground, markEnabledInBackground, toRefusedAccount } from './leave-sessions';
import {
  openSession,
  openSessionWithSecondFactor,
  renewSession,
  replaceSession,
  requireOwnBrowser,
} from './open-session';
import { digestDevice } from './request';
import type { CreatedSession, Device, LiveSession, SessionBackend, VerifiedCookie, VerifiedToken } from './types';

/**
 * A sign-in method in the metrics. `custom`: email links, emailed codes and automatic sign-in, which create the session
 * by a custom token of this server. `unknown`: the token was refused before its method was known.
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
 * Returns the metrics label of a sign-in method. All organizations share a label, and so do all partners, because their
 * number is not bounded.
 * @param provider `sign_in_provider` of a verified token
 * @param method as verified by our server
 */
export function getSignInMethodLabel(provider: string, method: TokenMethod | null = null): SignInMethodLabel {
  if (toOwnMethod(method) === PASSKEY_METHOD) return PASSKEY_METHOD;
  const social = getSocialProviderId(provider);
  if (social !== null) return social;
  if (provider === 'password' || provider === 'custom') return provider;
  if (provider.startsWith('saml.')) return 'saml';
  return provider.startsWith('oidc.') ? 'oidc' : 'other';
}

/** Creates the backend that manages sessions as Firebase session cookies. */
export function createFirebaseBackend(): SessionBackend {
  return {
    open: (jwt, request, unverifiedPasskey = null) =>
      countOpening(jwt, (token) => openSession(token, request, unverifiedPasskey)),
    openWithSecondFactor: (jwt, request, step) =>
      countOpening(jwt, (token) => openSessionWithSecondFactor(token, request, step)),
    replace: (jwt, request, locked) => countOpening(jwt, (token) => replaceSession(token, request, locked)),
    renew: renewSession,
    requireOwnBrowser,
    check,
    end,
  };
}

async function countOpening(
  jwt: string,
  open: (token: VerifiedToken) => Promise<CreatedSession>,
): Promise<CreatedSession> {
  let method: SignInMethodLabel = 'unknown';
  try {
    const token = await verifyToken(jwt);
    method = getSignInMethodLabel(token.signInProvider, token.signIn.method);
    const created = await open(token);
    countSignIn(method, 'ok');
    return created;
  } catch (error) {
    countSignIn(method, isApiProblem(error) ? error.code : 'internal-error');
    throw error;
  }
}

function check(
  cookie: string,
  { uncached = false, locked }: { uncached?: boolean; locked?: LockedAccount } = {},
): LiveSession | Promise<LiveSession> {
  const state = uncached ? fetchSessionState(cookie, locked) : getSessionState(cookie);
  return state instanceof Promise ? checkNew(cookie, state) : checkState(state);
}

async function checkNew(cookie: string, state: Promise<SessionState>): Promise<LiveSession> {
  state.catch(() => undefined);
  // Check sign-out first, because it must hold even if the provider is unreachable.
  if (await isAnyEnded([getSessionId(cookie)])) throw endedSession();
  return checkState(await state);
}

function checkState(state: SessionState): LiveSession | Promise<LiveSession> {
  setRequestAccount(state.uid);
  return settle(
    () => isAnyEnded(state.sids),
    (isEnded) => {
      if (isEnded) throw endedSession();
      return requireLive(state);
    },
  );
}

const endedSession = () => new ApiProblem('session-required', { rule: 'ended-session' });

async function end(cookie: string, device?: Device): Promise<string | null> {
  const signOut = { cookie, device, at: new Date() };
  try {
    return await endGenuine(signOut);
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    // It cannot be decided, so mark the session as ended for its maximum lifetime. Its record is ended later.
    const sid = getSessionId(cookie);
    await markEnded(sid, Date.now() / 1000 + SESSION.length);
    endLate(`sign out ${sid}`, (records) => endGenuine(signOut, records));
    return null;
  }
}

type SignOut = { cookie: string; device: Device | undefined; at: Date };

/**
 * @param late records that must respond, because the caller retries what they do not accept
 * @returns the account of the ended session; null for an invalid, expired or already ended cookie
 */
async function endGenuine({ cookie, device, at }: SignOut, late: Records | null = null): Promise<string | null> {
  const session = await verifyCookieOrNull(cookie);
  if (session === null) return null;
  const { uid, sid, sids } = session;
  setRequestAccount(uid);
  const wasEnded = await isAnyEnded(sids);
  await markEnded(sid, session.expiresAt);
  const found = late === null ? await findEndInRecords(sids).catch(() => null) : await readEnd(late, sids);
  // A session that is over, or came from such a session, ends nothing more. Later sessions of its proof or browser may
  // continue. With a mark, only the records can show that it is live.
  if (found?.isEnded || (wasEnded && !found?.isLive)) return null;
  // Also end the session that a custom token was minted from, as long as that token could create another session.
  const roots = sids.filter((id) => id !== sid);
  await Promise.all(roots.map((root) => markEnded(root, Date.now() / 1000 + SESSION.length)));
  // Update the records after the marks, which hold even if the database is unavailable.
  const deviceDigest = device ? digestDevice(device, uid) : null;
  const ending = { uid, sids, deviceDigest, at, by: 'sign-out' } as const;
  const isAny = late === null ? await endRecords(ending) : await endAndMark(late, ending);
  return (isAny ?? !wasEnded) ? uid : null;
}

function endLate(key: string, write: (records: Records) => Promise<unknown>): void {
  runOutsideOfRequest(() => tryLater(key, LATE_ENDS, write)).catch((cause: unknown) =>
    reportError(cause, { during: 'ending a session late' }),
  );
}

/**
 * Ends the records of a session and all its cookies. It retries if the database does not respond.
 * @returns whether a session was live; null if none is recorded, or that is unknown
 */
async function endRecords(ending: Parameters<typeof endAndMark>[1]): Promise<boolean | null> {
  const write = (records: Records) => endAndMark(records, ending);
  try {
    // A late write still ends the record.
    return await withRecords(write, RECORDS_TIMEOUT_MS);
  } catch (error) {
    log().error({ err: error }, 'the record of an ended session could not be ended');
    endLate(`end ${ending.sids[0] ?? ''}`, write);
    return null;
  }
}

/**
 * How long the provider's response about a session is cached, in milliseconds. Must be less than the revocation window
 * (docs/adr/0004).
 */
const STATE_TTL_MS = 20_000;
const MAX_SESSIONS = 10_000;

/**
 * The provider's response about a session. `sids`: ids that end it. `expires`: in milliseconds since 1970. `readAt`: just
 * before the request, in milliseconds of `performance.now()`. `refusal`: why it is invalid.
 */
type SessionState = { sids: string[]; uid: string; expires: number; readAt: number } & (
  | { session: LiveSession; refusal: null }
  | { session: null; refusal: Refused }
);

const cache = () =>
  processWide(
    'session-states',
    () =>
      new LRUCache<string, SessionState, string>({
        max: MAX_SESSIONS,
        ttl: STATE_TTL_MS,
        perf: { now: () => Date.now() },
        ttlResolution: 0,
        // Concurrent checks of a cookie share the provider's response.
        fetchMethod: (_key, _stale, { context }) => fetchSessionState(context),
      }),
  );

/**
 * Returns the state of a session cookie: genuine, and its account valid within the last 20 seconds. A state from before
 * a change that this process has made does not count.
 * @returns the cached state synchronously, or a promise of the provider's response
 */
function getSessionState(cookie: string): SessionState | Promise<SessionState> {
  const key = digest(cookie);
  const state = cache().get(key);
  if (state && !hasAccountChangedSince(state.uid, state.readAt)) return state;
  if (state) cache().delete(key);
  return getFreshSessionState(key, cookie);
}

/** Returns the session of a state. @throws ApiProblem 401 with the reason if it is no longer valid */
function requireLive({ session, refusal, expires }: SessionState): LiveSession {
  if (refusal !== null) throw toProblem(refusal);
  if (expires <= Date.now()) throw new ApiProblem('token-expired');
  return session;
}

/**
 * Fetches a state, and fetches it again if the entry was removed in the meantime, because the response may predate the
 * change.
 */
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
 * Fetches the current state of a session cookie. It reads again if this process has changed the account in the
 * meantime.
 * @param locked the account, if the caller has locked it
 * @throws ApiProblem 401 if the cookie is not genuine, 503 if that cannot be decided
 */
async function fetchSessionState(cookie: string, locked: LockedAccount | null = null): Promise<SessionState> {
  const session = await verifyCookie(cookie);
  const { uid, signIn, sids } = session;
  const readAt = performance.now();
  const common = { sids, uid, expires: session.endsAt * 1000, readAt };
  try {
    // Each check looks up the marks of ended sessions, bypassing this cache.
    const [user, end] = await Promise.all([getAccount(uid, locked), findEndInRecords(sids)]);
    const { isEnded, isToldDisabled } = end;
    const decision = await decideOnSession(signIn, user, isEnded);
    const assurance = await readAssurance(signIn, user);
    // The response may predate the change.
    if (hasAccountChangedSince(uid, readAt)) return await fetchSessionState(cookie, locked);
    if (decision.outcome !== 'allow') {
      if (!isEnded) {
        recordRefusal({ uid, rule: decision.rule, method: signIn.provider });
        leaveSessionsInBackground(session, toRefusedAccount(user, signIn));
      }
      return { ...common, refusal: decision, session: null };
    }
    if (isToldDisabled) markEnabledInBackground(uid);
    return { ...common, refusal: null, session: toLiveSession(session, user, assurance) };
  } catch (error) {
    if (!isApiProblem(error) || error.code !== 'user-deleted') throw error;
    leaveSessionsInBackground(session, null);
    return { ...common, refusal: { code: 'user-deleted', rule: 'deleted-account' }, session: null };
  }
}

function toLiveSession(
  { sid, signIn, issuedAt, endsAt }: VerifiedCookie,
  user: StoredAccount,
  assurance: 1 | 2,
): LiveSession {
  return {
    sid,
    status: {
      uid: user.uid,
      email: user.email ?? null,
      displayName: user.displayName ?? null,
      photoURL: user.photoURL ?? null,
      emailVerified: user.emailVerified,
      expiresAt: toRfc3339(endsAt),
      refreshAfter: toRfc3339(issuedAt + SESSION.updateAge),
      assurance,
    },
    authTime: signIn.authenticatedAt,
    signIn,
    validSince: user.tokensValidAfterTime ? Date.parse(user.tokensValidAfterTime) / 1000 : null,
    claims: user.customClaims ?? {},
  };
}

function toRfc3339(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
