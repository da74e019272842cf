import type { DecodedIdToken } from 'firebase-admin/auth';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import {
  callIdentityProvider,
  getIdentityAdmin,
  isUnavailable,
  toProviderTime,
  verifyJwt,
} from '@/lib/server/identity';
import { FACTORS, getShownFactor, type AccountFacts, type Factor } from '@/lib/server/policy';
import { digest } from '@/lib/server/runtime';
import { PROOF_ID_LENGTH, type pendingSignIns } from '@/lib/server/storage';
import { isApiProblem } from '@/lib/shared/problem';
import { SESSION } from '@/lib/shared/session-contract';
import { EMAIL_METHOD, TOKEN_METHODS, type TokenMethod } from '@/lib/shared/sign-in-methods';
import type { SignIn } from './types';

// Claims of tokens and session cookies, and the custom tokens that our server mints.

const SID_LENGTH = 22;

/**
 * Derives a session id from its cookie without revealing the cookie. Only the signed part counts. A signature has
 * several valid encodings, and an ended session must not be accepted in another encoding.
 */
export function getSessionId(cookie: string): string {
  const signed = cookie.slice(0, cookie.lastIndexOf('.'));
  return digest(signed || cookie).slice(0, SID_LENGTH);
}

/**
 * Verifies the signature and lifetime of a session cookie, but not whether the session was ended or revoked.
 * @throws ApiProblem `token-invalid`, `token-expired`, 503
 */
export function verifyCookie(cookie: string): Promise<DecodedIdToken> {
  return verifyJwt('verifySessionCookie', cookie);
}

/**
 * Verifies the signature and lifetime of a session cookie. @returns null if it is not genuine or has expired @throws
 * ApiProblem 503, because an unknown state must not count as no session
 */
export async function verifyCookieOrNull(cookie: string): Promise<DecodedIdToken | null> {
  try {
    return await verifyCookie(cookie);
  } catch (error) {
    if (!isApiProblem(error) || isUnavailable(error)) throw error;
    return null;
  }
}

/**
 * Name of our claims in a custom token, and in every token and session derived from it (docs/adr/0012). A handoff
 * passes a sign-in by a custom token to this browser's SDK or to the mobile app. The claims are a single namespaced
 * object, because the identity provider reserves some plain names and allows others, such as `sub`, to be overwritten.
 */
export const HANDOFF_CLAIM = 'learner_identity';

const claimsSchema = z.object({
  /** When the user last authenticated, in seconds since 1970. The exchange of the token is no proof. */
  proved_at: z.number(),
  /** The session that it was minted from, with which it ends. */
  session: z.string(),
  /** True if the token was minted for the mobile app. */
  derived: z.literal(true).optional(),
  /** When our server renewed the sign-in after revoking all others, in seconds since 1970. */
  renewed_at: z.number().optional(),
  /** How the user authenticated, for methods that the identity provider does not know. */
  method: z.literal(TOKEN_METHODS).optional(),
  /** The second factor that the user has shown. */
  factor: z.literal(FACTORS).optional(),
  /**
   * Only in sessions: `sign_in_provider` of the session that our server renewed by this token. The token never leaves
   * the server. The renewed session inherits that session's policy and lifetime.
   */
  renews: z.string().optional(),
  /**
   * Whether the proof has completed the account's registration, in the browser that gets the token. Tokens minted from
   * it do not have this claim.
   */
  registers: z.literal(true).optional(),
});
export type HandoffClaims = z.output<typeof claimsSchema>;

/**
 * Reads our claims of a token. Returns null unless it is an exchanged custom token of ours. Claims of the account are
 * not trusted.
 */
export function readHandoffClaims(decoded: DecodedIdToken): HandoffClaims | null {
  if (decoded.firebase.sign_in_provider !== 'custom') return null;
  return claimsSchema.safeParse(decoded[HANDOFF_CLAIM]).data ?? null;
}

/** Returns when the user of a token or session last authenticated, in seconds since 1970. */
export function getAuthenticationTime(decoded: DecodedIdToken): number {
  return Math.min(readHandoffClaims(decoded)?.proved_at ?? decoded.auth_time, decoded.auth_time);
}

/**
 * Returns when our server renewed the sign-in after a change that revoked all others, in seconds since 1970, or null if
 * it never did. Only revocations are compared with it, because a renewal is no proof.
 */
export function getRenewalTime(decoded: DecodedIdToken): number | null {
  const renewedAt = readHandoffClaims(decoded)?.renewed_at;
  return renewedAt === undefined ? null : Math.min(renewedAt, decoded.auth_time);
}

/**
 * Returns how the user of a session signed in, by the identity provider's id. `custom` for a session opened by a custom
 * token.
 */
export function getSessionProvider(decoded: DecodedIdToken): string {
  return readHandoffClaims(decoded)?.renews ?? decoded.firebase.sign_in_provider;
}

