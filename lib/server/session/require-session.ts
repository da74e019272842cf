import { eq, sql } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import type { IncomingMessage } from 'node:http';
import {
  keepSessionCookies,
  readSentSessionCookies,
  readSessionCookies,
  type RequestWithCookies,
} from '@/lib/server/http';
import { changeAccountWithSessions, findById, providerUnavailable, retryWhileUnavailable } from '@/lib/server/identity';
import { getShownFactor, type StoredAccount } from '@/lib/server/policy';
import { describeClient, env, log, processWide, setRequestAccount, settle } from '@/lib/server/runtime';
import {
  accounts,
  describeCookies,
  findSession,
  getRecords,
  type LockedAccount,
  queryInTime,
  recordEvent,
  sessions,
  withRecords,
  withRecordsInTime,
  type Revocation,
} from '@/lib/server/storage';
import { ApiProblem, isApiProblem, nullOnProblem } from '@/lib/shared/problem';
import { isRecentAuthentication, type RecentSession, verifyCookie, verifyCookieOrNull, verifyToken } from './tokens';
import {
  authorizeWithoutStep,
  decideOnSession,
  requireFactorOfRecords,
  type VerifiedSignIn,
  verifySessionUncached,
} from './verify-sign-in';
import { createFirebaseBackend } from './firebase';
import { leaveSessions, markEnabledInBackground, toRefusedAccount } from './leave-sessions';
import { digestDevice, readDevice, toSessionRequest } from './request';
import { touchSession } from './sessions';
import type { LiveSession, SessionBackend, SessionRequest, SignIn, VerifiedToken } from './types';
import { createUpstreamBackend } from './upstream';

/**
 * Checks with the provider, bypassing the cache, whether a session may be exchanged for a custom token (docs/adr/0012).
 * @throws ApiProblem 401; `recent-login-required` for a proof older than 5 minutes; 503 if it cannot be decided, or
 *   another deployment manages sessions
 */
export async function requireRecentSession(cookie: string): Promise<RecentSession> {
  if (env().SESSION_BACKEND === 'upstream') throw providerUnavailable();
  const { uid, sid, sids, root, signIn } = await verifyCookie(cookie);
  setRequestAccount(uid);
  const session = { uid, sid: root ?? sid, sids, ...signIn };
  const account = await verifySessionUncached(session);
  if (!isRecentAuthentication(session.authenticatedAt)) throw new ApiProblem('recent-login-required');
  // The custom token is not bound to a provider, so it must state that the organization's sign-in counts as two
  // factors.
  return { ...session, factor: getShownFactor(account, session) };
}

/** The last use of a session is recorded at most once in this time. */
const INTERVAL_MS = 15 * 60 * 1000;
const MAX_SESSIONS = 10_000;

const recorded = () =>
  processWide(
    'session-uses',
    () =>
      new LRUCache<string, true>({
        max: MAX_SESSIONS,
        ttl: INTERVAL_MS,
        perf: { now: () => Date.now() },
        ttlResolution: 0,
      }),
  );

/**
 * Records in the background that a browser has used its session. The platform's servers forward cookies without Fetch
 * Metadata, so their checks do not show where the browser is.
 */
function recordUse(req: Pick<IncomingMessage, 'headers' | 'socket'>, sid: string): void {
  if (req.headers['sec-fetch-site'] === undefined || recorded().has(sid)) return;
  recorded().set(sid, true);
  const at = new Date();
  const since = new Date(at.getTime() - INTERVAL_MS);
  const client = describeClient(req);
  getRecords()
    .then((records) => touchSession(records, { sid, at, since, client }))
    .catch((error: unknown) => log().debug({ err: error }, 'the use of a session could not be recorded'));
}

/**
 * `id`: id in the records, and not the `sid`, which scripts can read. `signIn`: how its user signed in. `clients`:
 * OpenID Provider clients that have signed the user in by it.
 */
export type RecordedSession = { id: string; session: LiveSession; signIn: SignIn; expiresAt: Date; clients: string[] };

/**
 * Reads the session of a request with its record. The record shows that it is live now, and its account was valid
 * within the last 20 seconds.
 * @returns null without a live session, or without a record
 * @throws ApiProblem 503 if it cannot be decided
 */
export function readRecordedSession(req: RequestWithCookies): Promise<RecordedSession | null> {
  return readWithRecord(req, requireSession);
}

