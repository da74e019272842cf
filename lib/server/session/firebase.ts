import type { DecodedIdToken } from 'firebase-admin/auth';
import { getLegacyStatus } from '../account-policy/legacy';
import { ApiProblem, isApiProblem, nullOnProblem } from '@/lib/shared/problem';
import type { Account } from '../account-policy/account';
import { SESSION } from '@/lib/shared/session-contract';
import { proveMailbox } from '../accounts/prove-mailbox';
import { idTokenByCustomToken } from '../identity-provider/identity-toolkit';
import { hasRecords } from '../records';
import { recordEvent } from '../records/record-event';
import { consumeLimit } from '../rate-limits';
import { getIdentityAdmin } from '../identity-provider/admin';
import { getAccessLevel, buildSessionCookies } from './cookies';
import { mintCustomTokenForProof } from './custom-token';
import { isAnyEnded, isEnded, markEnded } from './ended';
import { getProofTime, getSessionIds, readHandoffClaims } from './handoff';
import { getSessionState, requireLive } from './session-state';
import { callIdentityProvider } from '../identity-provider/errors';
import { countSignIn } from '../observability/metrics';
import { getSignInMethodLabel, type SignInMethodLabel } from './method-label';
import { setRequestAccount } from '../observability/request-context';
import { getSessionId } from './sid';
import type { LiveSession, CreatedSession, SessionBackend, SessionRequest } from './types';
import { authorizeSignIn, verifyToken } from './verify-sign-in';

/** Minimum session length of the identity provider, in seconds. */
const SHORTEST_SESSION_SECONDS = 300;
/** Between the creation of an account and its first sign-in, when both are one call of the identity provider. */
const NEW_ACCOUNT_SECONDS = 2;

/** Sessions as Firebase session cookies. */
export function createFirebaseBackend(mainDomain: string): SessionBackend {
  return { create: (token, request) => create(token, request, mainDomain), check, end };
}

async function create(token: string, request: SessionRequest, mainDomain: string): Promise<CreatedSession> {
  let method: SignInMethodLabel = 'unknown';
  try {
    const decoded = await verifyToken(token);
    method = getSignInMethodLabel(decoded.firebase.sign_in_provider);
    const created = await createFromToken(token, decoded, request, mainDomain);
    countSignIn(method, 'ok');
    return created;
  } catch (error) {
    countSignIn(method, isApiProblem(error) ? error.code : 'internal-error');
    throw error;
  }
}

async function createFromToken(
  token: string,
  decoded: DecodedIdToken,
  request: SessionRequest,
  mainDomain: string,
): Promise<CreatedSession> {
  const requestedAt = new Date();
  const { account, decision } = await authorizeSignIn(decoded, request);
  if (decision.outcome === 'step') throw new ApiProblem(decision.code);
  const { user } = account;
  if (decision.provesMailbox) {
    const presentedMethod = decoded.firebase.sign_in_provider;
    const proof = { by: 'organization', browser: 'other', presentedMethod } as const;
    await proveMailbox(account, proof, await request.emailContext());
  }
  // After the decision: refused sign-ins must not consume the owner's budget.
  await consumeLimit('create-session-of-account', decoded.uid);
  const cookie = await createCookie(decision.provesMailbox ? await renewToken(user.uid) : token, getLifetime(decoded));
  if (hasRecords() && !(await continuesSession(decoded, request))) recordSignIn(decoded, account, requestedAt, request);
  const accessLevel = getAccessLevel(user.customClaims);
  const legacyStatus = getLegacyStatus(user.customClaims);
  const identity = { cookie, sid: getSessionId(cookie), uid: decoded.uid, accessLevel, legacyStatus };
  return { cookies: buildSessionCookies(identity, mainDomain), email: user.email ?? null };
}