/** Returns the provider's id of the identity that a sign-in has shown. Null for a password, which has none. */
export function getPresentedSubject({ firebase }: DecodedIdToken, provider: string): string | null {
  const ids: unknown = firebase.identities[provider];
  const [id] = Array.isArray(ids) ? (ids as unknown[]) : [];
  return typeof id === 'string' ? id : null;
}

/** Returns how the user authenticated, for methods that the identity provider does not know, or null. */
export function getHandoffMethod(decoded: DecodedIdToken): TokenMethod | null {
  return readHandoffClaims(decoded)?.method ?? null;
}

/** Whether the proof of a token has completed the account's registration, in the browser that got the token. */
export function hasRegistered(decoded: DecodedIdToken): boolean {
  return readHandoffClaims(decoded)?.registers === true;
}

/** Returns the second factor that the user has shown, or null if none. */
export function getFactor(decoded: DecodedIdToken): Factor | null {
  return readHandoffClaims(decoded)?.factor ?? null;
}

/** Returns when a session expires, in seconds since 1970. A derived session expires with its original session. */
export function getSessionEnd(decoded: DecodedIdToken): number {
  const handoff = readHandoffClaims(decoded);
  return handoff === null || getSessionProvider(decoded) !== 'custom'
    ? decoded.exp
    : Math.min(decoded.exp, handoff.proved_at + SESSION.length);
}

/**
 * Returns the id that was created for the proof of a session, which derived sessions share, such as the mobile app's.
 * Null for derived sessions, and if the claim is a cookie's id.
 */
export function getProofId(decoded: DecodedIdToken): string | null {
  const claims = readHandoffClaims(decoded);
  return claims && !claims.derived && claims.session.length === PROOF_ID_LENGTH ? claims.session : null;
}

/** Returns the ids that end a session: its own, and the id of the session that its custom token was minted from. */
export function getSessionIds(cookie: string, decoded: DecodedIdToken): string[] {
  const own = getSessionId(cookie);
  const root = readHandoffClaims(decoded)?.session;
  return root === undefined || root === own ? [own] : [own, root];
}

/** Reads the sign-in from the claims of a verified token or session cookie. */
export function readSignIn(decoded: DecodedIdToken): SignIn {
  return {
    provider: getSessionProvider(decoded),
    method: getHandoffMethod(decoded),
    factor: getFactor(decoded),
    email: typeof decoded.email === 'string' ? decoded.email.toLowerCase() : null,
    authenticatedAt: getAuthenticationTime(decoded),
    renewedAt: getRenewalTime(decoded),
  };
}

/** A shown first factor: provider, method and time. */
export type FirstFactor = Pick<typeof pendingSignIns.$inferSelect, 'provider' | 'method' | 'root' | 'authenticatedAt'>;

/** Reads the first factor of a verified ID token. */
export function readFirstFactor(decoded: DecodedIdToken): FirstFactor {
  return {
    provider: decoded.firebase.sign_in_provider,
    method: getHandoffMethod(decoded),
    root: readHandoffClaims(decoded)?.session ?? null,
    authenticatedAt: new Date(getAuthenticationTime(decoded) * 1000),
  };
}

// Custom tokens (docs/adr/0012).

/** Claims of a custom token: its user, the session that it expires with, and the last proof in seconds since 1970. */
type Handoff = {
  uid: string;
  sid: string;
  derived?: true | undefined;
  authenticatedAt: number;
  renewedAt?: number | null;
  method?: TokenMethod | null;
  /** Required, because a user who has shown two factors would otherwise be asked again. */
  factor: Factor | null;
  /** Only for a token that never leaves our server. */
  renews?: string;
  registers?: true;
};
/** Identifies a session. `sids`: ids by which it can have been ended. */
export type SessionProof = SignIn & { uid: string; sids: readonly string[] };
/** A session that may be exchanged for a custom token. `sid`: the token's session id. */
export type RecentSession = SessionProof & { sid: string };

/**
 * How long after a proof custom tokens may be minted, in seconds. The identity provider treats the exchange as a fresh
 * sign-in that may change the password, which an older stolen session must not allow.
 */
const RECENT_AUTHENTICATION_SECONDS = 300;

/** Lifetime of a custom token, fixed by the identity provider, in seconds. */
export const CUSTOM_TOKEN_TTL_SECONDS = 3_600;

/** Whether a proof is recent enough for a custom token or a first password. @param authenticatedAt seconds since 1970 */
export function isRecentAuthentication(authenticatedAt: number): boolean {
  return Date.now() / 1000 - authenticatedAt <= RECENT_AUTHENTICATION_SECONDS;
}

/**
 * Whether an ID token comes from a recent sign-in, by this server's clock or by the identity provider's, because this
 * server's clock can be wrong. A token that was refreshed later does not count, because its proof is as old as before.
 */
