import type { DecodedIdToken } from 'firebase-admin/auth';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import {
  callIdentityProvider,
  getIdentityAdmin,
  idTokenByCustomToken,
  isUnavailable,
  toProviderTime,
  verifyJwt,
} from '@/lib/server/identity';
import { FACTORS, type Factor } from '@/lib/server/policy';
import { digest, setRequestAccount } from '@/lib/server/runtime';
import { PROOF_ID_LENGTH, type pendingSignIns } from '@/lib/server/storage';
import { isApiProblem } from '@/lib/shared/problem';
import { SESSION } from '@/lib/shared/session-contract';
import { EMAIL_METHOD, TOKEN_METHODS, type TokenMethod } from '@/lib/shared/sign-in-methods';
import type { SignIn, VerifiedCookie, VerifiedToken } from './types';

// The only module that reads tokens and session cookies, and the custom tokens that our server mints.

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
 * Verifies the signature and lifetime of an ID token, and reads it.
 * @throws ApiProblem `token-invalid`, `token-expired`, 503
 */
export async function verifyToken(jwt: string): Promise<VerifiedToken> {
  const token = readToken(jwt, await verifyJwt('verifyIdToken', jwt));
  setRequestAccount(token.uid);
  return token;
}

/**
 * Exchanges a custom token, and verifies the ID token that it gives. The ID token does not leave our server.
 * @throws ApiProblem a code of `verifyToken`
 */
export async function exchange(customToken: string): Promise<VerifiedToken> {
  return verifyToken(await idTokenByCustomToken(customToken));
}

/**
 * Verifies the signature and lifetime of a session cookie, and reads it. It does not check whether the session was ended
 * or revoked.
 * @throws ApiProblem `token-invalid`, `token-expired`, 503
 */
export async function verifyCookie(cookie: string): Promise<VerifiedCookie> {
  const token = readToken(cookie, await verifyJwt('verifySessionCookie', cookie));
  const sid = getSessionId(cookie);
  const sids = token.root === null || token.root === sid ? [sid] : [sid, token.root];
  return { ...token, sid, sids };
}

/**
 * Verifies the signature and lifetime of a session cookie, and reads it.
 * @returns null if it is not genuine or has expired
 * @throws ApiProblem 503, because an unknown state must not count as no session
 */
export async function verifyCookieOrNull(cookie: string): Promise<VerifiedCookie | null> {
  try {
    return await verifyCookie(cookie);
  } catch (error) {
    if (!isApiProblem(error) || isUnavailable(error)) throw error;
    return null;
  }
}

/**
 * Reads the claims of a verified token or session cookie.
 * @param jwt the token
 * @param decoded its verified claims
 */
export function readToken(jwt: string, decoded: DecodedIdToken): VerifiedToken {
  const signInProvider = decoded.firebase.sign_in_provider;
  const { auth_time: authTime, exp, iat, uid } = decoded;
  // Claims of the account are not trusted.
  const claims = signInProvider === 'custom' ? (claimsSchema.safeParse(decoded[HANDOFF_CLAIM]).data ?? null) : null;
  const provider = claims?.renews ?? signInProvider;
  return {
    jwt,
    uid,
    signIn: {
      provider,
      method: claims?.method ?? null,
      factor: claims?.factor ?? null,
      email: typeof decoded.email === 'string' ? decoded.email.toLowerCase() : null,
      authenticatedAt: Math.min(claims?.proved_at ?? authTime, authTime),
      renewedAt: claims?.renewed_at === undefined ? null : Math.min(claims.renewed_at, authTime),
    },
    signInProvider,
    subject: readSubject(decoded, provider),
    issuedAt: iat,
    expiresAt: exp,
    endsAt: claims === null || provider !== 'custom' ? exp : Math.min(exp, claims.proved_at + SESSION.length),
    root: claims?.session ?? null,
    isDerived: claims?.derived === true,
    proofId: claims && !claims.derived && claims.session.length === PROOF_ID_LENGTH ? claims.session : null,
    registers: claims?.registers === true,
  };
}

function readSubject({ firebase }: DecodedIdToken, provider: string): string | null {
  const ids: unknown = firebase.identities[provider];
  const [id] = Array.isArray(ids) ? (ids as unknown[]) : [];
  return typeof id === 'string' ? id : null;
}

/** A shown first factor: provider, method and time. */
export type FirstFactor = Pick<typeof pendingSignIns.$inferSelect, 'provider' | 'method' | 'root' | 'authenticatedAt'>;

/** Returns the first factor that an ID token shows. */
export function toFirstFactor({ signIn, signInProvider, root }: VerifiedToken): FirstFactor {
  const authenticatedAt = new Date(signIn.authenticatedAt * 1000);
  return { provider: signInProvider, method: signIn.method, root, authenticatedAt };
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
export function isFreshSignIn({ issuedAt, signIn: { authenticatedAt } }: VerifiedToken): boolean {
  return isRecentAuthentication(authenticatedAt) || issuedAt - authenticatedAt <= RECENT_AUTHENTICATION_SECONDS;
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
 * Mints a token that renews a sign-in after a change that revoked all sign-ins of the account, including its own. It
 * keeps the time of the proof, so that a chain of changes does not extend it. It is bound to its own session id.
 * @param token the verified ID token or session cookie that authorized the change
 * @param factor the second factor that its user has shown (`getShownFactor`), before the change or by it
 * @param more `renews`: the provider of the renewed session, only for a token that never leaves our server
 * @throws ApiProblem 503
 */
export function mintRenewedToken(
  { uid, signIn: { authenticatedAt, method } }: VerifiedToken,
  factor: Factor | null,
  more: Pick<Handoff, 'renews'> = {},
): Promise<string> {
  const renewedAt = Math.floor(toProviderTime() / 1000);
  return mintCustomToken({ ...more, uid, sid: randomUUID(), authenticatedAt, renewedAt, method, factor });
}

/**
 * Mints a token of the same sign-in, with the account's current data. It never leaves our server.
 * @param sid the session that it expires with
 * @param factor the second factor that its user has shown
 * @throws ApiProblem 503
 */
export function mintSameSignIn(
  { uid, signIn: { provider, authenticatedAt, renewedAt, method }, isDerived }: VerifiedToken,
  sid: string,
  factor: Factor | null,
): Promise<string> {
  const derived = isDerived || undefined;
  return mintCustomToken({ uid, sid, derived, authenticatedAt, renewedAt, method, factor, renews: provider });
}
