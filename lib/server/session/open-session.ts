import type { DecodedIdToken } from 'firebase-admin/auth';
import { randomInt, randomUUID } from 'node:crypto';
import { buildSetCookie, buildSetSessionCookie, type SessionCookie } from '@/lib/server/http';
import {
  assertAccountLock,
  callIdentityProvider,
  changeAccountWithSessions,
  changeJudgedAccount,
  findById,
  getIdentityAdmin,
  idTokenByCustomToken,
  recordProvedEmail,
  withAccountLock,
} from '@/lib/server/identity';
import { getOwnBrand, readDeletion, wakeOutbox, type EmailContext } from '@/lib/server/notifications';
import {
  decideMethodsToCut,
  decideOpening,
  toProblem,
  getAccessLevel,
  getLegacyStatus,
  getShownFactor,
  isSecondFactorStep,
  toAccountFacts,
  type Account,
  type Factor,
  type OpeningDecision,
  type OpeningFacts,
  type SignInDecision,
  type StoredAccount,
} from '@/lib/server/policy';
import { digest, hashAccount, log, runOutsideOfRequest } from '@/lib/server/runtime';
import {
  endAndMark,
  findSession,
  getStore,
  hasRecords,
  isAnyEnded,
  isProofEnded,
  markAllEnded,
  recordEvent,
  tryLater,
  wasEnded,
  withRecords,
  withRecordsInTime,
} from '@/lib/server/storage';
import { reportError } from '@/lib/shared/error-reporting/report';
import { ApiProblem, isApiProblem, nullOnProblem } from '@/lib/shared/problem';
import { SESSION } from '@/lib/shared/session-contract';
import { toOwnMethod } from '@/lib/shared/sign-in-methods';
import {
  getAuthenticationTime,
  getFactor,
  getHandoffMethod,
  getProofId,
  getRenewalTime,
  getSessionEnd,
  getSessionId,
  getSessionIds,
  getPresentedSubject,
  getSessionProvider,
  hasRegistered,
  isFreshSignIn,
  mintCustomToken,
  mintCustomTokenForProof,
  mintTokenOfFirstFactor,
  readFirstFactor,
  readHandoffClaims,
  readSignIn,
  verifyCookie,
  verifyCookieOrNull,
} from './tokens';
import {
  authorizeOpening,
  authorizeSignIn,
  decideOnSession,
  readAnnouncedDay,
  readAssurance,
  verifyToken,
} from './verify-sign-in';
import { buildSessionCookies } from './cookies';
import { leaveSessionOfOther } from './leave-sessions';
import { requireSecondFactor } from './pending-sign-in';
import { notifyOwner, proveMailbox } from './prove-mailbox';
import { countInNetwork, digestDevice, ensureDeviceSecret, isRememberedBrowser } from './request';
import { continueSession, notifyOfSignIn, recordSession, type NewSession, type OpeningResult } from './sessions';
import type { CreatedSession, Device, SessionRequest } from './types';

/** How long a sign-in waits for its scheduled deletion, in milliseconds. */
const DELETION_TIMEOUT_MS = 1_000;

/**
 * When the account of a user who has just signed in is deleted, RFC 3339.
 * @returns null without a scheduled deletion, and while the database is away: the sign-in goes on
 */
async function readDeletionAtSignIn(uid: string): Promise<string | null> {
  const found = await nullOnProblem(withRecords((records) => readDeletion(records, uid), DELETION_TIMEOUT_MS));
  return found?.effectiveAt.toISOString() ?? null;
}

/** Minimum session length of the identity provider, in seconds. */
const SHORTEST_SESSION_SECONDS = 300;

/** A session derived from another one must not outlive it. @returns seconds */
function getLifetime(decoded: DecodedIdToken): number {
  if (readHandoffClaims(decoded) === null || getSessionProvider(decoded) !== 'custom') return SESSION.length;
  const left = Math.floor(getAuthenticationTime(decoded) + SESSION.length - Date.now() / 1000);
  return Math.min(SESSION.length, Math.max(SHORTEST_SESSION_SECONDS, left));
}