export function isFreshSignIn(decoded: DecodedIdToken): boolean {
  const authenticatedAt = getAuthenticationTime(decoded);
  return isRecentAuthentication(authenticatedAt) || decoded.iat - authenticatedAt <= RECENT_AUTHENTICATION_SECONDS;
}

/**
 * Mints the custom token of a recent session. Only the remembered browser is trusted, so the token carries a single
 * factor. @throws ApiProblem 503
 */
export function mintHandoffToken(session: RecentSession, derived?: true): Promise<string> {
  const factor = session.factor === 'remembered-browser' ? null : session.factor;
  return mintCustomToken({ ...session, derived, factor });
}

/** Mints a custom token bound to a session (docs/adr/0012). @throws ApiProblem 503 */
export function mintCustomToken({
  uid,
  sid,
  derived,
  authenticatedAt,
  renewedAt,
  method,
  factor,
  renews,
  registers,
}: Handoff): Promise<string> {
  const claims: HandoffClaims = {
    proved_at: authenticatedAt,
    session: sid,
    ...(derived && { derived }),
    ...(typeof renewedAt === 'number' && { renewed_at: renewedAt }),
    ...(method && { method }),
    ...(factor && { factor }),
    ...(renews !== undefined && { renews }),
    ...(registers && { registers }),
  };
  const token = getIdentityAdmin().createCustomToken(uid, { [HANDOFF_CLAIM]: claims });
  return callIdentityProvider(token, 'createCustomToken');
}

/**
 * Mints a custom token for a user who has just proved the mailbox or a passkey to our server. It is bound to its own
 * session id, so that a sign-out ends every session created with it.
 * @param proof `at`: the time of the proof, and not of this call, because a revocation may lie between; `registers`: whether it has completed the account's registration
 * @throws ApiProblem 503
 */
export function mintCustomTokenForProof(
  uid: string,
  {
    method = EMAIL_METHOD,
    factor = null,
    at,
    registers = false,
  }: { method?: TokenMethod; factor?: Factor | null; at: Date; registers?: boolean },
): Promise<string> {
  const authenticatedAt = Math.floor(toProviderTime(at.getTime()) / 1000);
  const proof = { uid, sid: randomUUID(), authenticatedAt, method, factor };
  return mintCustomToken({ ...proof, ...(registers && { registers }) });
}

/**
 * Mints a token for a first factor and the factor shown after it. The session inherits the first factor's policy and
 * lifetime. The token never leaves our server.
 * @param renewedAt when our server has revoked all other sign-ins of the account, or null if it has not
 * @throws ApiProblem 503
 */
export function mintTokenOfFirstFactor(
  { uid, provider, method, root, authenticatedAt }: FirstFactor & { uid: string },
  factor: Factor,
  renewedAt: Date | null = null,
): Promise<string> {
  return mintCustomToken({
    uid,
    // The revocation also ended the session that it came from.
    sid: renewedAt === null && root !== null ? root : randomUUID(),
    authenticatedAt: Math.floor(authenticatedAt.getTime() / 1000),
    renewedAt: renewedAt && Math.floor(toProviderTime(renewedAt.getTime()) / 1000),
    method,
    factor,
    ...(provider !== 'custom' && { renews: provider }),
  });
}

/**
 * Mints a token for a user with a live session who has just changed the password. The new session keeps its other
 * factors and the time of its proof, because a password alone does not renew the proof of both factors. The token never
 * leaves our server.
 * @param session the verified cookie
 * @throws ApiProblem 503
 */
export function mintTokenOfSession(session: DecodedIdToken, account: AccountFacts): Promise<string> {
  return mintRenewedTokenWithFactor(session, getShownFactor(account, readSignIn(session)), { renews: 'password' });
}

/**
 * Mints a token that renews a sign-in after a change that revoked all sign-ins of the account, including its own. It
 * keeps the time of the proof, so that a chain of changes does not extend it. It is bound to its own session id.
 * @param decoded the verified ID token that authorized the change
 * @throws ApiProblem 503
 */
export function mintRenewedToken(decoded: DecodedIdToken, account: AccountFacts): Promise<string> {
  return mintRenewedTokenWithFactor(decoded, getShownFactor(account, readSignIn(decoded)));
}

/**
 * Mints a token that renews a sign-in whose user has just shown this second factor. @param more only for a token that
 * never leaves our server
 */
export function mintRenewedTokenWithFactor(
  decoded: DecodedIdToken,
  factor: Factor | null,
  more: Pick<Handoff, 'renews'> = {},
): Promise<string> {
  return mintCustomToken({
    ...more,
    uid: decoded.uid,
    sid: randomUUID(),
    authenticatedAt: getAuthenticationTime(decoded),
    renewedAt: Math.floor(toProviderTime() / 1000),
    method: getHandoffMethod(decoded),
    factor,
  });
}
