import type { DecodedIdToken } from 'firebase-admin/auth';
import { ApiProblem } from '@/lib/shared/problem';
import type { LiveSession } from './require-session';
import { isRecentAuthentication } from './custom-token';
import { getFactor } from './handoff';
import type { SessionRequest } from './types';
import { verifyCookie } from './verify-cookie';
import { requireFreshProof } from './fresh-proof';

/**
 * Requires that the signed-in user has authenticated within 5 minutes: a stolen session must not be enough.
 * @param session checked just now (`requireSessionNow`)
 * @param token ID token of a sign-in to the same account; not needed when the session itself is that young
 * @returns the verified token, or the session's cookie
 * @throws ApiProblem `recent-login-required`; as `requireFreshProof`, 503
 */
export async function requireProof(
  { status: { uid }, authTime }: LiveSession,
  token: string | undefined,
  request: SessionRequest,
): Promise<DecodedIdToken> {
  if (token !== undefined) return (await requireFreshProof(uid, token, request)).decoded;
  if (!isRecentAuthentication(authTime ?? 0)) throw new ApiProblem('recent-login-required');
  const decoded = await verifyCookie(request.sessionCookie ?? '');
  // Its second factor was shown days ago.
  if (getFactor(decoded) === 'remembered-browser') throw new ApiProblem('recent-login-required');
  return decoded;
}
