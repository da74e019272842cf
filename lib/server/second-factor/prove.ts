import type { FactorCode } from '@/lib/shared/account/second-factor';
import { ApiProblem } from '@/lib/shared/problem';
import {
  verifyFreshProof,
  type LiveSession,
  mintCustomToken,
  getHandoffMethod,
  getAuthenticationTime,
  type SessionRequest,
  authorizeSignIn,
} from '@/lib/server/session';
import { redeemFactorCode } from './attempt';

/**
 * Proves the signed-in user by both factors.
 * @param token ID token of the first one, of a sign-in at most 5 minutes ago
 * @returns a custom token, whose ID token changes of the account accept for the rest of these 5 minutes
 * @throws ApiProblem as `authorizeSignIn` and `redeemFactorCode`; `recent-login-required`
 */
export async function proveSecondFactor(
  { sid, status: { uid } }: LiveSession,
  { token, code }: { token: string; code: FactorCode },
  request: SessionRequest,
): Promise<string> {
  const decoded = await verifyFreshProof(uid, token);
  const { account, decision } = await authorizeSignIn(decoded, { enabledSocial: request.enabledSocial });
  if (decision.outcome === 'step' && decision.code !== 'second-factor-required') throw new ApiProblem(decision.code);
  const { factor } = await redeemFactorCode({ uid, email: account.facts.email ?? '', digest: null, code }, request);
  const method = getHandoffMethod(decoded);
  // It ends with the session.
  return mintCustomToken({ uid, sid, authenticatedAt: getAuthenticationTime(decoded), method, factor });
}