/** Reads the session of a request with its record and the account's current state. */
export function readRecordedSessionNow(req: RequestWithCookies): Promise<RecordedSession | null> {
  return readWithRecord(req, requireSessionNow);
}

async function readWithRecord(
  req: RequestWithCookies,
  require: (req: RequestWithCookies) => Promise<LiveSession>,
): Promise<RecordedSession | null> {
  if (getSessionCookie(req) === null) return null;
  try {
    const session = await require(req);
    const { own } = await withRecordsInTime((records) => findSession(records, [session.sid], new Date()));
    if (!own?.isLive || session.signIn === null) return null;
    const { id, expiresAt, clients } = own;
    return { id, session, signIn: session.signIn, expiresAt, clients };
  } catch (error) {
    if (isApiProblem(error) && error.status === 401) return null;
    throw error;
  }
}

/**
 * Finds the account of a live session without its cookie.
 * @param id of the session in the records
 * @param signIn how its user signed in, if known
 * @returns null if the session has ended, or a check of its cookie would refuse its account: disabled, deleted,
 *   revoked, or no longer valid for this sign-in, for example after an email change
 * @throws ApiProblem 503
 */
export async function findAccountOfSession(id: string, signIn: SignIn | null = null): Promise<StoredAccount | null> {
  const row = await queryInTime(async (tx) => {
    const since = sql<number>`extract(epoch from greatest(${sessions.authenticatedAt}, ${sessions.openedAt}))::float8`;
    const isLive = sql<boolean>`${sessions.endedAt} is null and ${sessions.expiresAt} > now()`;
    const isToldDisabled = sql<boolean>`${accounts.disabledToldAt} is not null`;
    const [found] = await tx
      .select({ uid: sessions.uid, since, isLive, isToldDisabled })
      .from(sessions)
      .innerJoin(accounts, eq(accounts.uid, sessions.uid))
      .where(eq(sessions.id, id));
    return found;
  });
  if (!row?.isLive) return null;
  const account = await findById(row.uid);
  const isAllowed = account !== null && !account.facts.disabled && row.since >= account.facts.validSince;
  if (isAllowed && row.isToldDisabled) markEnabledInBackground(row.uid);
  if (isAllowed) {
    // The session may continue by a later sign-in. Its own checks detect that it is over.
    const isOver = signIn !== null && (await isRefused({ ...signIn, renewedAt: row.since }, account.user));
    return isOver ? null : account.user;
  }
  // The account was disabled, revoked or deleted elsewhere. The first client that asks causes all notifications.
  const refused = account && toRefusedAccount(account.user, { renewedAt: null, authenticatedAt: row.since });
  await withRecords((records) => leaveSessions(records, row.uid, refused, () => Promise.resolve([id])));
  return null;
}

async function isRefused(signIn: SignIn, user: StoredAccount): Promise<boolean> {
  return (await decideOnSession(signIn, user, false)).outcome !== 'allow';
}

export type { LiveSession } from './types';

/** Returns the configured backend. */
export function getSessionBackend(): SessionBackend {
  const { SESSION_BACKEND, UPSTREAM_IDENTITY_URL: url, NEXT_PUBLIC_MAIN_DOMAIN: mainDomain } = env();
  return SESSION_BACKEND === 'upstream' && url ? createUpstreamBackend({ url, mainDomain }) : createFirebaseBackend();
}

/**
 * Returns the session cookie of a request. If there are several, it is the live cookie once a check has found it. Null
 * if there is none.
 */
export function getSessionCookie(req: RequestWithCookies): string | null {
  return readSessionCookies(req)[0] ?? null;
}

/**
 * Finds the live session of a request with several session cookies, for code that does not check it first. @throws
 * ApiProblem 503
 */
export async function settleSessionCookie(req: RequestWithCookies): Promise<void> {
  if (readSessionCookies(req).length > 1) await hasEndedSession(req);
}

/**
 * Returns the live session of a request, for API routes and pages.
 * @throws ApiProblem 401 (`session-required` and others), or 503 if it cannot be decided
 */
export async function requireSession(req: RequestWithCookies): Promise<LiveSession> {
  return checkSession(req, false);
}

/** Returns the live session of a request for the most frequent call, synchronously if possible (docs/adr/0039). */
export function requireSessionAtOnce(req: RequestWithCookies): LiveSession | Promise<LiveSession> {
  return checkSession(req, false);
}

/**
 * Returns the live session of a request with the account's current state. A session that another process revoked within
 * the last 20 seconds is refused.
 */
