import type { DecodedIdToken } from 'firebase-admin/auth';
import type { NextApiRequest, NextApiResponse } from 'next';
import { reportError } from '@/lib/shared/error-reporting/report';
import { appendCookies, applySharedComputerExpiry } from '@/lib/server/http';
import { idTokenByCustomToken } from '@/lib/server/identity';
import { getSessionBackend } from './require-session';
import { mintRenewedToken } from './custom-token';
import type { CreatedSession, SessionRequest } from './types';

/** `customToken`: signs this browser in at the identity provider again. */
export type RenewedSession = Pick<CreatedSession, 'cookies'> & { customToken: string };

/**
 * Creates a session for the browser whose change has revoked all sessions of its account, its own included.
 * @param decoded the verified ID token that authorized the change, or the session's cookie
 * @param mint the custom token that it is created with
 * @returns null if that failed: the change is done already, so it is reported, and the user signs in again
 */
export async function renewAfterRevocation(
  decoded: DecodedIdToken,
  request: SessionRequest,
  mint = () => mintRenewedToken(decoded),
): Promise<RenewedSession | null> {
  try {
    const customToken = await mint();
    const idToken = await idTokenByCustomToken(customToken);
    const { cookies } = await getSessionBackend().replace(idToken, request);
    return { cookies, customToken };
  } catch (error) {
    reportError(error, { during: 'renewing the session after all were revoked' });
    return null;
  }
}

/** The body of the response to such a change. Sets the cookies of the renewed session; without one, the body is empty. */
export function respondWithRenewed(
  { req, res }: { req: NextApiRequest; res: NextApiResponse },
  renewed: RenewedSession | null,
): { customToken?: string } {
  if (renewed === null) return {};
  appendCookies(res, applySharedComputerExpiry(req, renewed.cookies));
  return { customToken: renewed.customToken };
}
