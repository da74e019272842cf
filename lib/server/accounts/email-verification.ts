import type { EmailVerification } from '@/lib/shared/account/email-action';
import { ApiProblem, isApiProblem, nullOnProblem } from '@/lib/shared/problem';
import { type Account, decideEmailedAccess } from '@/lib/server/policy';
import { isSealedLink, readConfirmationLink, redeemOnce } from '@/lib/server/codes';
import { applyVerificationCode, inspectCode, findByEmail, findById } from '@/lib/server/identity';
import { consumeLimit } from '@/lib/server/storage';
import type { EmailContext } from '@/lib/server/notifications';
import { readPendingRegistration } from './confirmation';
import { checkPassword } from './password-policy';
import { type SessionRequest, proveMailbox } from '@/lib/server/session';
import { signInByMail } from './sign-in-by-mail';

/** An inspected confirmation link: the account it is for, and the method that the requesting browser presented. */
type OpenedLink = {
  account: Account;
  email: string;
  /** Null when this browser did not request it. */
  presentedMethod: string | null;
  /** Runs the work and marks the link as used. */
  redeem: (work: () => Promise<void>) => Promise<void>;
};

/**
 * Checks the status of a confirmation link in this browser without redeeming it: mail scanners open links too.
 * @param code the link's own: sealed by us, or the identity provider's when it sent the email itself
 * @param tokens of the browser's cookies
 * @throws ApiProblem 503
 */
export async function inspectEmailVerification(code: string, tokens: string[]): Promise<EmailVerification> {
  try {
    const { account, email, presentedMethod } = await openLink(code, tokens);
    if (account.facts.emailVerified) return { state: 'verified', email };
    return { state: presentedMethod === null ? 'new-password' : 'same-browser', email };
  } catch (error) {
    if (!isApiProblem(error) || error.status !== 410) throw error;
    return { state: error.code === 'action-code-expired' ? 'expired' : 'invalid', email: null };
  }
}

/**
 * Confirms an email by a link. In the browser that registered it, the link does what the code does. In any other browser a
 * third party may have set the account's password, so the user must set a new one, and sign in.
 * @returns a custom token, with which the browser that registered signs in; null where it has to sign in by itself
 * @throws ApiProblem `action-code-expired`, `action-code-invalid`, `new-password-required`, `password-common`,
 *   `password-breached`, `password-personal`, `password-weak`, `too-many-requests`, 503
 */
export async function verifyEmailByLink(
  { code, tokens, password }: { code: string; tokens: string[]; password?: string | undefined },
  context: EmailContext,
  request: SessionRequest,
): Promise<string | null> {
  const { account, email, presentedMethod, redeem } = await openLink(code, tokens);
  if (account.facts.emailVerified) {
    // Already confirmed by code or by this link: success, but a password sent with it is not set.
    if (password !== undefined) throw new ApiProblem('action-code-invalid');
    return null;
  }
  // Access to a managed account is controlled by its organization; no email sets its password.
  if (presentedMethod === null && password !== undefined && !decideEmailedAccess(account.facts).password)
    throw new ApiProblem('action-code-invalid');
  // The registering browser keeps its own password.
  const chosen = presentedMethod === null ? password : undefined;
  if (chosen !== undefined) {
    await consumeLimit('set-password', account.facts.uid);
    await checkPassword(chosen, email);
  }
  const browser = presentedMethod === null ? 'other' : 'requesting';
  await redeem(() => proveMailbox(account, { by: 'confirmation-link', browser, presentedMethod }, context, chosen));
  // Such an account signs in at its organization. A second factor is asked for by the sign-in that follows.
  if (presentedMethod === null || account.facts.managed) return null;
  return nullOnProblem(signInByMail(account.facts, request));
}

async function openLink(code: string, tokens: string[]): Promise<OpenedLink> {
  return isSealedLink(code) ? openSealedLink(code, tokens) : openProviderLink(code);
}

async function openSealedLink(code: string, tokens: string[]): Promise<OpenedLink> {
  const { jti, uid, email, registration } = await readConfirmationLink(code);
  const account = await findById(uid);
  // The registration was replaced by a newer one under another id.
  if (!account || account.facts.disabled || account.user.email !== email) throw new ApiProblem('action-code-invalid');
  const pending = await Promise.all(tokens.map((token) => nullOnProblem(readPendingRegistration(token))));
  const own = pending.find((one) => one?.uid === uid && one.registration === registration);
  return {
    account,
    email,
    presentedMethod: own?.presentedMethod ?? null,
    redeem: (work) => redeemOnce(jti, work),
  };
}

/** A link that the identity provider emailed without this app: it proves the mailbox and nothing else. */
async function openProviderLink(code: string): Promise<OpenedLink> {
  const email = await inspectCode(code, 'VERIFY_EMAIL');
  const account = await findByEmail(email);
  if (!account || account.facts.disabled) throw new ApiProblem('action-code-invalid');
  const redeem = async (work: () => Promise<void>) => {
    // Decide on the account as it was before: redeeming the code marks the email as verified at the provider.
    await work();
    await applyVerificationCode(code);
  };
  return { account, email, presentedMethod: null, redeem };
}
