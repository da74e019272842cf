import { randomInt, randomUUID } from 'node:crypto';
import { buildSetCookie, buildSetSessionCookie, type SessionCookie } from '@/lib/server/http';
import {
  callIdentityProvider,
  changeAccountWithSessions,
  changeJudgedAccount,
  findById,
  getIdentityAdmin,
  recordProvedEmail,
} from '@/lib/server/identity';
import { getOwnBrand, wakeOutbox, type EmailContext } from '@/lib/server/notifications';
import {
  type CutMethods,
  decideMethodsToCut,
  decideOpening,
  toProblem,
  getAccessLevel,
  getDirectory,
  getLegacyStatus,
  getProviderAuthorization,
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
import { digest, hashAccount, log } from '@/lib/server/runtime';
import {
  deletions,
  findSession,
  getStore,
  isAnyEnded,
  isProofEnded,
  type LockedAccount,
  readScheduled,
  wasEnded,
  withAccountLock,
  withRecords,
  withRecordsInTime,
} from '@/lib/server/storage';
import { ApiProblem, nullOnProblem } from '@/lib/shared/problem';
import { SESSION } from '@/lib/shared/session-contract';
import { toOwnMethod } from '@/lib/shared/sign-in-methods';
import {
  exchange,
  getSessionId,
  isFreshSignIn,
  mintCustomTokenForProof,
  mintSameSignIn,
  mintTokenOfFirstFactor,
  toFirstFactor,
  verifyCookie,
  verifyCookieOrNull,
} from './tokens';
import { authorizeOpening, authorizeSignIn, decideOnSession, readAnnouncedDay, readAssurance } from './verify-sign-in';
import { buildSessionCookies } from './cookies';
import { leaveSessionOfOther } from './leave-sessions';
import { requireSecondFactor } from './pending-sign-in';
import { notifyOwner, proveMailbox } from './prove-mailbox';
import { countInNetwork, digestDevice, ensureDeviceSecret, isRememberedBrowser } from './request';
import { continueSession, notifyOfSignIn, recordSession, type NewSession, type OpeningResult } from './sessions';
import type { CompletedStep, CreatedSession, Device, SessionRequest, VerifiedToken } from './types';

/** How long a sign-in waits for its scheduled deletion, in milliseconds. */
const DELETION_TIMEOUT_MS = 1_000;

/**
 * Reads when the account of a user who has just signed in will be deleted, RFC 3339.
 * @returns null without a scheduled deletion, or if the database is unavailable, because the sign-in continues
 */
async function readDeletionAtSignIn(uid: string): Promise<string | null> {
  const found = await nullOnProblem(
    withRecords((records) => records.query((tx) => readScheduled(tx, deletions, uid)), DELETION_TIMEOUT_MS),
  );
  return found?.effectiveAt.toISOString() ?? null;
}

/** Minimum session length of the identity provider, in seconds. */
const SHORTEST_SESSION_SECONDS = 300;

/** Returns the lifetime of a session. A session derived from another session must not outlive it. @returns seconds */
function getLifetime({ root, signIn }: VerifiedToken): number {
  if (root === null || signIn.provider !== 'custom') return SESSION.length;
  const left = Math.floor(signIn.authenticatedAt + SESSION.length - Date.now() / 1000);
  return Math.min(SESSION.length, Math.max(SHORTEST_SESSION_SECONDS, left));
}

// Only this module creates session cookies (tests/repo/session-cookies.test.ts, docs/adr/0027).

/**
 * Maximum time between the creation of an account and its first sign-in, if a single call of the identity provider did
 * both.
 */
const NEW_ACCOUNT_SECONDS = 2;
/** Maximum cookies to try, because other sessions can have the same cookie. */
const MAX_COOKIES = 12;

type Outcome = Exclude<OpeningDecision, { outcome: 'refuse' }>['outcome'];
type Opening = {
  token: VerifiedToken;
  user: StoredAccount;
  /** Time just before the account was requested. */
  requestedAt: Date;
  outcome: Outcome;
  browser: BrowserSession;
  isSignIn: boolean;
  /** Whether the user has just authenticated at the identity provider, and not by our own token. */
  isFreshProof: boolean;
  /** Context of the email about a sign-in on a new browser. Null if none is sent. */
  emailContext: EmailContext | null;
  /** Whether it completes a registration, or is the first sign-in by the provider that has created the account. */
  isRegistration: boolean;
  /** Whether the user has chosen that this browser is remembered. */
  remembersBrowser: boolean;
  /** The passkey of this sign-in, if a second factor shown with it makes its user verification count. */
  unverifiedPasskey: string | null;
  /** The account of a change that opens the session within its lock. Null if there is no change. */
  locked: LockedAccount | null;
};
/** Our server's facts about a sign-in that are not in its token. */
type Occasion = Partial<Pick<Opening, 'remembersBrowser' | 'unverifiedPasskey' | 'locked'>> &
  Pick<OpeningFacts, 'evidence'>;
type AllowedSignIn = Pick<Opening, 'token' | 'requestedAt'> & {
  account: Account;
  decision: Extract<SignInDecision, { outcome: 'allow' }>;
};
type SignInStep = Extract<SignInDecision, { outcome: 'step' }>;

/**
 * Opens a session for a verified ID token, or continues the browser's session.
 * @throws ApiProblem a code of `SessionBackend.open`
 */
export async function openSession(
  token: VerifiedToken,
  request: SessionRequest,
  unverifiedPasskey: string | null,
): Promise<CreatedSession> {
  const requestedAt = new Date();
  const { account, decision } = await authorizeOpening(token, request);
  if (decision.outcome === 'step') return takeStep(decision, token, account, { ...request, unverifiedPasskey }, null);
  const evidence = isFreshSignIn(token) ? 'fresh-proof' : 'old-proof';
  return establish({ token, account, decision, requestedAt }, request, { evidence, unverifiedPasskey });
}

/**
 * Opens the session of a sign-in whose second factor was shown at most ten minutes after its first factor.
 * @throws ApiProblem a code of `SessionBackend.openWithSecondFactor`
 */
export async function openSessionWithSecondFactor(
  token: VerifiedToken,
  request: SessionRequest,
  step: CompletedStep,
): Promise<CreatedSession> {
  const requestedAt = new Date();
  const { locked } = step;
  const { account, decision } = await authorizeOpening(token, request, { provider: token.signIn.provider, locked });
  if (decision.outcome === 'step') return takeStep(decision, token, account, request, locked);
  return establish({ token, account, decision, requestedAt }, request, { evidence: 'fresh-proof', ...step });
}

/**
 * Replaces the session of a browser whose user has changed the account, which revoked the session.
 * @param locked the account of the change
 * @throws ApiProblem a code of `SessionBackend.replace`
 */
export async function replaceSession(
  token: VerifiedToken,
  request: SessionRequest,
  locked: LockedAccount,
): Promise<CreatedSession> {
  const requestedAt = new Date();
  // Do not apply rules of the origin or platform. No sign-in begins, and no more factors are needed than for the
  // original session.
  const asked = { enabledIdentities: null };
  // Use the provider of the replaced session. A custom token would end with the first proof of a session that was
  // renewed since.
  const { account, decision } = await authorizeSignIn(token, asked, { provider: token.signIn.provider, locked });
  // The change is done, so its browser signs in again instead of waiting for a step.
  if (decision.outcome === 'step') throw toProblem(decision);
  return establish({ token, account, decision, requestedAt }, request, { evidence: 'replacement', locked });
}

/** Implements `SessionBackend.requireOwnBrowser`. */
export async function requireOwnBrowser(
  uid: string,
  { sessionCookie, device }: Pick<SessionRequest, 'sessionCookie' | 'device'>,
): Promise<string | null> {
  const browser = await readBrowserSession(sessionCookie, device, { uid, authenticatedAt: 0, validSince: 0 });
  decide({ ...browser, evidence: 'cookie', isSameProof: true });
  return browser.id;
}

/**
 * Takes the step that the account policy requires, in a remembered browser, or throws it.
 * @param locked the account, if the caller has locked it
 * @throws ApiProblem with the code of the step
 */
async function takeStep(
  step: SignInStep,
  token: VerifiedToken,
  { facts }: Account,
  request: SessionRequest & { unverifiedPasskey?: string | null },
  locked: LockedAccount | null,
): Promise<CreatedSession> {
  const { code } = step;
  if (!isSecondFactorStep(code)) throw toProblem(step);
  // A browser's refresh token outlives its sign-in, so it is no first factor.
  if (!isFreshSignIn(token)) throw new ApiProblem('recent-login-required', { rule: step.rule });
  if (!(await isRememberedBrowser(facts, request))) throw await requireSecondFactor(token, facts, code, request);
  // The token has the factor `remembered-browser`, and like any token of a second factor, it never leaves our server.
  const minted = await mintTokenOfFirstFactor({ uid: token.uid, ...toFirstFactor(token) }, 'remembered-browser');
  return openSessionWithSecondFactor(await exchange(minted), request, { remembersBrowser: false, locked });
}

/** Decides whether an allowed sign-in opens, continues or replaces a session, and with which proof. */
async function establish(
  { token, account, decision, requestedAt }: AllowedSignIn,
  request: SessionRequest,
  { evidence, remembersBrowser = false, unverifiedPasskey = null, locked = null }: Occasion,
): Promise<CreatedSession> {
  const { user, facts } = account;
  const { authenticatedAt } = token.signIn;
  const from = { uid: user.uid, authenticatedAt, validSince: facts.validSince };
  const browser = await readBrowserSession(request.sessionCookie, request.device, from);
  const isSameProof = browser.authenticatedAt === authenticatedAt;
  const outcome = decide({ ...browser, evidence, isSameProof });
  const isSignIn = evidence !== 'replacement' && outcome === 'open';
  const isFreshProof = evidence === 'fresh-proof';
  const emailContext = isSignIn ? await request.emailContext() : null;
  const opening = {
    token,
    user,
    requestedAt,
    outcome,
    browser,
    isSignIn,
    isFreshProof,
    emailContext,
    isRegistration: isSignIn && (token.registers || isFirstSignInOfProvider(token, user)),
    remembersBrowser,
    unverifiedPasskey,
    locked,
  };
  if (!decision.provesMailbox) {
    await countOpening(user, evidence, request);
    await recordProvedEmail(account, locked);
    return issue(opening, request);
  }
  const presented = { presentedMethod: token.signIn.provider, presentedSubject: token.subject };
  const proof = { by: 'organization', browser: 'other', ...presented } as const;
  const at = await proveMailbox(account, proof, await request.emailContext(), { locked });
  // Count it after the decision, because refused sign-ins must not use up the owner's limit.
  await countOpening(user, evidence, request);
  // The proof has revoked this token and all others, and all sessions. An account with a second factor is here for the
  // organization's sign-in, or for the factor that followed it.
  const factor = getShownFactor(facts, token.signIn);
  const renewed = await exchange(await mintCustomTokenForProof(user.uid, { factor, at }));
  return issue({ ...opening, token: renewed, isFreshProof: false, outcome: 'open' }, request);
}

async function countOpening(user: StoredAccount, evidence: OpeningFacts['evidence'], request: SessionRequest) {
  // The change before it was already counted and made. A refusal would sign its user out.
  if (evidence !== 'replacement') await countInNetwork('create-session-of-account', user, request);
}

/**
 * Renews the session of a cookie from its record. The new cookie follows the same policy as the old cookie, and ends
 * with it.
 * @param shown the second factor that the user has just shown, if any
 * @throws ApiProblem a code of `SessionBackend.renew`
 */
export async function renewSession(
  cookie: string,
  request: SessionRequest,
  shown: Factor | null = null,
): Promise<CreatedSession> {
  const session = await verifyCookie(cookie);
  const requestedAt = new Date();
  const { user, facts } = (await findById(session.uid)) ?? {};
  if (!user || !facts) throw new ApiProblem('user-deleted');
  const permission = await decideOnSession(session.signIn, user, await wasEnded(session.sids));
  if (permission.outcome !== 'allow') throw toProblem(permission);
  const { authenticatedAt, factor } = session.signIn;
  const from = { uid: user.uid, authenticatedAt, validSince: facts.validSince };
  const browser = await readBrowserSession(cookie, request.device, from);
  const outcome = decide({ ...browser, evidence: 'cookie', isSameProof: true });
  await countOpening(user, 'cookie', request);
  const token = await exchange(await mintSameSignIn(session, session.root ?? session.sid, shown ?? factor));
  const opening = {
    token,
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
    locked: null,
  };
  return issue(opening, request);
}

function decide(facts: OpeningFacts): Outcome {
  const decision = decideOpening(facts);
  if (decision.outcome === 'refuse') throw toProblem(decision);
  return decision.outcome;
}

/** Creates the session cookie and its record, and then the browser's cookies. */
async function issue(opening: Opening, request: SessionRequest): Promise<CreatedSession> {
  const { user, locked } = opening;
  // A change has revoked all sessions except this new session, which another process may have revoked, too.
  await locked?.assertHeld();
  const device = ensureDeviceSecret(request.device);
  const token = await fitToBrowsers(opening);
  const cookie = await createRecordedCookie({ ...opening, token }, device, request);
  await leaveSessionOfOther(request, user.uid);
  const accessLevel = getAccessLevel(user.customClaims);
  const legacyStatus = getLegacyStatus(user.customClaims);
  const identity = { cookie, sid: getSessionId(cookie), uid: user.uid, accessLevel, legacyStatus };
  const [announcedFrom, deletionAt] = opening.isSignIn
    ? await Promise.all([readAnnouncedDay(token.signIn, user, request), readDeletionAtSignIn(user.uid)])
    : [null, null];
  return {
    cookies: [...buildSessionCookies(identity), buildSetCookie('device', device.secret)],
    email: user.email ?? null,
    user,
    announcedFrom,
    deletionAt,
  };
}

/**
 * Maximum bytes of a cookie including its name and attributes. Browsers drop a longer cookie (RFC 6265, section 6.1),
 * and the user would be redirected to sign-in forever.
 */
const MAX_COOKIE_BYTES = 4_096;
/** Lengths of a session cookie's header and RS256 signature. The emulator's cookies are shorter. */
const [HEADER_LENGTH, SIGNATURE_LENGTH] = [100, 342];
/** How much longer the claims of a session cookie are than its ID token's, because of the issuer's name. */
const ISSUER_LENGTH = 10;

/** Returns the size of a session cookie, or of the session cookie that an ID token gives. */
function getCookieBytes({ jwt }: VerifiedToken): number {
  const [header = '', claims = '', signature = ''] = jwt.split('.');
  const rest = Math.max(header.length + signature.length, HEADER_LENGTH + SIGNATURE_LENGTH);
  const length = claims.length + ISSUER_LENGTH + rest + 2;
  return Buffer.byteLength(buildSetSessionCookie('x'.repeat(length) as SessionCookie));
}

/**
 * Makes the session cookie small enough for browsers. At the identity provider, a client can write a long name and
 * picture, and connect identities with long ids. An organization adds attributes to its tokens, and operators set
 * claims.
 *
 * It removes the attributes first, then the picture and the name. Then it removes unused methods with another email,
 * and the longest other methods as needed. It never removes claims. A profile beyond its bounds is always cut.
 * @throws ApiProblem `internal-error`, which it reports, if claims, email and methods alone are too long; 503
 */
async function fitToBrowsers({ token, user, locked }: Opening): Promise<VerifiedToken> {
  const { uid, displayName, photoURL } = user;
  let fitted = token;
  const cut = async (change: () => Promise<void>) => {
    await change();
    fitted = await exchange(await mintSameSignIn(token, token.root ?? randomUUID(), token.signIn.factor));
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
    () => removeUnusedMethods(locked ?? uid, getMethod(token), 'of-another-email'),
    () => removeUnusedMethods(locked ?? uid, getMethod(token), { bytes: getExcess() }),
  ];
  const getExcess = () => getCookieBytes(fitted) - MAX_COOKIE_BYTES;
  for (const each of cuts) {
    if (getExcess() <= 0) return fitted;
    await cut(each);
  }
  if (getExcess() <= 0) return fitted;
  const cause = new Error('The claims of an account do not fit into a session cookie, so shorten its custom claims');
  throw new ApiProblem('internal-error', { cause });
}

/**
 * Removes sign-in methods that do not fit into the session cookie, and notifies the owner.
 * @param account its id, or the account that the caller has locked
 * @param used the method of the current sign-in
 */
async function removeUnusedMethods(
  account: string | LockedAccount,
  used: string | null,
  which: CutMethods,
): Promise<void> {
  const directory = await getDirectory();
  await withAccountLock(account, async (locked) => {
    const present = await findById(locked.uid, locked);
    if (present === null) throw new ApiProblem('user-deleted');
    const { email, methods } = present.facts;
    const managers = methods
      .filter(
        (method) => method.email === email && getProviderAuthorization(method.id, email, directory) === 'own-domain',
      )
      .map(({ id }) => id);
    const { remove, keep } = decideMethodsToCut(methods, which, { email, used, managers });
    if (remove.length === 0) return;
    const tell = () => notifyOwner(present.user, { notice: 'methods-disconnected', keep, remove }, getOwnBrand());
    await changeJudgedAccount(locked, present, { removes: { methods: remove, tell } });
  });
}

/** Cookies from different seconds differ. */
const CLAIM_SECONDS = 60;

/** Claims a session id for a browser, across all processes. @returns false if another browser has it */
function claimSessionId(sid: string): Promise<boolean> {
  return getStore().setIfAbsent(`session-id:${sid}`, '1', CLAIM_SECONDS);
}

/**
 * Creates a cookie and its record. Two sign-ins within a second produce the same cookie. If another browser has it, or
 * it was ended in between, another lifetime produces another cookie.
 */
async function createRecordedCookie(opening: Opening, device: Device, request: SessionRequest): Promise<SessionCookie> {
  const { token } = opening;
  const lifetime = getLifetime(token);
  for (let count = 0; count < MAX_COOKIES; count += 1) {
    const shorter = count < 2 ? count : randomInt(2, 60 * count);
    const seconds = lifetime - shorter < SHORTEST_SESSION_SECONDS ? lifetime + shorter : lifetime - shorter;
    const cookie = await callIdentityProvider(
      getIdentityAdmin().createSessionCookie(token.jwt, { expiresIn: seconds * 1000 }),
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
 * Handles an account whose second factor is in the records but not in its claim. Only a sign-in with a fresh proof can
 * wait for the factor. After a change nothing waits, and an old token is no first factor.
 */
async function requireRecordedFactor(opening: Opening, request: SessionRequest): Promise<ApiProblem> {
  const { token, user, isFreshProof, unverifiedPasskey } = opening;
  if (!isFreshProof) return new ApiProblem('recent-login-required');
  const facts = toAccountFacts(user, null, null);
  return requireSecondFactor(token, facts, 'second-factor-required', { ...request, unverifiedPasskey });
}

async function record(
  opening: Opening,
  cookie: { sid: string; expiresAt: Date },
  device: Device,
  request: SessionRequest,
): Promise<OpeningResult> {
  const { outcome, browser, token, user, emailContext, isFreshProof } = opening;
  const events = getEvents(opening);
  const [{ uid, signIn }, { email }, at, client] = [token, user, new Date(), request.client()];
  const firstAuthenticatedAt = new Date(signIn.authenticatedAt * 1000);
  const session: NewSession = {
    ...cookie,
    uid,
    at,
    method: getMethod(token),
    root: token.root,
    proofId: token.proofId,
    authenticatedAt: new Date((signIn.renewedAt ?? signIn.authenticatedAt) * 1000),
    firstAuthenticatedAt,
    client,
    deviceDigest: digestDevice(device, uid),
    events,
    isSignIn: opening.isSignIn,
    assurance: await readAssurance(signIn, user),
    isRemembered: signIn.factor === 'remembered-browser',
    remembersBrowser: opening.remembersBrowser,
    validSince: new Date(toAccountFacts(user, null, null).validSince * 1000),
    pending: request.pendingSignIn === null ? null : digest(request.pendingSignIn),
    language: request.language,
    isRegistration: opening.isRegistration,
    freshProof: isFreshProof ? firstAuthenticatedAt : null,
    announce:
      emailContext && email ? (tx, id) => notifyOfSignIn(tx, id, { uid, email, at, client, emailContext }) : null,
  };
  const { id } = browser;
  return withRecordsInTime((records) => {
    const isContinued = outcome === 'continue' && id !== null;
    return isContinued ? continueSession(records, id, session) : recordSession(records, session);
  });
}

/**
 * Returns the event of the sign-in, with an event of the registration before it if needed. The identity provider
 * creates the account of a provider sign-in itself.
 */
function getEvents({ token, user, requestedAt, isSignIn }: Opening): NewSession['events'] {
  if (!isSignIn) return [];
  const read = { methods: user.providerData.map(({ providerId }) => providerId), requestedAt };
  const isFirst = isFirstSignInOfProvider(token, user);
  return [...(isFirst ? [{ kind: 'registered' } as const] : []), { kind: 'signed-in', read }];
}

/**
 * Whether a sign-in by a provider has created the account. A later step of the flow, such as a second factor, counts as
 * well.
 */
function isFirstSignInOfProvider({ signIn }: VerifiedToken, { metadata }: StoredAccount): boolean {
  const { provider, authenticatedAt } = signIn;
  const age = Math.abs(Date.parse(metadata.creationTime) / 1000 - authenticatedAt);
  return age < NEW_ACCOUNT_SECONDS && provider !== 'password' && provider !== 'custom';
}

function getMethod({ signIn: { provider, method } }: VerifiedToken): string | null {
  return provider === 'custom' ? toOwnMethod(method) : provider;
}

/** The session of a browser. `id`: id of a live session in the records. */
type BrowserSession = Pick<OpeningFacts, 'session' | 'device' | 'isProofEnded'> & {
  authenticatedAt: number | null;
  id: string | null;
};

type Genuine = { sids: string[]; authenticatedAt: number; isEnded: boolean };

/**
 * Collects the facts for `decideOpening` about a browser's session. A cookie without a recorded session counts as no
 * session.
 * @param cookie the browser's session cookie, genuine or not
 * @param account its id, the time of the proof, and the time of the last revocation, in seconds since 1970
 * @throws ApiProblem `records-unavailable`, because a session begins with its record
 */
async function readBrowserSession(
  cookie: string | null,
  device: Device,
  account: { uid: string; authenticatedAt: number; validSince: number },
): Promise<BrowserSession> {
  const genuine = cookie === null ? null : await readGenuine(cookie, account);
  const [proofEnded, found] = await withRecordsInTime((records) =>
    Promise.all([
      records.query((tx) => isProofEnded(tx, account.uid, new Date(account.authenticatedAt * 1000))),
      genuine && findSession(records, genuine.sids, new Date()),
    ]),
  );
  const common = { authenticatedAt: genuine?.authenticatedAt ?? null, isProofEnded: proofEnded };
  const isOver = genuine?.isEnded || found?.isEnded || found?.own?.isLive === false;
  const own = isOver ? null : (found?.own ?? null);
  if (own === null) return { ...common, session: isOver ? 'ended' : 'none', device: 'other', id: null };
  // Null if the browser was forgotten.
  const isSame = own.deviceDigest !== null && own.deviceDigest === digestDevice(device, account.uid);
  return { ...common, session: 'live', device: isSame ? 'same' : 'other', id: own.id };
}

/** @returns null if the cookie is not genuine, or belongs to another account */
async function readGenuine(
  cookie: string,
  { uid, validSince }: { uid: string; validSince: number },
): Promise<Genuine | null> {
  const session = await verifyCookieOrNull(cookie);
  if (session?.uid !== uid) return null;
  const { sids, endsAt } = session;
  const { authenticatedAt, renewedAt } = session.signIn;
  const isOver = (renewedAt ?? authenticatedAt) < validSince || endsAt * 1000 <= Date.now();
  return { sids, authenticatedAt, isEnded: isOver || (await isAnyEnded(sids)) };
}
