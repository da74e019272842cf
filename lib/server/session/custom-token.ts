import type { DecodedIdToken } from 'firebase-admin/auth';
import { ApiProblem } from '@/lib/api/problem';
import { env } from '@/lib/config/env';
import { identityAdmin } from './admin';
import { isEnded } from './ended';
import { askProvider, providerUnavailable } from './provider-errors';
import { sidOf } from './sid';

/** Claim of a custom token: when the person last proved who they are, which the token itself is no proof of. */
const PROVED_AT = 'proved_at';

export type ProvenSession = { uid: string; sid: string; provedAt: number };

/**
 * Asks the provider live, past what is remembered, whether a session may be turned into a custom token.
 * @throws ApiProblem 401, or 503 when it cannot be decided or sessions live at another deployment
 */
export async function proveSession(cookie: string): Promise<ProvenSession> {
  if (env().SESSION_BACKEND === 'upstream') throw providerUnavailable();
  const sid = sidOf(cookie);
  if (await isEnded(sid)) throw new ApiProblem('session-required');
  const decoded = await askProvider(identityAdmin().verifySessionCookie(cookie, true));
  return { uid: decoded.uid, sid, provedAt: provedAt(decoded) };
}

/**
 * Whether a session proven a moment ago still stands.
 * @throws ApiProblem 401 when it was ended or revoked, or its person disabled or deleted; 503
 */
export async function requireStanding({ uid, sid, provedAt: since }: ProvenSession): Promise<void> {
  const [ended, user] = await Promise.all([isEnded(sid), askProvider(identityAdmin().getUser(uid))]);
  const validAfter = user.tokensValidAfterTime ? Date.parse(user.tokensValidAfterTime) : 0;
  if (user.disabled) throw new ApiProblem('user-disabled');
  if (ended || since * 1000 < validAfter) throw new ApiProblem('token-revoked');
}

/** A custom token for the person of a proven session; it carries over when they last proved who they are (docs/adr/0012). */
export function customTokenFor({ uid, provedAt: since }: ProvenSession): Promise<string> {
  return askProvider(identityAdmin().createCustomToken(uid, { [PROVED_AT]: since }));
}

/** When the person of a token last proved who they are, seconds since 1970. */
export function provedAt(decoded: DecodedIdToken): number {
  const carried: unknown = decoded[PROVED_AT];
  const isCarried = decoded.firebase.sign_in_provider === 'custom' && typeof carried === 'number';
  return isCarried ? Math.min(carried, decoded.auth_time) : decoded.auth_time;
}
