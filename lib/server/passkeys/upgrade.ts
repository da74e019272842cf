import type { DecodedIdToken } from 'firebase-admin/auth';
import { ApiProblem } from '@/lib/shared/problem';
import { getSessionProvider } from '@/lib/server/session';

/**
 * A passkey that the browser creates by itself may lack the user's presence and verification: only a password that was typed within
 * 5 minutes stands in for them.
 * @param decoded of a proof that is recent (`requireProof`)
 * @throws ApiProblem `recent-login-required`
 */
export function requireUpgradeProof(decoded: DecodedIdToken): void {
  if (getSessionProvider(decoded) !== 'password') throw new ApiProblem('recent-login-required');
}