export async function requireSessionNow(req: RequestWithCookies): Promise<LiveSession> {
  return checkSession(req, true);
}

/**
 * Returns the live session of a request for a change of the account, in the browser that opened the session. Call it
 * first, because calls with a copied cookie must not use up the owner's limits and turns.
 * @throws ApiProblem a code of `requireSession`; `recent-login-required` for a session of another browser
 */
export async function requireOwnSession(req: RequestWithCookies): Promise<LiveSession> {
  const session = await requireSessionNow(req);
  await getSessionBackend().requireOwnBrowser(session.status.uid, toSessionRequest(req));
  return session;
}

/**
 * Returns the recent session of a request for a custom token, which has no more proof than the session itself.
 * @throws ApiProblem a code of `requireRecentSession`; `recent-login-required` also for a session of another browser
 */
export async function requireOwnRecentSession(req: RequestWithCookies): Promise<RecentSession> {
  await settleSessionCookie(req);
  const cookie = getSessionCookie(req);
  if (cookie === null) throw new ApiProblem('session-required');
  const session = await requireRecentSession(cookie);
  await getSessionBackend().requireOwnBrowser(session.uid, toSessionRequest(req));
  return session;
}

function checkSession(req: RequestWithCookies, uncached: boolean): LiveSession | Promise<LiveSession> {
  return settle(
    () => checkCookies(req, uncached),
    (session) => {
      recordUse(req, session.sid);
      return session;
    },
  );
}

function checkCookies(req: RequestWithCookies, uncached: boolean): LiveSession | Promise<LiveSession> {
  const cookies = readSessionCookies(req);
  const [cookie] = cookies;
  if (cookie === undefined) throw new ApiProblem('session-required');
  const check = (each: string) => getSessionBackend().check(each, { uncached });
  return cookies.length === 1 ? check(cookie) : checkInTurn(req, cookies, check);
}

/**
 * Maximum checks of other browsers' sessions. A request has such a session only if its own was lost, or another host of
 * the main domain has planted any number of them. Each check calls the identity provider.
 */
const MAX_OF_OTHERS = 4;

/** Returns the first live session of a request. @throws ApiProblem the refusal of the first cookie; 503 */
async function checkInTurn(
  req: RequestWithCookies,
  cookies: readonly string[],
  check: (cookie: string) => LiveSession | Promise<LiveSession>,
): Promise<LiveSession> {
  const sorted = await sortCookies(req, cookies);
  // Cookies of other browsers come last.
  const count = sorted.filter(({ from }) => from !== 'other').length + MAX_OF_OTHERS;
  let refusal: ApiProblem | undefined;
  for (const { cookie } of sorted.slice(0, count)) {
    try {
      const session = await check(cookie);
      keepSessionCookies(req, [cookie]);
      return session;
    } catch (error) {
      if (!isApiProblem(error) || error.status !== 401) throw error;
      refusal ??= error;
    }
  }
  throw refusal ?? new ApiProblem('session-required');
}

/** `from`: the browser that opened the session, according to the records. */
type SentCookie = { cookie: string; from: 'own' | 'unknown' | 'other' };

/**
 * Sorts the genuine session cookies of a request that are not over according to the records. This browser's cookies
 * come first, so that planted cookies neither hide nor replace them. It does not call the identity provider.
 * @throws ApiProblem 503
 */
async function sortCookies(req: RequestWithCookies, cookies: readonly string[]): Promise<SentCookie[]> {
  if (env().SESSION_BACKEND === 'upstream') return cookies.map((cookie) => ({ cookie, from: 'unknown' }));
  const verified = await Promise.all(cookies.map(verifyCookieOrNull));
  const genuine = verified.filter((session) => session !== null);
  const sids = genuine.map(({ sid }) => sid);
  const known = await nullOnProblem(withRecordsInTime((records) => describeCookies(records, sids, new Date())));
  const device = readDevice(req);
  const sorted: Record<SentCookie['from'], SentCookie[]> = { own: [], unknown: [], other: [] };
  for (const [index, { jwt: cookie, uid }] of genuine.entries()) {
    const record = known?.[index] ?? null;
    if (record?.isOver) continue;
    const isOwn = record !== null && record.deviceDigest !== null && record.deviceDigest === digestDevice(device, uid);
    const from = isOwn ? 'own' : record === null ? 'unknown' : 'other';
    sorted[from].push({ cookie, from });
  }
  return [...sorted.own, ...sorted.unknown, ...sorted.other];
}