/** Whether the browser renews its session: it has one of the same sign-in that was not ended. */
async function continuesSession(
  decoded: DecodedIdToken,
  { sessionCookie, replacesSession = false }: SessionRequest,
): Promise<boolean> {
  if (replacesSession || sessionCookie === null) return replacesSession;
  const before = await nullOnProblem(
    callIdentityProvider(getIdentityAdmin().verifySessionCookie(sessionCookie), 'verifySessionCookie'),
  );
  if (before?.uid !== decoded.uid || getProofTime(before) !== getProofTime(decoded)) return false;
  return !(await isAnyEnded(getSessionIds(sessionCookie, before)));
}

function recordSignIn(decoded: DecodedIdToken, { user }: Account, requestedAt: Date, request: SessionRequest): void {
  const { uid } = user;
  const provider = decoded.firebase.sign_in_provider;
  const method = provider === 'custom' ? readHandoffClaims(decoded)?.method : provider;
  const read = { methods: user.providerData.map(({ providerId }) => providerId), requestedAt };
  const client = request.client();
  // The identity provider creates the account of a provider sign-in by itself.
  const isNew = Math.abs(Date.parse(user.metadata.creationTime) / 1000 - decoded.auth_time) < NEW_ACCOUNT_SECONDS;
  if (isNew && provider !== 'password' && provider !== 'custom')
    recordEvent({ uid, kind: 'registered', client, method });
  recordEvent({ uid, kind: 'signed-in', client, method, read });
}

/**
 * A proof of the mailbox revokes the token that was sent with all others: the session is created from a new one based on
 * the same proof.
 */
async function renewToken(uid: string): Promise<string> {
  return idTokenByCustomToken(await mintCustomTokenForProof(uid));
}

/** A session derived from another one must not outlive it. @returns seconds */
function getLifetime(decoded: DecodedIdToken): number {
  if (readHandoffClaims(decoded) === null) return SESSION.length;
  const left = Math.floor(getProofTime(decoded) + SESSION.length - Date.now() / 1000);
  return Math.min(SESSION.length, Math.max(SHORTEST_SESSION_SECONDS, left));
}

/**
 * Two sign-ins within a second produce the same cookie. If that one was ended in between, a lifetime shorter by one
 * second produces a different one.
 */
async function createCookie(token: string, lifetime: number, triesLeft = 3): Promise<string> {
  const cookie = await callIdentityProvider(
    getIdentityAdmin().createSessionCookie(token, { expiresIn: lifetime * 1000 }),
    'createSessionCookie',
  );
  if (triesLeft > 0 && (await isEnded(getSessionId(cookie)))) return createCookie(token, lifetime - 1, triesLeft - 1);
  return cookie;
}

async function check(cookie: string): Promise<LiveSession> {
  const pendingState = getSessionState(cookie);
  const isNew = pendingState instanceof Promise;
  // Check sign-out first: it must hold even when the provider is unreachable.
  if (isNew) {
    pendingState.catch(() => undefined);
    await requireNotEnded([getSessionId(cookie)]);
  }
  const state = await pendingState;
  setRequestAccount(state.uid);
  await requireNotEnded(state.sids);
  return requireLive(state);
}

async function requireNotEnded(sids: readonly string[]): Promise<void> {
  if (await isAnyEnded(sids)) throw new ApiProblem('session-required');
}

async function end(cookie: string): Promise<string | null> {
  const sid = getSessionId(cookie);
  try {
    const decoded = await callIdentityProvider(getIdentityAdmin().verifySessionCookie(cookie), 'verifySessionCookie');
    const wasEnded = await isEnded(sid);
    // Also end the session a custom token was minted from, for as long as such a token could create another one.
    const roots = getSessionIds(cookie, decoded).filter((id) => id !== sid);
    await Promise.all([markEnded(sid, decoded.exp), ...roots.map((root) => markEnded(root, Date.now() / 1000 + SESSION.length))]); // prettier-ignore
    return wasEnded ? null : decoded.uid;
  } catch (error) {
    if (!isApiProblem(error)) throw error;
    // Invalid or expired: nothing to end. Undecidable: mark it as ended anyway, for its maximum lifetime.
    if (error.code === 'provider-unavailable') await markEnded(sid, Date.now() / 1000 + SESSION.length);
    return null;
  }
}
