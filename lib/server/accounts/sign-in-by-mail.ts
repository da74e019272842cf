import type { AccountFacts } from '@/lib/server/policy/account';
import { getSecondFactorStep } from '@/lib/server/policy/sign-in';
import { mintCustomTokenForProof } from '../session/custom-token';
import { requiresSecondFactor } from '../session/decide';
import { requireSecondFactorAfterMail } from '../session/pending-sign-in';
import { isRememberedBrowser } from '../session/remembered';
import type { SessionRequest } from '../session/types';

/**
 * Signs a user in who has just proved the mailbox to our server. Where the gate would ask for a second factor, the sign-in waits for it here
 * already: no token is minted before.
 * @returns a custom token, with which the browser signs in
 * @throws ApiProblem `second-factor-required`, `second-factor-setup-required`, `records-unavailable`, 503
 */
export async function signInByMail(account: AccountFacts, request: SessionRequest): Promise<string> {
  const requires = await requiresSecondFactor(account, request);
  const isRemembered = await isRememberedBrowser(account, request);
  const step = getSecondFactorStep(account, { assurance: 1, isRemembered, requiresSecondFactor: requires });
  if (step !== null) throw await requireSecondFactorAfterMail(account, step, request);
  return mintCustomTokenForProof(account.uid);
}
