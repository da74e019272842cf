import type { DecodedIdToken } from 'firebase-admin/auth';
import { processWide } from '@/lib/server/runtime';
import { ApiProblem } from '@/lib/shared/problem';
import { isRecentAuthentication } from './custom-token';
import { getAuthenticationTime, getFactor } from './handoff';
import type { LiveSession } from './require-session';
import type { SessionRequest } from './types';
import { verifyCookie } from './verify-cookie';
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

/**
 * @param destination where the sign-in page leads, which anyone may name
 * @param authenticatedAt when the user of the session did, seconds since 1970
 */
type Check = (destination: string, authenticatedAt: number) => Promise<boolean>;

const never: Check = () => Promise.resolve(false);
const slot = () => processWide('reauthentication', () => ({ check: never }));

/** Whether the destination takes a later authentication than that of the session: then the sign-in page does not redirect. */
export const requiresReauthentication: Check = (destination, authenticatedAt) =>
  slot().check(destination, authenticatedAt);

/** Registers who knows: the OpenID Provider, which no page may import, or the trace of each would list its library. */
export function onReauthentication(check: Check): void {
  slot().check = check;
}

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
