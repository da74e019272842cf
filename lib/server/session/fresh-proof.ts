import type { DecodedIdToken } from 'firebase-admin/auth';
import { ApiProblem } from '@/lib/shared/problem';
import { isRecentAuthentication } from './custom-token';
import { getFactor, getAuthenticationTime } from './handoff';
import type { SessionRequest } from './types';
import { authorizeWithoutStep, verifyToken, type VerifiedSignIn } from './verify-sign-in';

/**
 * Requires that the signed-in user has just proved who they are: a stolen session must not be enough.
 * @param uid of the session
 * @param token ID token of a sign-in to the same account at most 5 minutes ago
 * @throws ApiProblem as `authorizeWithoutStep`; `recent-login-required`
 */
export async function requireFreshProof(
  uid: string,
  token: string,
  request: Pick<SessionRequest, 'enabledSocial'>,
): Promise<VerifiedSignIn> {
  const decoded = await verifyFreshProof(uid, token);
  // Its second factor was shown days ago.
  if (getFactor(decoded) === 'remembered-browser') throw new ApiProblem('second-factor-required');
  return authorizeWithoutStep(decoded, request);
}

/** The same before the account policy is asked. @throws ApiProblem as `verifyToken`; `recent-login-required` */
export async function verifyFreshProof(uid: string, token: string): Promise<DecodedIdToken> {
  const decoded = await verifyToken(token);
  if (decoded.uid !== uid || !isRecentAuthentication(getAuthenticationTime(decoded)))
    throw new ApiProblem('recent-login-required');
  return decoded;
}