/** Whether a request has a session cookie whose session is over. False if that cannot be decided. */
export async function hasEndedSession(req: RequestWithCookies): Promise<boolean> {
  if (getSessionCookie(req) === null) return false;
  try {
    await checkCookies(req, false);
    return false;
  } catch (error) {
    if (!isApiProblem(error)) throw error;
    return error.status === 401;
  }
}

/** Maximum sessions of a request that are ended concurrently. */
const ENDED_AT_ONCE = 4;

/**
 * Ends the session of a request, or each of several. Does nothing if there is none. Planted cookies are ended a few at
 * a time. Each live session took a sign-in, and others are skipped.
 * @throws ApiProblem 503
 */
export async function endSession(req: RequestWithCookies): Promise<void> {
  const sent = readSentSessionCookies(req);
  const cookies = sent.length > 1 ? await findLeft(req, sent) : sent;
  const ended = new Set<string | null>();
  for (let index = 0; index < cookies.length; index += ENDED_AT_ONCE) {
    const some = cookies.slice(index, index + ENDED_AT_ONCE);
    const ending = some.map((cookie) => getSessionBackend().end(cookie, readDevice(req)));
    for (const uid of await Promise.all(ending)) ended.add(uid);
  }
  for (const uid of ended) if (uid !== null) recordEvent({ uid, kind: 'signed-out', client: describeClient(req) });
}

/** Returns the cookies whose sessions are not over, or all if that cannot be decided. */
async function findLeft(req: RequestWithCookies, cookies: readonly string[]): Promise<readonly string[]> {
  const left = await nullOnProblem(sortCookies(req, cookies));
  return left?.map(({ cookie }) => cookie) ?? cookies;
}

/**
 * Ends every session of an account: immediately in this process, and within the revocation window in others. Sessions
 * of later sign-ins are not affected.
 * @throws ApiProblem 503
 */
export function revokeAllSessions(account: string | LockedAccount, reason: Revocation): Promise<void> {
  // If it was carried out but the response was lost, it has also ended the caller's session, so the caller cannot
  // retry.
  return retryWhileUnavailable(() => changeAccountWithSessions(account, { revoke: reason }));
}

/**
 * Requires that the signed-in user has just authenticated, because a stolen session must not be sufficient.
 * @param uid of the session
 * @param jwt ID token of a sign-in to the same account at most 5 minutes ago
 * @throws ApiProblem a code of `authorizeWithoutStep`; `recent-login-required`
 */
export async function requireFreshProof(
  uid: string,
  jwt: string,
  request: Pick<SessionRequest, 'enabledIdentities'>,
): Promise<VerifiedSignIn> {
  const token = await verifyFreshProof(uid, jwt);
  // Its second factor was shown days ago.
  if (token.signIn.factor === 'remembered-browser') throw new ApiProblem('second-factor-required');
  return authorizeWithoutStep(token, request);
}

/**
 * Verifies a fresh ID token without the account policy. @throws ApiProblem a code of `verifyToken`;
 * `recent-login-required`
 */
export async function verifyFreshProof(uid: string, jwt: string): Promise<VerifiedToken> {
  const token = await verifyToken(jwt);
  if (token.uid !== uid || !isRecentAuthentication(token.signIn.authenticatedAt))
    throw new ApiProblem('recent-login-required');
  return token;
}

/**
 * Requires that the signed-in user has authenticated within 5 minutes, because a stolen session must not be sufficient.
 * @param session just checked (`requireSessionNow`)
 * @param jwt ID token of a sign-in to the same account; not needed if the session itself is that recent
 * @returns the verified token, or the session's cookie
 * @throws ApiProblem `recent-login-required`; a code of `requireFreshProof`; 503
 */
export async function requireProof(
  { status: { uid, assurance }, authTime }: LiveSession,
  jwt: string | undefined,
  request: SessionRequest,
): Promise<VerifiedToken> {
  if (jwt !== undefined) return (await requireFreshProof(uid, jwt, request)).token;
  if (!isRecentAuthentication(authTime ?? 0)) throw new ApiProblem('recent-login-required');
  const session = await verifyCookie(request.sessionCookie ?? '');
  // Its second factor was shown days ago.
  if (session.signIn.factor === 'remembered-browser') throw new ApiProblem('recent-login-required');
  if (assurance < 2) await requireFactorOfRecords(uid);
  return session;
}
