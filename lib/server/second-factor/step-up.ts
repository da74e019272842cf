import type { FactorCode } from '@/lib/shared/account/second-factor';
import { getSessionBackend, type LiveSession, type CreatedSession, type SessionRequest } from '@/lib/server/session';
import { redeemFactorCode, type AcceptedFactor } from './attempt';

/**
 * The signed-in user shows the second factor of a session that was opened without it (RFC 9470): the session goes on with both, and keeps
 * the time of its proof.
 * @throws ApiProblem as `redeemFactorCode` and `SessionBackend.renew`
 */
export async function stepUp(
  { status: { uid, email } }: LiveSession,
  code: FactorCode,
  request: SessionRequest,
): Promise<CreatedSession & Pick<AcceptedFactor, 'codesLeft'>> {
  const { factor, codesLeft } = await redeemFactorCode({ uid, email: email ?? '', digest: null, code }, request);
  const renewed = await getSessionBackend().renew(request.sessionCookie ?? '', request, factor);
  return { ...renewed, codesLeft };
}
