import type { DecodedIdToken } from 'firebase-admin/auth';
import { randomUUID } from 'node:crypto';
import { ApiProblem } from '@/lib/shared/problem';
import { EMAIL_METHOD, type TokenMethod } from '@/lib/shared/sign-in-methods';
import { env, setRequestAccount } from '@/lib/server/runtime';
import { getIdentityAdmin, callIdentityProvider, providerUnavailable, toProviderTime } from '@/lib/server/identity';
import { readSignIn, verifySessionUncached, type SessionProof } from './decide';
import {
  HANDOFF_CLAIM,
  getAuthenticationTime,
  getHandoffMethod,
  getSessionIds,
  verifyCookie,
  type HandoffClaims,
} from './handoff';
import { getShownFactor, type AccountFacts, type Factor } from '@/lib/server/policy';
import type { FirstFactor } from './pending-sign-in';

/** Claims of a custom token: its user, the session it expires with, and the last proof, seconds since 1970. */
type Handoff = {
  uid: string;
  sid: string;
  derived?: true | undefined;
  authenticatedAt: number;
  renewedAt?: number | null;
  method?: TokenMethod | null;
  /** Always given: without it, a user who has shown two factors would be asked again. */
  factor: Factor | null;
  /** Only for a token that never leaves our server. */
  renews?: string;
};
/** A session that may be exchanged for a custom token. `sid`: that of the token. */
export type RecentSession = SessionProof & { sid: string };

/**
 * How long after a proof custom tokens may be minted, in seconds. The identity provider treats the exchange as a fresh
 * sign-in and lets it change the password: a stolen older session must not allow that.
 */
const RECENT_AUTHENTICATION_SECONDS = 300;

/** Lifetime of a custom token, fixed by the identity provider, in seconds. */
export const CUSTOM_TOKEN_TTL_SECONDS = 3_600;

/** Whether a proof is recent enough for a custom token or a first password. @param authenticatedAt seconds since 1970 */
export function isRecentAuthentication(authenticatedAt: number): boolean {
  return Date.now() / 1000 - authenticatedAt <= RECENT_AUTHENTICATION_SECONDS;
}

/**
 * Whether an ID token is of a sign-in just made: by this server's clock, or, since that can be wrong, by the identity
 * provider's, which made both times. A token refreshed later is not: its proof is as old as before.
 */
export function isFreshSignIn(decoded: DecodedIdToken): boolean {
  const authenticatedAt = getAuthenticationTime(decoded);
  return isRecentAuthentication(authenticatedAt) || decoded.iat - authenticatedAt <= RECENT_AUTHENTICATION_SECONDS;
}

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

/** The custom token of such a session. Trust belongs to a remembered browser: the token carries one factor. @throws ApiProblem 503 */
export function mintHandoffToken(session: RecentSession, derived?: true): Promise<string> {
  const factor = session.factor === 'remembered-browser' ? null : session.factor;
  return mintCustomToken({ ...session, derived, factor });
}

/** A custom token bound to a session (docs/adr/0012). @throws ApiProblem 503 */
export function mintCustomToken({
  uid,
  sid,
  derived,
  authenticatedAt,
  renewedAt,
  method,
  factor,
  renews,
}: Handoff): Promise<string> {
  const claims: HandoffClaims = {
    proved_at: authenticatedAt,
    session: sid,
    ...(derived && { derived }),
    ...(typeof renewedAt === 'number' && { renewed_at: renewedAt }),
    ...(method && { method }),
    ...(factor && { factor }),
    ...(renews !== undefined && { renews }),
  };
  const token = getIdentityAdmin().createCustomToken(uid, { [HANDOFF_CLAIM]: claims });
  return callIdentityProvider(token, 'createCustomToken');
}

/**
 * Mints a custom token for a user who has just given a proof to our server: of the mailbox, or of a passkey. It is bound to
 * its own session id, so that sign-out ends every session created with it.
 * @param at when it was given
 * @throws ApiProblem 503
 */
export function mintCustomTokenForProof(
  uid: string,
  method: TokenMethod = EMAIL_METHOD,
  factor: Factor | null = null,
  at = new Date(),
): Promise<string> {
  const authenticatedAt = Math.floor(toProviderTime(at.getTime()) / 1000);
  return mintCustomToken({ uid, sid: randomUUID(), authenticatedAt, method, factor });
}

/**
 * A token that never leaves our server, for a first factor and what was shown after it: the session inherits the first factor's
 * policy and lifetime.
 * @param renewedAt when our server has revoked all other sign-ins of the account; null: it has not
 * @throws ApiProblem 503
 */
export function mintTokenOfFirstFactor(
  { uid, provider, method, root, authenticatedAt }: FirstFactor & { uid: string },
  factor: Factor,
  renewedAt: Date | null = null,
): Promise<string> {
  return mintCustomToken({
    uid,
    // The session that it came from was revoked with the others.
    sid: renewedAt === null && root !== null ? root : randomUUID(),
    authenticatedAt: Math.floor(authenticatedAt.getTime() / 1000),
    renewedAt: renewedAt && Math.floor(toProviderTime(renewedAt.getTime()) / 1000),
    method,
    factor,
    ...(provider !== 'custom' && { renews: provider }),
  });
}

/**
 * A token that never leaves our server, for a user with a live session who has just changed the password: the new session keeps its other
 * factors, and the time of its proof. A password alone makes no proof of both recent.
 * @param session the verified cookie
 * @throws ApiProblem 503
 */
export function mintTokenOfSession(session: DecodedIdToken, account: AccountFacts): Promise<string> {
  return mintCustomToken({
    uid: session.uid,
    sid: randomUUID(),
    authenticatedAt: getAuthenticationTime(session),
    renewedAt: Math.floor(toProviderTime() / 1000),
    method: getHandoffMethod(session),
    factor: getShownFactor(account, readSignIn(session)),
    renews: 'password',
  });
}

/**
 * Renews a sign-in after a change that revoked all sign-ins of the account, its own included. The token keeps the time
 * of the proof, so that a chain of changes does not extend it; it is bound to its own session id.
 * @param decoded the verified ID token that authorized the change
 * @throws ApiProblem 503
 */
export function mintRenewedToken(decoded: DecodedIdToken, account: AccountFacts): Promise<string> {
  return mintRenewedTokenWithFactor(decoded, getShownFactor(account, readSignIn(decoded)));
}

/** The same for a user who has just shown this second factor. */
export function mintRenewedTokenWithFactor(decoded: DecodedIdToken, factor: Factor | null): Promise<string> {
  return mintCustomToken({
    uid: decoded.uid,
    sid: randomUUID(),
    authenticatedAt: getAuthenticationTime(decoded),
    renewedAt: Math.floor(toProviderTime() / 1000),
    method: getHandoffMethod(decoded),
    factor,
  });
}