// The only maker of session cookies (tests/repo/session-cookies.test.ts, docs/adr/0027).

/** Between the creation of an account and its first sign-in, when both are one call of the identity provider. */
const NEW_ACCOUNT_SECONDS = 2;
/** Of one session: other sessions can have its cookie. */
const MAX_COOKIES = 12;

type Outcome = Exclude<OpeningDecision, { outcome: 'refuse' }>['outcome'];
type Opening = {
  decoded: DecodedIdToken;
  user: StoredAccount;
  /** Just before the account was requested. */
  requestedAt: Date;
  outcome: Outcome;
  browser: BrowserSession;
  isSignIn: boolean;
  /** The user has authenticated just now, at the identity provider and not by our own token. */
  isFreshProof: boolean;
  /** Of the email about a sign-in on a new browser; null when there is none to send. */
  emailContext: EmailContext | null;
  /** It completes a registration, or is the first one by the provider that has created the account. */
  isRegistration: boolean;
  /** The user has chosen that this browser is remembered. */
  remembersBrowser: boolean;
  /** The passkey of this sign-in, if a second factor shown with it makes its user verification count. */
  unverifiedPasskey: string | null;
};
/** What our server knows of a sign-in besides its token. */
type Occasion = Partial<Pick<Opening, 'remembersBrowser' | 'unverifiedPasskey'>> & Pick<OpeningFacts, 'evidence'>;
type AllowedSignIn = Pick<Opening, 'decoded' | 'requestedAt'> & {
  account: Account;
  decision: Extract<SignInDecision, { outcome: 'allow' }>;
};
type SignInStep = Extract<SignInDecision, { outcome: 'step' }>;

/**
 * Opens a session for a verified ID token, or continues the browser's present one.
 * @throws ApiProblem as `SessionBackend.open`
 */
export async function openSession(
  token: string,
  decoded: DecodedIdToken,
  request: SessionRequest,
  unverifiedPasskey: string | null,
): Promise<CreatedSession> {
  const requestedAt = new Date();
  const { account, decision } = await authorizeOpening(decoded, request);
  if (decision.outcome === 'step') return takeStep(decision, decoded, account, { ...request, unverifiedPasskey });
  const evidence = isFreshSignIn(decoded) ? 'fresh-proof' : 'old-proof';
  return establish(token, { decoded, account, decision, requestedAt }, request, { evidence, unverifiedPasskey });
}

/**
 * Opens the session of a sign-in whose second factor was shown at most ten minutes after its first.
 * @throws ApiProblem as `SessionBackend.completeSignIn`
 */
export async function completeSignIn(
  token: string,
  decoded: DecodedIdToken,
  request: SessionRequest,
  remembersBrowser: boolean,
): Promise<CreatedSession> {
  const requestedAt = new Date();
  const { account, decision } = await authorizeOpening(decoded, request, getSessionProvider(decoded));
  if (decision.outcome === 'step') return takeStep(decision, decoded, account, request);
  const signIn = { decoded, account, decision, requestedAt };
  return establish(token, signIn, request, { evidence: 'fresh-proof', remembersBrowser });
}

/**
 * Replaces the session of a browser whose user has changed the account, and with that revoked it.
 * @throws ApiProblem as `SessionBackend.replace`
 */
export async function replaceSession(
  token: string,
  decoded: DecodedIdToken,
  request: SessionRequest,
): Promise<CreatedSession> {
  const requestedAt = new Date();
  // Neither the origin nor the platform is asked: a replacement needs no more factors than the original session.
  const asked = { enabledSocial: request.enabledSocial };
  // By the provider of the session that it replaces: a custom token would end with the first proof of a session that was renewed since.
  const { account, decision } = await authorizeSignIn(decoded, asked, getSessionProvider(decoded));
  // Nothing waits for it: the change is done, and its browser signs in again.
  if (decision.outcome === 'step') throw toProblem(decision);
  return establish(token, { decoded, account, decision, requestedAt }, request, { evidence: 'replacement' });
}

