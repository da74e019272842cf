import { type AccountFacts, getSecondFactorStep } from '@/lib/server/policy';
import {
  mintCustomTokenForProof,
  requiresSecondFactor,
  requireSecondFactorAfterMail,
  isRememberedBrowser,
  type SessionRequest,
} from '@/lib/server/session';

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
