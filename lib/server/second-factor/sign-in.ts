import type { FactorCode } from '@/lib/shared/account/second-factor';
import type { StoredAccount } from '../account-policy/account';
import { idTokenByCustomToken } from '../identity-provider/identity-toolkit';
import { getSessionBackend } from '../session';
import { changeAccountWithSessions } from '../session/change-account';
import { mintTokenOfFirstFactor } from '../session/custom-token';
import type { CreatedSession, SessionRequest } from '../session/types';
import { withSecondFactorClaim } from './claims';
import { useFactor, type AcceptedFactor } from './attempt';
import { requireWaitingSignIn } from './waiting-sign-in';

export type CompletedSignIn = CreatedSession & Pick<AcceptedFactor, 'codesLeft'>;

/**
 * Completes a sign-in that waits for its second factor. The custom token is exchanged here: no token of the identity provider reaches
 * the browser (docs/adr/0032).
 * @param secret of the browser's cookie
 * @throws ApiProblem as `useFactor` and `SessionBackend.create`
 */
export async function completeSignIn(
  secret: string | undefined,
  code: FactorCode,
  request: SessionRequest,
): Promise<CompletedSignIn> {
  const { pending, account } = await requireWaitingSignIn(secret);
  const { uid, digest } = pending;
  const { factor, codesLeft } = await useFactor({ uid, email: account.facts.email ?? '', digest, code }, request);
  if (!account.facts.hasSecondFactor) await restoreClaim(account.user);
  const token = await idTokenByCustomToken(await mintTokenOfFirstFactor(pending, factor));
  const created = await getSessionBackend().create(token, { ...request, completesSignIn: true });
  return { ...created, codesLeft };
}

/** Only the records knew of the second factor: the claim was not written, or an operator has replaced all claims since. */
async function restoreClaim(user: StoredAccount): Promise<void> {
  await changeAccountWithSessions(user.uid, { claims: withSecondFactorClaim(user, new Date()) });
}