/** See `SessionBackend`. */
export async function requireOwnBrowser(
  uid: string,
  { sessionCookie, device }: Pick<SessionRequest, 'sessionCookie' | 'device'>,
): Promise<string | null> {
  const browser = await readBrowserSession(sessionCookie, device, { uid, authenticatedAt: 0, validSince: 0 });
  decide({ ...browser, evidence: 'own-browser', isSameProof: true });
  return browser.id;
}

/**
 * The step that the account policy requires first: taken already in a remembered browser, and otherwise thrown.
 * @throws ApiProblem with the code of the step
 */
async function takeStep(
  step: SignInStep,
  decoded: DecodedIdToken,
  { facts }: Account,
  request: SessionRequest & { unverifiedPasskey?: string | null },
): Promise<CreatedSession> {
  const { code } = step;
  if (!isSecondFactorStep(code)) throw toProblem(step);
  // The refresh token of a browser outlives its sign-in: it is no first factor.
  if (!isFreshSignIn(decoded)) throw new ApiProblem('recent-login-required', { rule: step.rule });
  if (!(await isRememberedBrowser(facts, request))) throw await requireSecondFactor(decoded, facts, code, request);
  // The token of a remembered browser says so, as that of any second factor does: it never leaves our server.
  const minted = await mintTokenOfFirstFactor({ uid: decoded.uid, ...readFirstFactor(decoded) }, 'remembered-browser');
  const token = await idTokenByCustomToken(minted);
  return completeSignIn(token, await verifyToken(token), request, false);
}

/** What is decided about a sign-in that the account policy allows: whether it opens, continues or replaces a session, and with which proof. */
async function establish(
  token: string,
  { decoded, account, decision, requestedAt }: AllowedSignIn,
  request: SessionRequest,
  { evidence, remembersBrowser = false, unverifiedPasskey = null }: Occasion,
): Promise<CreatedSession> {
  const { user, facts } = account;
  const authenticatedAt = getAuthenticationTime(decoded);
  const from = { uid: user.uid, authenticatedAt, validSince: facts.validSince };
  const browser = await readBrowserSession(request.sessionCookie, request.device, from);
  const isSameProof = browser.authenticatedAt === authenticatedAt;
  const outcome = decide({ ...browser, evidence, isSameProof });
  const isRenewal = browser.cookie !== null && isSameProof;
  const isSignIn = evidence !== 'replacement' && !(outcome === 'unrecorded' ? isRenewal : outcome !== 'open');
  const isFreshProof = evidence === 'fresh-proof';
  // A session that gets its record by the same proof may be one that was to be announced when the database was away.
  const isAnnounced = hasRecords() && (isSignIn || (isFreshProof && outcome !== 'continue'));
  const emailContext = isAnnounced ? await request.emailContext() : null;
  const opening = {
    decoded,
    user,
    requestedAt,
    outcome,
    browser,
    isSignIn,
    isFreshProof,
    emailContext,
    isRegistration: isSignIn && (hasRegistered(decoded) || isFirstSignInOfProvider(decoded, user)),
    remembersBrowser,
    unverifiedPasskey,
  };
  if (!decision.provesMailbox) {
    await countOpening(user, evidence, request);
    await recordProvedEmail(account);
    return issue(token, opening, request);
  }
  const presentedMethod = getSessionProvider(decoded);
  const presentedSubject = getPresentedSubject(decoded, presentedMethod);
  const proof = { by: 'organization', browser: 'other', presentedMethod, presentedSubject } as const;
  await proveMailbox(account, proof, await request.emailContext());
  // After the decision: refused sign-ins must not consume the owner's budget.
  await countOpening(user, evidence, request);
  // The proof has revoked the token with all others, and with all sessions.
  // An account with a second factor is here for the organization's sign-in, or for the factor that was shown after it.
  const factor = getShownFactor(facts, readSignIn(decoded));
  const renewed = await idTokenByCustomToken(await mintCustomTokenForProof(user.uid, { factor }));
  const after = { decoded: await verifyToken(renewed), isFreshProof: false };
  return issue(renewed, { ...opening, ...after, outcome: outcome === 'unrecorded' ? outcome : 'open' }, request);
}

