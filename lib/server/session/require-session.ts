import { eq, sql } from 'drizzle-orm';
import type { DecodedIdToken } from 'firebase-admin/auth';
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
  findSession,
  getRecords,
  hasRecords,
  queryInTime,
  recordEvent,
  sessions,
  withRecords,
  withRecordsInTime,
} from '@/lib/server/storage';
import { ApiProblem, isApiProblem } from '@/lib/shared/problem';
import {
  getAuthenticationTime,
  getFactor,
  getSessionIds,
  isRecentAuthentication,
  readSignIn,
  type RecentSession,
  verifyCookie,
} from './tokens';
import {
  authorizeWithoutStep,
  decideOnSession,
  requireFactorOfRecords,
  type VerifiedSignIn,
  verifySessionUncached,
  verifyToken,
} from './verify-sign-in';
import { createFirebaseBackend } from './firebase';
import { leaveSessions, markEnabledInBackground, toRefusedAccount } from './leave-sessions';
import { readDevice, toSessionRequest } from './request';
import { touchSession } from './sessions';
import type { LiveSession, SessionBackend, SessionRequest, SignIn } from './types';
import { createUpstreamBackend } from './upstream';

/**
 * Checks with the provider, bypassing the cache, whether a session may be exchanged for a custom token (docs/adr/0012).
 * @throws ApiProblem 401, `recent-login-required` for a proof older than 5 minutes, or 503 when it cannot be decided or
 *   sessions are managed by another deployment
 */
export async function requireRecentSession(cookie: string): Promise<RecentSession> {
  if (env().SESSION_BACKEND === 'upstream') throw providerUnavailable();
  const decoded = await verifyCookie(cookie);
  setRequestAccount(decoded.uid);
  const sids = getSessionIds(cookie, decoded);
  const session = { uid: decoded.uid, sid: sids.at(-1) ?? '', sids, ...readSignIn(decoded) };
  const account = await verifySessionUncached(session);
  if (!isRecentAuthentication(session.authenticatedAt)) throw new ApiProblem('recent-login-required');
  // The custom token is of no provider: it says itself that the organization's sign-in counts as two factors.
  return { ...session, factor: getShownFactor(account, session) };
}

/** The last use of a session is recorded at most once in this time, in milliseconds. */
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
 * Records, in the background, that a browser has used its session. The platform's servers pass cookies on without Fetch
 * Metadata: their checks do not tell where the browser is.
 */
function recordUse(req: Pick<IncomingMessage, 'headers' | 'socket'>, sid: string): void {
  if (req.headers['sec-fetch-site'] === undefined || !hasRecords() || recorded().has(sid)) return;
  recorded().set(sid, true);
  const at = new Date();
  const since = new Date(at.getTime() - INTERVAL_MS);
  const client = describeClient(req);
  getRecords()
    .then((records) => touchSession(records, { sid, at, since, client }))
    .catch((error: unknown) => log().debug({ err: error }, 'the use of a session could not be recorded'));
}

/**
 * `id`, in the records: not the `sid`, which scripts can read. `signIn`: how its user signed in; `clients`: of the OpenID Provider, which have
 * signed its user in by it.
 */
export type RecordedSession = { id: string; session: LiveSession; signIn: SignIn; expiresAt: Date; clients: string[] };

/**
 * The session of a request, with its record, by which it is live now; its account was within the last 20 s.
 * @returns null without a live session, and for one without a record, which is opened while the database is away
 * @throws ApiProblem 503 when that cannot be decided
 */
export function readRecordedSession(req: RequestWithCookies): Promise<RecordedSession | null> {
  return readWithRecord(req, requireSession);
}

