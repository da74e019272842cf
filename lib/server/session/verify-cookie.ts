import type { DecodedIdToken } from 'firebase-admin/auth';
import { getIdentityAdmin, callIdentityProvider } from '@/lib/server/identity';

/**
 * Verifies the signature of a session cookie and its lifetime; not whether the session was ended or revoked.
 * @throws ApiProblem `token-invalid`, `token-expired`, 503
 */
export function verifyCookie(cookie: string): Promise<DecodedIdToken> {
  return callIdentityProvider(getIdentityAdmin().verifySessionCookie(cookie), 'verifySessionCookie');
}