async function countOpening(user: StoredAccount, evidence: OpeningFacts['evidence'], request: SessionRequest) {
  // The change that it follows was counted, and is done: its user would be signed out.
  if (evidence !== 'replacement') await countInNetwork('create-session-of-account', user, request);
}

/**
 * Renews the session of a cookie from its record. The new cookie is judged as the one before, and ends with it.
 * @param shown the second factor that its user has just shown, besides: then a session without a record has a successor, too
 * @throws ApiProblem as `SessionBackend.renew`
 */
export async function renewSession(
  cookie: string,
  request: SessionRequest,
  shown: Factor | null = null,
): Promise<CreatedSession> {
  if (!hasRecords()) throw new ApiProblem('not-found');
  const decoded = await verifyCookie(cookie);
  const requestedAt = new Date();
  const { user, facts } = (await findById(decoded.uid)) ?? {};
  if (!user || !facts) throw new ApiProblem('user-deleted');
  const sids = getSessionIds(cookie, decoded);
  const permission = await decideOnSession(readSignIn(decoded), user, await wasEnded(sids));
  if (permission.outcome !== 'allow') throw toProblem(permission);
  const authenticatedAt = getAuthenticationTime(decoded);
  const from = { uid: user.uid, authenticatedAt, validSince: facts.validSince };
  const browser = await readBrowserSession(cookie, request.device, from);
  const evidence = shown ? 'step-up' : 'renewal';
  const outcome = decide({ ...browser, evidence, isSameProof: true });
  await countOpening(user, evidence, request);
  const customToken = await mintCustomToken({
    uid: user.uid,
    sid: sids.at(-1) ?? '',
    derived: readHandoffClaims(decoded)?.derived,
    authenticatedAt,
    renewedAt: getRenewalTime(decoded),
    method: getHandoffMethod(decoded),
    factor: shown ?? getFactor(decoded),
    renews: getSessionProvider(decoded),
  });
  const token = await idTokenByCustomToken(customToken);
  const renewed = await verifyToken(token);
  const opening = {
    decoded: renewed,
    user,
    requestedAt,
    outcome,
    browser,
    isSignIn: false,
    isFreshProof: false,
    emailContext: null,
    isRegistration: false,
    remembersBrowser: false,
    unverifiedPasskey: null,
  };
  return issue(token, opening, request);
}

function decide(facts: OpeningFacts): Outcome {
  const decision = decideOpening(facts);
  if (decision.outcome !== 'refuse') return decision.outcome;
  throw toProblem({ ...decision, ...(decision.code === 'records-unavailable' && { retryAfter: 5 }) });
}

/** Makes the session cookie and its record, and then the browser's cookies. */
async function issue(token: string, opening: Opening, request: SessionRequest): Promise<CreatedSession> {
  const { decoded, user } = opening;
  // A change has revoked all sessions but this one: another process may have revoked this one, too.
  await assertAccountLock(decoded.uid);
  const device = hasRecords() ? ensureDeviceSecret(request.device) : request.device;
  const fitted = await fitToBrowsers(token, opening);
  const cookie = await createRecordedCookie(fitted.token, fitted.opening, device, request);
  await leaveSessionOfOther(request, decoded.uid);
  const accessLevel = getAccessLevel(user.customClaims);
  const legacyStatus = getLegacyStatus(user.customClaims);
  const identity = { cookie, sid: getSessionId(cookie), uid: decoded.uid, accessLevel, legacyStatus };
  const ofDevice = hasRecords() && device.secret !== null ? [buildSetCookie('device', device.secret)] : [];
  const [announcedFrom, deletionAt] = opening.isSignIn
    ? await Promise.all([readAnnouncedDay(readSignIn(decoded), user, request), readDeletionAtSignIn(decoded.uid)])
    : [null, null];
  return {
    cookies: [...buildSessionCookies(identity), ...ofDevice],
    email: user.email ?? null,
    user,
    announcedFrom,
    deletionAt,
  };
}