/** The same, with its account as it is now. */
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
 * The account of a live session, asked for without its cookie.
 * @param id of the session in the records
 * @param signIn how its user signed in, as far as it is known
 * @returns null when the session has ended, or its account may no longer be signed in, as a check of its cookie decides: disabled, deleted,
 *   revoked, or not by this sign-in any more, as with another email
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
    // The session may go on by a later sign-in: its own checks tell that it is over.
    const isOver = signIn !== null && (await isRefused({ ...signIn, renewedAt: row.since }, account.user));
    return isOver ? null : account.user;
  }
  // Disabled, revoked or deleted elsewhere: all are told by the first client that asks.
  const refused = account && toRefusedAccount(account.user, { renewedAt: null, authenticatedAt: row.since });
  await withRecords((records) => leaveSessions(records, row.uid, refused, () => Promise.resolve([id])));
  return null;
}

async function isRefused(signIn: SignIn, user: StoredAccount): Promise<boolean> {
  return (await decideOnSession(signIn, user, false)).outcome !== 'allow';
}

export type { LiveSession } from './types';

/** The configured backend. */
export function getSessionBackend(): SessionBackend {
  const { SESSION_BACKEND, UPSTREAM_IDENTITY_URL: url, NEXT_PUBLIC_MAIN_DOMAIN: mainDomain } = env();
  return SESSION_BACKEND === 'upstream' && url ? createUpstreamBackend({ url, mainDomain }) : createFirebaseBackend();
}

/** The session cookie of a request, of several the live one once a check has found it; null when there is none. */
export function getSessionCookie(req: RequestWithCookies): string | null {
  return readSessionCookies(req)[0] ?? null;
}

/** Finds the live session of a request that has several session cookies, for what does not check it first. @throws ApiProblem 503 */
export async function settleSessionCookie(req: RequestWithCookies): Promise<void> {
  if (readSessionCookies(req).length > 1) await hasEndedSession(req);
}

/**
 * The live session of a request, for API routes and pages.
 * @throws ApiProblem 401 (`session-required` and others), 503 when that cannot be decided
 */
export async function requireSession(req: RequestWithCookies): Promise<LiveSession> {
  return checkSession(req, false);
}

/** The same for the most frequent call: at once where nothing has to be asked (docs/adr/0039). */
export function requireSessionAtOnce(req: RequestWithCookies): LiveSession | Promise<LiveSession> {
  return checkSession(req, false);
}

/** The same with the account as it is now: a session that was revoked in another process within the last 20 s is none. */
export async function requireSessionNow(req: RequestWithCookies): Promise<LiveSession> {
  return checkSession(req, true);
}

/**
 * The same for a change of the account, and for what leads to one, in the browser that the session was opened in. Before all else: what is
 * asked with a copied cookie must not use up the limits and the turns of its owner.
 * @throws ApiProblem as `requireSession`; `recent-login-required` for a session of another browser
 */
export async function requireOwnSession(req: RequestWithCookies): Promise<LiveSession> {
  const session = await requireSessionNow(req);
  await getSessionBackend().requireOwnBrowser(session.status.uid, toSessionRequest(req));
  return session;
}

/**
 * The same for a custom token of the session, which has no more proof than the session itself.
 * @param passesWithoutDatabase for what must go on while the database is away, as sign-in does
 * @throws ApiProblem as `requireRecentSession`; `recent-login-required` for a session of another browser, too
 */
