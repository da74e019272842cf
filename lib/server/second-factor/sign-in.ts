import type { FactorCode } from '@/lib/shared/account/second-factor';
import { ApiProblem } from '@/lib/shared/problem';
import { withAccountLock, changeJudgedAccount, findById, idTokenByCustomToken } from '@/lib/server/identity';
import {
  getSessionBackend,
  mintTokenOfFirstFactor,
  type CreatedSession,
  type SessionRequest,
} from '@/lib/server/session';
import type { PendingSignIn } from '@/lib/server/storage';
import { redeemFactorCode, type AcceptedFactor } from './attempt';
import { toFactorClaims } from './factor-claims';
import { requireWaitingSignIn } from './waiting-sign-in';

export type CompletedSignIn = CreatedSession & Pick<AcceptedFactor, 'codesLeft'>;

/**
 * Completes a sign-in that waits for its second factor. The custom token is exchanged here: no token of the identity provider reaches
 * the browser (docs/adr/0032).
 * @param secret of the browser's cookie
 * @param remembersBrowser whether the user has chosen that this browser is remembered
 * @throws ApiProblem as `redeemFactorCode` and `SessionBackend.completeSignIn`
 */
export async function completeSignIn(
  secret: string | undefined,
  code: FactorCode,
  request: SessionRequest,
  remembersBrowser: boolean,
): Promise<CompletedSignIn> {
  const { pending, account } = await requireWaitingSignIn(secret);
  const { uid, digest } = pending;
  const { factor, codesLeft } = await redeemFactorCode(
    { uid, email: account.facts.email ?? '', digest, code },
    request,
  );
  if (!account.facts.hasSecondFactor) await restoreClaim(pending);
  const token = await idTokenByCustomToken(await mintTokenOfFirstFactor(pending, factor));
  const created = await getSessionBackend().completeSignIn(token, request, remembersBrowser);
  return { ...created, codesLeft };
}

/** Only the records knew of the second factor: the claim was not written, or an operator has replaced all claims since. */
async function restoreClaim({ uid, email }: PendingSignIn): Promise<void> {
  await withAccountLock(uid, async () => {
    const account = await findById(uid);
    // The email that the sign-in was judged by: another one gets neither the claim nor a session.
    if (account === null || account.facts.disabled || account.facts.email !== email)
      throw new ApiProblem('sign-in-expired');
    if (!account.facts.hasSecondFactor)
      await changeJudgedAccount(account, { claims: toFactorClaims(account, new Date()) });
  });
}
