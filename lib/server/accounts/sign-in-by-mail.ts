import { findById } from '@/lib/server/identity';
import { getSecondFactorStep, isSecondFactorStep, type AccountFacts } from '@/lib/server/policy';
import {
  isRememberedBrowser,
  mintCustomTokenForProof,
  requireEnabled,
  requireSecondFactorAfterMail,
  requiresSecondFactor,
  type SessionRequest,
} from '@/lib/server/session';
import { reportError } from '@/lib/shared/error-reporting/report';
import { ApiProblem, isApiProblem, type ProblemCode } from '@/lib/shared/problem';

/** An account whose mailbox was proved, as read before the proof, and the time of the proof. */
export type ProvedMailbox = { account: AccountFacts; provedAt: Date };

/**
 * Signs in a user who has just proved the mailbox to our server. It checks the second factor first, so that no token is
 * created for a sign-in that still waits. A revocation after the proof ends the sign-in, even before the token exists.
 * @param proof `registers`: the proof completed the account's registration in this browser
 * @returns a custom token that signs the browser in
 * @throws ApiProblem `second-factor-required`, `second-factor-setup-required`, `records-unavailable`, 503
 */
export async function signInByMail(
  { account: before, provedAt }: ProvedMailbox,
  request: SessionRequest,
  { registers = false } = {},
): Promise<string> {
  // The proof may have revoked all sign-ins. Then no browser is remembered.
  const account = (await findById(before.uid))?.facts ?? before;
  const requires = await requiresSecondFactor(account, request);
  const isRemembered = await isRememberedBrowser(account, request);
  const step = getSecondFactorStep(account, { assurance: 1, isRemembered, requiresSecondFactor: requires });
  if (step !== null) throw await requireSecondFactorAfterMail({ account, provedAt }, step, request);
  return mintCustomTokenForProof(account.uid, { at: provedAt, registers });
}

/** Returns a required second factor instead of throwing it, because the proof is used up while the sign-in waits. */
export async function returnStep(signIn: () => Promise<string>): Promise<string | ApiProblem> {
  try {
    return await signIn();
  } catch (error) {
    if (isApiProblem(error) && isSecondFactorStep(error.code)) return error;
    throw error;
  }
}

/**
 * The sign-in after a password reset. `step`: the problem code of its second factor, with the cookies that continue it.
 * `email`: the account's email after a reset by its recovery email, which signs in no one.
 */
export type ResetSignIn = { customToken?: string; step?: ProblemCode; email?: string; cookies: readonly string[] };

/**
 * Signs in after a password reset, whose code or link has proved the mailbox (docs/adr/0052). The password is set, so a
 * sign-in that fails is no failure of the reset. Its user then signs in separately.
 */
export async function signInAfterReset(proved: ProvedMailbox, session: SessionRequest): Promise<ResetSignIn> {
  try {
    await requireEnabled('password', session);
    const signedIn = await returnStep(() => signInByMail(proved, session));
    if (!(signedIn instanceof ApiProblem)) return { customToken: signedIn, cookies: [] };
    return { step: signedIn.code, cookies: signedIn.options.cookies ?? [] };
  } catch (error) {
    if (!isApiProblem(error)) reportError(error, { during: 'signing in after a password reset' });
    return { cookies: [] };
  }
}