/** Browsers drop a longer cookie, its name and attributes included (RFC 6265, section 6.1): the user would be led back to sign-in for ever. */
const MAX_COOKIE_BYTES = 4_096;
/** What a session cookie has besides its claims: header and RS256 signature. The emulator's cookies have less. */
const [HEADER_LENGTH, SIGNATURE_LENGTH] = [100, 342];
/** By how much the claims of a session cookie are longer than those of its ID token, for the name of its issuer. */
const ISSUER_LENGTH = 10;

/** The size of the session cookie that an ID token gives, or of a session cookie. */
function getCookieBytes(token: string): number {
  const [header = '', claims = '', signature = ''] = token.split('.');
  const rest = Math.max(header.length + signature.length, HEADER_LENGTH + SIGNATURE_LENGTH);
  const length = claims.length + ISSUER_LENGTH + rest + 2;
  return Buffer.byteLength(buildSetSessionCookie('x'.repeat(length) as SessionCookie));
}

/**
 * Makes the session cookie small enough for browsers. A client can write a long name and picture at the identity provider and connect identities
 * with long ids there, an organization adds attributes to its tokens, and operators set claims. First the attributes give way, then the picture,
 * the name, and the methods of another email that this sign-in does not use; claims never do. A profile that exceeds its bounds is cut in any case.
 * @throws ApiProblem `internal-error`, which is reported, when claims, email and methods alone are too long; 503
 */
async function fitToBrowsers(token: string, opening: Opening): Promise<{ token: string; opening: Opening }> {
  const { user } = opening;
  const { uid, displayName, photoURL } = user;
  let fitted = { token, opening };
  const cut = async (change: () => Promise<void>) => {
    await change();
    const renewed = await idTokenByCustomToken(await mintSameSignIn(opening.decoded));
    fitted = { token: renewed, opening: { ...opening, decoded: await verifyToken(renewed) } };
  };
  const cutProfile = (change: Parameters<typeof changeAccountWithSessions>[1]) =>
    changeAccountWithSessions(uid, change);
  if (user.exceedsBounds) {
    log().warn({ account: hashAccount(uid) }, 'the name or picture of an account was cut');
    const isCleared = displayName === undefined;
    const change = isCleared ? { clearProfile: true } : { displayName, clearPicture: photoURL === undefined };
    await cut(() => cutProfile(change));
  }
  const cuts = [
    () => Promise.resolve(),
    () => cutProfile({ clearPicture: true }),
    () => cutProfile({ clearProfile: true }),
    () => removeForeignMethods(uid, getMethod(opening.decoded)),
  ];
  for (const each of cuts) {
    if (getCookieBytes(fitted.token) <= MAX_COOKIE_BYTES) return fitted;
    await cut(each);
  }
  if (getCookieBytes(fitted.token) <= MAX_COOKIE_BYTES) return fitted;
  const cause = new Error('The claims of an account are too long for a session cookie: shorten its custom claims');
  throw new ApiProblem('internal-error', { cause });
}

/** Removes the methods of another email than the account's, but for one, and tells the owner. @param used that of the present sign-in */
async function removeForeignMethods(uid: string, used: string | null): Promise<void> {
  await withAccountLock(uid, async () => {
    const account = await findById(uid);
    if (account === null) throw new ApiProblem('user-deleted');
    const { email, methods } = account.facts;
    const { remove, keep } = decideMethodsToCut(methods, { email, used });
    if (remove.length === 0) return;
    const tell = () => notifyOwner(account.user, { notice: 'methods-disconnected', keep, remove }, getOwnBrand());
    await changeJudgedAccount(account, { removes: { methods: remove, tell } });
  });
}