export async function requireOwnRecentSession(
  req: RequestWithCookies,
  { passesWithoutDatabase = false } = {},
): Promise<RecentSession> {
  await settleSessionCookie(req);
  const cookie = getSessionCookie(req);
  if (cookie === null) throw new ApiProblem('session-required');
  const session = await requireRecentSession(cookie);
  try {
    await getSessionBackend().requireOwnBrowser(session.uid, toSessionRequest(req));
  } catch (error) {
    if (!passesWithoutDatabase || !isApiProblem(error) || error.code !== 'records-unavailable') throw error;
  }
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

/** The session of a request is the first one that is live. @throws ApiProblem the refusal of the first cookie; 503 */
async function checkInTurn(
  req: RequestWithCookies,
  cookies: readonly string[],
  check: (cookie: string) => LiveSession | Promise<LiveSession>,
): Promise<LiveSession> {
  let refusal: ApiProblem | undefined;
  for (const cookie of cookies) {
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

/** Whether a request has a session cookie whose session is over; false while that cannot be decided. */
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

/** Ends the session of a request, or each of several; does nothing when there is none. @throws ApiProblem 503 */
export async function endSession(req: RequestWithCookies): Promise<void> {
  const ended = readSentSessionCookies(req).map((cookie) => getSessionBackend().end(cookie, readDevice(req)));
  for (const uid of new Set(await Promise.all(ended)))
    if (uid !== null) recordEvent({ uid, kind: 'signed-out', client: describeClient(req) });
}

/**
 * Ends every session of an account: immediately in this process, within the revocation window in all others. Sessions
 * created by a later sign-in are not affected.
 * @throws ApiProblem 503
 */
export function revokeAllSessions(uid: string): Promise<void> {
  // Carried out without an answer, it has ended the own session, too: the caller cannot ask again.
  return retryWhileUnavailable(() => changeAccountWithSessions(uid, { revoke: true }));
}

/**
 * Requires that the signed-in user has just proved who they are: a stolen session must not be enough.
 * @param uid of the session
 * @param token ID token of a sign-in to the same account at most 5 minutes ago
 * @throws ApiProblem as `authorizeWithoutStep`; `recent-login-required`
 */
export async function requireFreshProof(
  uid: string,
  token: string,
  request: Pick<SessionRequest, 'enabledSocial'>,
): Promise<VerifiedSignIn> {
  const decoded = await verifyFreshProof(uid, token);
  // Its second factor was shown days ago.
  if (getFactor(decoded) === 'remembered-browser') throw new ApiProblem('second-factor-required');
  return authorizeWithoutStep(decoded, request);
}

/** The same before the account policy is asked. @throws ApiProblem as `verifyToken`; `recent-login-required` */
export async function verifyFreshProof(uid: string, token: string): Promise<DecodedIdToken> {
  const decoded = await verifyToken(token);
  if (decoded.uid !== uid || !isRecentAuthentication(getAuthenticationTime(decoded)))
    throw new ApiProblem('recent-login-required');
  return decoded;
}

/** @param destination where the sign-in page leads, which anyone may name */
type Check = (destination: string, session: Pick<LiveSession, 'sid' | 'authTime'>) => Promise<boolean>;

const never: Check = () => Promise.resolve(false);
const slot = () => processWide('reauthentication', () => ({ check: never }));

/** Whether the destination takes a later authentication than that of the session: then the sign-in page does not redirect. */
export const requiresReauthentication: Check = (destination, session) => slot().check(destination, session);

/** Registers who knows: the OpenID Provider, which no page may import, or the trace of each would list its library. */
export function onReauthentication(check: Check): void {
  slot().check = check;
}

/**
 * Requires that the signed-in user has authenticated within 5 minutes: a stolen session must not be enough.
 * @param session checked just now (`requireSessionNow`)
 * @param token ID token of a sign-in to the same account; not needed when the session itself is that young
 * @returns the verified token, or the session's cookie
 * @throws ApiProblem `recent-login-required`; as `requireFreshProof`, 503
 */
export async function requireProof(
  { status: { uid, assurance }, authTime }: LiveSession,
  token: string | undefined,
  request: SessionRequest,
): Promise<DecodedIdToken> {
  if (token !== undefined) return (await requireFreshProof(uid, token, request)).decoded;
  if (!isRecentAuthentication(authTime ?? 0)) throw new ApiProblem('recent-login-required');
  const decoded = await verifyCookie(request.sessionCookie ?? '');
  // Its second factor was shown days ago.
  if (getFactor(decoded) === 'remembered-browser') throw new ApiProblem('recent-login-required');
  if (assurance < 2) await requireFactorOfRecords(uid);
  return decoded;
}
