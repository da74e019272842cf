import type { DecodedIdToken } from 'firebase-admin/auth';
import { z } from 'zod';
import { verifyJwt } from '@/lib/server/identity';
import { FACTORS, type Factor } from '@/lib/server/policy';
import { digest } from '@/lib/server/runtime';
import { PROOF_ID_LENGTH } from '@/lib/server/storage';
import { SESSION } from '@/lib/shared/session-contract';
import { TOKEN_METHODS, type TokenMethod } from '@/lib/shared/sign-in-methods';

const SID_LENGTH = 22;

/**
 * Derives a session id from its cookie without revealing the cookie. Only the signed part counts: a signature has
 * several valid encodings, and an ended session must not be accepted under another encoding.
 */
export function getSessionId(cookie: string): string {
  const signed = cookie.slice(0, cookie.lastIndexOf('.'));
  return digest(signed || cookie).slice(0, SID_LENGTH);
}

/**
 * Verifies the signature of a session cookie and its lifetime; not whether the session was ended or revoked.
 * @throws ApiProblem `token-invalid`, `token-expired`, 503
 */
export function verifyCookie(cookie: string): Promise<DecodedIdToken> {
  return verifyJwt('verifySessionCookie', cookie);
}

/**
 * A handoff passes a sign-in on to another place by a custom token: to this browser's SDK, or to the mobile app.
 *
 * Our claims in a custom token, and in every token and session derived from it (docs/adr/0012). One namespaced object:
 * the identity provider reserves some plain names and allows others, such as `sub`, to be overwritten.
 */
export const HANDOFF_CLAIM = 'learner_identity';

const claimsSchema = z.object({
  /** When the user last authenticated, seconds since 1970; the exchange of the token is no proof. */
  proved_at: z.number(),
  /** The session it was minted from: it ends with that session. */
  session: z.string(),
  /** That is one of another browser: the token is for the mobile app. */
  derived: z.literal(true).optional(),
  /** When our server renewed the sign-in after revoking all others, seconds since 1970. */
  renewed_at: z.number().optional(),
  /** How the user authenticated, when the identity provider does not know it. */
  method: z.literal(TOKEN_METHODS).optional(),
  /** What the user has shown besides. */
  factor: z.literal(FACTORS).optional(),
  /**
   * Only in sessions: `sign_in_provider` of the session that our server renewed by this token, which never leaves it. The
   * renewed session inherits the policy and the lifetime of that one.
   */
  renews: z.string().optional(),
});
export type HandoffClaims = z.output<typeof claimsSchema>;

/** Our claims of a token; null for any token but an exchanged custom token of ours. Account claims are not trusted. */
export function readHandoffClaims(decoded: DecodedIdToken): HandoffClaims | null {
  if (decoded.firebase.sign_in_provider !== 'custom') return null;
  return claimsSchema.safeParse(decoded[HANDOFF_CLAIM]).data ?? null;
}

/** When the user of a token or session last authenticated, seconds since 1970. */
export function getAuthenticationTime(decoded: DecodedIdToken): number {
  return Math.min(readHandoffClaims(decoded)?.proved_at ?? decoded.auth_time, decoded.auth_time);
}

/**
 * When our server renewed the sign-in after a change that revoked all others, seconds since 1970; null if it never did.
 * Only revocations are compared with it: a renewal is no proof.
 */
export function getRenewalTime(decoded: DecodedIdToken): number | null {
  const renewedAt = readHandoffClaims(decoded)?.renewed_at;
  return renewedAt === undefined ? null : Math.min(renewedAt, decoded.auth_time);
}

/** How the user of a session signed in, by the identity provider's id; `custom` for a session opened by a custom token. */
export function getSessionProvider(decoded: DecodedIdToken): string {
  return readHandoffClaims(decoded)?.renews ?? decoded.firebase.sign_in_provider;
}

/** How the user authenticated, when the identity provider does not know it; null when it does. */
export function getHandoffMethod(decoded: DecodedIdToken): TokenMethod | null {
  return readHandoffClaims(decoded)?.method ?? null;
}

/** What the user has shown besides the first factor; null when that is all. */
export function getFactor(decoded: DecodedIdToken): Factor | null {
  return readHandoffClaims(decoded)?.factor ?? null;
}

/** When a session expires, seconds since 1970: a derived session expires with the session it was derived from. */
export function getSessionEnd(decoded: DecodedIdToken): number {
  const handoff = readHandoffClaims(decoded);
  return handoff === null || getSessionProvider(decoded) !== 'custom'
    ? decoded.exp
    : Math.min(decoded.exp, handoff.proved_at + SESSION.length);
}

/**
 * The id that was made for the proof of a session: those that come from it, as of the mobile app, have it, too. Null for these, and where
 * they have the id of a cookie.
 */
export function getProofId(decoded: DecodedIdToken): string | null {
  const claims = readHandoffClaims(decoded);
  return claims && !claims.derived && claims.session.length === PROOF_ID_LENGTH ? claims.session : null;
}

/** The ids by which a session is ended: its own, and that of the session its custom token was minted from. */
export function getSessionIds(cookie: string, decoded: DecodedIdToken): string[] {
  const own = getSessionId(cookie);
  const root = readHandoffClaims(decoded)?.session;
  return root === undefined || root === own ? [own] : [own, root];
}