/** A token of the same sign-in, with the account as it is now. It never leaves our server. */
function mintSameSignIn(decoded: DecodedIdToken): Promise<string> {
  const { session, derived } = readHandoffClaims(decoded) ?? {};
  const provider = getSessionProvider(decoded);
  return mintCustomToken({
    uid: decoded.uid,
    sid: session ?? randomUUID(),
    derived,
    authenticatedAt: getAuthenticationTime(decoded),
    renewedAt: getRenewalTime(decoded),
    method: getHandoffMethod(decoded),
    factor: getFactor(decoded),
    ...(provider !== 'custom' && { renews: provider }),
  });
}

/** Cookies made in different seconds differ. */
const CLAIM_SECONDS = 60;

/** Claims a session id for one browser, in all processes. @returns false when another one has it */
function claimSessionId(sid: string): Promise<boolean> {
  return getStore().setIfAbsent(`session-id:${sid}`, '1', CLAIM_SECONDS);
}

/**
 * Two sign-ins within a second produce the same cookie. If another browser has that one, or it was ended in between, a
 * different lifetime produces a different one.
 */
async function createRecordedCookie(
  token: string,
  opening: Opening,
  device: Device,
  request: SessionRequest,
): Promise<SessionCookie> {
  const lifetime = getLifetime(opening.decoded);
  for (let count = 0; count < MAX_COOKIES; count += 1) {
    const shorter = count < 2 ? count : randomInt(2, 60 * count);
    const seconds = lifetime - shorter < SHORTEST_SESSION_SECONDS ? lifetime + shorter : lifetime - shorter;
    const cookie = await callIdentityProvider(
      getIdentityAdmin().createSessionCookie(token, { expiresIn: seconds * 1000 }),
      'createSessionCookie',
    );
    const sid = getSessionId(cookie);
    if ((await isAnyEnded([sid])) || !(await claimSessionId(sid))) continue;
    const result = await record(opening, { sid, expiresAt: new Date(Date.now() + seconds * 1000) }, device, request);
    if (result === 'announced') wakeOutbox();
    if (result === 'recorded' || result === 'announced') return cookie as SessionCookie;
    if (result === 'second-factor') throw await requireRecordedFactor(opening, request);
    if (result === 'ended') throw new ApiProblem(opening.isFreshProof ? 'recent-login-required' : 'session-required');
  }
  throw new ApiProblem('too-many-requests', { retryAfter: 1 });
}

/**
 * The records know of a second factor that the claim does not. Only the sign-in of a fresh proof waits for it: after a change nothing does, and
 * an old token is no first factor.
 */
async function requireRecordedFactor(opening: Opening, request: SessionRequest): Promise<ApiProblem> {
  const { decoded, user, isFreshProof, unverifiedPasskey } = opening;
  if (!isFreshProof) return new ApiProblem('recent-login-required');
  const facts = toAccountFacts(user, null, null);
  return requireSecondFactor(decoded, facts, 'second-factor-required', { ...request, unverifiedPasskey });
}

