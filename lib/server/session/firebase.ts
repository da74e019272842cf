import type { DecodedIdToken } from 'firebase-admin/auth';
import { countSignIn, log, setRequestAccount } from '@/lib/server/runtime';
import {
  RECORDS_TIMEOUT_MS,
  endSessionsOfCookies,
  hasRecords,
  isAnyEnded,
  isEnded,
  markAllEnded,
  markEnded,
  withRecords,
} from '@/lib/server/storage';
import { ApiProblem, isApiProblem } from '@/lib/shared/problem';
import { SESSION } from '@/lib/shared/session-contract';
import {
  PASSKEY_METHOD,
  getSocialProviderId,
  toOwnMethod,
  type SocialProviderId,
  type TokenMethod,
} from '@/lib/shared/sign-in-methods';
import { getHandoffMethod, getSessionId, getSessionIds } from './handoff';
import { completeSignIn, openSession, renewSession, replaceSession } from './open-session';
import { fetchSessionState, getSessionState, requireLive } from './session-state';
import type { CreatedSession, LiveSession, SessionBackend } from './types';
import { verifyCookie } from './verify-cookie';
import { verifyToken } from './verify-sign-in';

/**
 * A sign-in method in the metrics. `custom`: email links, emailed codes and automatic sign-in, which reach the session
 * by a custom token of this server; `unknown`: the token was refused before its method was known.
 */
type SignInMethodLabel =
  SocialProviderId | typeof PASSKEY_METHOD | 'password' | 'saml' | 'oidc' | 'custom' | 'other' | 'unknown';

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

async function check(cookie: string, { uncached = false } = {}): Promise<LiveSession> {
  const pendingState = uncached ? fetchSessionState(cookie) : getSessionState(cookie);
  const isNew = pendingState instanceof Promise;
  // Check sign-out first: it must hold even when the provider is unreachable.
  if (isNew) {
    pendingState.catch(() => undefined);
    if (await isAnyEnded([getSessionId(cookie)])) throw new ApiProblem('session-required');
  }
  // Of most checks it is in the cache: each promise less is a part of their time (docs/adr/0039).
  const state = isNew ? await pendingState : pendingState;
  setRequestAccount(state.uid);
  if (await isAnyEnded(state.sids)) throw new ApiProblem('session-required');
  return requireLive(state);
}

async function end(cookie: string): Promise<string | null> {
  const sid = getSessionId(cookie);
  try {
    const decoded = await verifyCookie(cookie);
    setRequestAccount(decoded.uid);
    const wasEnded = await isEnded(sid);
    const sids = getSessionIds(cookie, decoded);
    // Also end the session a custom token was minted from, for as long as such a token could create another one.
    const roots = sids.filter((id) => id !== sid);
    await Promise.all([
      markEnded(sid, decoded.exp),
      ...roots.map((root) => markEnded(root, Date.now() / 1000 + SESSION.length)),
    ]);
    // After the marks: they hold even while the database is away.
    const ended = await endRecords(decoded.uid, sids);
    return (ended === null ? wasEnded : !ended.isAny) ? null : decoded.uid;
  } catch (error) {
    if (!isApiProblem(error)) throw error;
    // Invalid or expired: nothing to end. Undecidable: mark it as ended anyway, for its maximum lifetime.
    if (error.code === 'provider-unavailable') await markEnded(sid, Date.now() / 1000 + SESSION.length);
    return null;
  }
}

/** Ends the records of a session, and with them all its cookies. @returns null when it has none */
async function endRecords(uid: string, sids: readonly string[]) {
  if (!hasRecords()) return null;
  try {
    const ending = { uid, sids, at: new Date(), by: 'sign-out' } as const;
    const ended = await withRecords((records) => endSessionsOfCookies(records, ending), RECORDS_TIMEOUT_MS);
    await markAllEnded(ended?.cookies ?? []);
    return ended;
  } catch (error) {
    log().error({ err: error }, 'the record of an ended session could not be ended');
    return null;
  }
}