async function record(
  opening: Opening,
  cookie: { sid: string; expiresAt: Date },
  device: Device,
  request: SessionRequest,
): Promise<OpeningResult> {
  const { outcome, browser, decoded, user, emailContext, isFreshProof } = opening;
  const events = getEvents(opening);
  const [{ uid }, { email }, at, client] = [decoded, user, new Date(), request.client()];
  const signIn = readSignIn(decoded);
  const session: NewSession = {
    ...cookie,
    uid,
    at,
    method: getMethod(decoded),
    root: readHandoffClaims(decoded)?.session ?? null,
    proofId: getProofId(decoded),
    authenticatedAt: new Date((getRenewalTime(decoded) ?? getAuthenticationTime(decoded)) * 1000),
    firstAuthenticatedAt: new Date(getAuthenticationTime(decoded) * 1000),
    client,
    deviceDigest: digestDevice(device, uid),
    previous: isSuccessor(opening) ? browser.cookie : null,
    events,
    isSignIn: opening.isSignIn,
    assurance: await readAssurance(signIn, user),
    isRemembered: signIn.factor === 'remembered-browser',
    remembersBrowser: opening.remembersBrowser,
    validSince: new Date(toAccountFacts(user, null, null).validSince * 1000),
    pending: request.pendingSignIn === null ? null : digest(request.pendingSignIn),
    language: request.language,
    isRegistration: opening.isRegistration,
    freshProof: isFreshProof ? new Date(getAuthenticationTime(decoded) * 1000) : null,
    announce:
      emailContext && email ? (tx, id) => notifyOfSignIn(tx, id, { uid, email, at, client, emailContext }) : null,
  };
  if (outcome === 'unrecorded') {
    // The database may only be slow: its owner shall find the session, and can end it, also by the cookie that the browser had before.
    if (!opening.isSignIn && !isFreshProof) return 'recorded';
    finishLate(
      withRecords((records) => recordSession(records, session)),
      session,
    );
    return 'recorded';
  }
  const { id } = browser;
  let recording: Promise<OpeningResult> | null = null;
  try {
    return await withRecordsInTime((records) => {
      const isContinued = outcome === 'continue' && id !== null;
      return (recording = isContinued ? continueSession(records, id, session) : recordSession(records, session));
    });
  } catch (error) {
    if (outcome !== 'open' || !isApiProblem(error) || error.code !== 'records-unavailable') throw error;
    // A fresh proof opens a session without a record, as while the database is away from the start.
    finishLate(recording ?? Promise.reject(error), session);
    return 'recorded';
  }
}

/** Whether the session has the cookie that the browser had before, which is of no record: it may get one late. */
function isSuccessor({ outcome, browser, isSignIn }: Opening): boolean {
  if (outcome === 'open') return browser.session === 'unrecorded';
  return outcome === 'adopt' || (outcome === 'unrecorded' && !isSignIn);
}

/** When a record that failed is tried again, in seconds after the try before. */
const LATE_RECORDS = [10, 30];

/** A transaction that was only slow may still be committed, with its events, or refuse the session, which has been opened meanwhile. */
function finishLate(recording: Promise<OpeningResult>, session: NewSession): void {
  const finish = async () => {
    const first = await recording.catch(() => null);
    const again = () =>
      tryLater(`record ${session.sid}`, LATE_RECORDS, (records) => recordSession(records, { ...session, events: [] }));
    const result = first ?? (await again());
    // Not before: the database that did not take the session would not take them.
    if (first === null || first === 'taken') recordEventsAlone(session);
    if (result === null || result === 'taken') return;
    if (result === 'announced') wakeOutbox();
    if (result === 'ended' || result === 'second-factor') return markAllEnded([session]);
    // Signed out just now, when there was no record to end.
    if (!(await isAnyEnded([session.sid]))) return;
    const ending = { uid: session.uid, sids: [session.sid], at: new Date(), by: 'sign-out' } as const;
    await withRecords((records) => endAndMark(records, ending));
  };
  runOutsideOfRequest(finish).catch((cause: unknown) => reportError(cause, { during: 'recording a session late' }));
}

function recordEventsAlone({ uid, at, client, method, events }: NewSession): void {
  for (const event of events) recordEvent({ uid, at, client, ...event, ...(method !== null && { method }) });
}

/** The sign-in, and before it the registration: the identity provider creates the account of a provider sign-in by itself. */
function getEvents({ decoded, user, requestedAt, isSignIn }: Opening): NewSession['events'] {
  if (!isSignIn) return [];
  const read = { methods: user.providerData.map(({ providerId }) => providerId), requestedAt };
  const isFirst = isFirstSignInOfProvider(decoded, user);
  return [...(isFirst ? [{ kind: 'registered' } as const] : []), { kind: 'signed-in', read }];
}

/** A sign-in by a provider that has created the account: what follows it, as a second factor, is of the same flow. */
function isFirstSignInOfProvider(decoded: DecodedIdToken, { metadata }: StoredAccount): boolean {
  const provider = getSessionProvider(decoded);
  const age = Math.abs(Date.parse(metadata.creationTime) / 1000 - getAuthenticationTime(decoded));
  return age < NEW_ACCOUNT_SECONDS && provider !== 'password' && provider !== 'custom';
}

function getMethod(decoded: DecodedIdToken): string | null {
  const provider = getSessionProvider(decoded);
  return provider === 'custom' ? toOwnMethod(getHandoffMethod(decoded)) : provider;
}

/** What is known of the session that a browser has. `id`, of a live session, in the records; `cookie`: of a session not ended. */
type BrowserSession = Pick<OpeningFacts, 'records' | 'session' | 'device' | 'isProofEnded'> & {
  authenticatedAt: number | null;
  id: string | null;
  cookie: { sid: string; expiresAt: Date } | null;
};

type Genuine = { sids: string[]; authenticatedAt: number; expiresAt: Date; isEnded: boolean };

/**
 * Collects what `decideOpening` has to know about the session of a browser.
 * @param cookie the browser's session cookie, genuine or not
 * @param account its id, the time of the proof, and when all sessions were revoked, seconds since 1970
 */
async function readBrowserSession(
  cookie: string | null,
  device: Device,
  account: { uid: string; authenticatedAt: number; validSince: number },
): Promise<BrowserSession> {
  const genuine = cookie === null ? null : await readGenuine(cookie, account);
  const authenticatedAt = genuine?.authenticatedAt ?? null;
  const withoutRecords = {
    authenticatedAt,
    id: null,
    isProofEnded: false,
    device: 'other',
    ...describeCookie(genuine),
  } as const;
  if (!hasRecords()) return { ...withoutRecords, records: 'none' };
  try {
    return await withRecordsInTime(async (records) => {
      const [proofEnded, found] = await Promise.all([
        records.query((tx) => isProofEnded(tx, account.uid, new Date(account.authenticatedAt * 1000))),
        genuine && findSession(records, genuine.sids, new Date()),
      ]);
      const common = { records: 'here', authenticatedAt, isProofEnded: proofEnded } as const;
      if (!found?.own && !found?.isEnded) return { ...withoutRecords, ...common };
      const { own } = found;
      if (genuine?.isEnded || !own?.isLive)
        return { ...common, session: 'ended', device: 'other', id: null, cookie: null };
      // Null: of a browser that is not known any more.
      const isSame = own.deviceDigest !== null && own.deviceDigest === digestDevice(device, account.uid);
      const match = isSame ? 'same' : 'other';
      return { ...common, session: 'live', device: match, id: own.id, cookie: describeCookie(genuine).cookie };
    });
  } catch (error) {
    if (!isApiProblem(error) || error.code !== 'records-unavailable') throw error;
    return { ...withoutRecords, records: 'away' };
  }
}

function describeCookie(genuine: Genuine | null): Pick<BrowserSession, 'session' | 'cookie'> {
  if (genuine === null) return { session: 'none', cookie: null };
  if (genuine.isEnded) return { session: 'ended', cookie: null };
  return { session: 'unrecorded', cookie: { sid: genuine.sids[0] ?? '', expiresAt: genuine.expiresAt } };
}

/** @returns null for a cookie that is not genuine, or of another account */
async function readGenuine(
  cookie: string,
  { uid, validSince }: { uid: string; validSince: number },
): Promise<Genuine | null> {
  const decoded = await verifyCookieOrNull(cookie);
  if (decoded?.uid !== uid) return null;
  const sids = getSessionIds(cookie, decoded);
  const isOver = isRevoked(decoded, validSince) || getSessionEnd(decoded) * 1000 <= Date.now();
  return {
    sids,
    authenticatedAt: getAuthenticationTime(decoded),
    expiresAt: new Date(decoded.exp * 1000),
    isEnded: isOver || (await isAnyEnded(sids)),
  };
}

function isRevoked(decoded: DecodedIdToken, validSince: number): boolean {
  return (getRenewalTime(decoded) ?? getAuthenticationTime(decoded)) < validSince;
}
