import { assertUnused, issueCode, readToken, redeemCode, type ReadToken } from '@/lib/server/codes';
import { createResetLink, findByEmail, hasPasskey } from '@/lib/server/identity';
import { getSignInMethods, sendEmail, type FlowContext, type SignInMethod } from '@/lib/server/notifications';
import { decideEmailedAccess, type Account } from '@/lib/server/policy';
import type { SessionRequest } from '@/lib/server/session';
import { withAccountLock } from '@/lib/server/storage';
import { ApiProblem } from '@/lib/shared/problem';
import { actionQuery } from '@/lib/shared/security-paths';
import { PASSKEY_METHOD, isOrganization } from '@/lib/shared/sign-in-methods';
import { emailConfirmationLink, type FlowOfBrowser } from './confirmation';
import { signInAfterReset, type ResetSignIn } from './sign-in-by-mail';
import { checkPassword } from './password-policy';
import { findToReset, hasRecoveryEmail } from './recovery-email';
import type { PreparedEmail } from './requested-email';
import { keepResetLink, replaceForgottenPassword } from './reset-link';

/**
 * Prepares the email with a reset code, or with the reason for its absence: no account, a disabled account, or no
 * password. Only the mailbox owner learns the reason.
 * @returns the token for the browser's cookie; its code is not emailed if there is a reason
 */
export async function prepareReset(email: string, { flow, browser }: FlowOfBrowser): Promise<PreparedEmail<string>> {
  const { code, token } = await issueCode('reset-password', { email }, { flow, browser });
  return { result: token, email: { kind: 'reset', email, code } };
}

/** Emails a reset code, or the reason for its absence. @throws ApiProblem `mail-unavailable`, 503 */
export async function emailReset(
  { email, code }: { email: string; code: string },
  context: FlowContext,
): Promise<void> {
  const found = await findToReset(email);
  if (!found || !decideEmailedAccess(found.account.facts).password)
    return emailMethods(email, found?.account ?? null, context);
  const { email: own } = found.account.facts;
  if (found.isOwner && own !== null) return sendEmail(email, { kind: 'recovery-reset', code, account: own }, context);
  const link = await makeResetLink(found.account, email, context);
  return sendEmail(email, { kind: 'reset', code, link }, context);
}

/**
 * Emails a link that sets a new password, by order of an operator, or the reason for its absence. It has no code, because
 * no page of the owner waits for one.
 * @throws ApiProblem `mail-unavailable`, 503
 */
export async function emailResetLink(email: string, context: FlowContext): Promise<void> {
  const account = await findByEmail(email);
  if (!account || !decideEmailedAccess(account.facts).password) return emailMethods(email, account, context);
  return sendEmail(email, { kind: 'support-reset', link: await makeResetLink(account, email, context) }, context);
}

async function makeResetLink({ facts: { uid } }: Account, email: string, context: FlowContext): Promise<string> {
  const link = await createResetLink(email, context);
  await keepResetLink(uid, new URL(link).searchParams.get(actionQuery.code) ?? '');
  return link;
}

/**
 * Emails the owner how to sign in. The methods are never shown on a screen.
 * @throws ApiProblem `mail-unavailable`, 503
 */
export async function sendSignInHelp(email: string, context: FlowContext): Promise<void> {
  await emailMethods(email, await findByEmail(email), context);
}

/** Emails the owner the sign-in methods, or why there are none. @throws ApiProblem `mail-unavailable`, 503 */
export async function emailMethods(email: string, account: Account | null, context: FlowContext): Promise<void> {
  if (!account) return sendEmail(email, { kind: 'no-account', email }, context);
  const { user, facts } = account;
  if (facts.disabled) return sendEmail(email, { kind: 'closed' }, context);
  // A third party may have added the sign-in methods.
  if (!facts.emailVerified && decideEmailedAccess(facts).password)
    return emailConfirmationLink(user.uid, email, context);
  const own = user.providerData.map(({ providerId }) => providerId);
  const methods = await getSignInMethods((await hasPasskey(user)) ? [...own, PASSKEY_METHOD] : own);
  const open = methods.filter(isAvailable);
  if (methods.length > 0 && open.length === 0) return sendEmail(email, { kind: 'partner-gone' }, context);
  return sendEmail(email, { kind: 'methods', methods: open }, context);
}

/** Excludes methods of a partner that has been disabled. */
const isAvailable = ({ method, partner }: SignInMethod) =>
  partner !== null || method.startsWith('saml.') || !isOrganization(method);

/** Reads the email that a browser's reset token was issued for. @throws ApiProblem `code-missing`, `code-expired` */
export async function readPendingReset(
  token: string | undefined,
): Promise<{ email: string } & Omit<ReadToken, 'payload'>> {
  const { payload, ...read } = await readToken('reset-password', token);
  return { email: payload.email ?? '', ...read };
}

/**
 * Sets a new password with the emailed code, revokes all sessions of the account, and signs in.
 * @throws ApiProblem of `redeemCode` and `replaceForgottenPassword`
 * @throws ApiProblem `password-common`, `password-breached`, `password-personal` or `password-weak` before the code is
 *   checked
 */
export async function resetPassword(
  { token, code, password }: { token: string | undefined; code: string; password: string },
  context: FlowContext,
  session: SessionRequest,
): Promise<ResetSignIn> {
  const { email: requested } = assertUnused(await readPendingReset(token));
  // An invalid password must not use up an attempt.
  await checkPassword(password, requested);
  const proved = await redeemCode('reset-password', token, code, async ({ email = '' }) => {
    // The code proves the mailbox for any account that has it now, because the token was made before an account was
    // looked up.
    const found = await findToReset(email);
    if (found === null || !decideEmailedAccess(found.account.facts).password) throw new ApiProblem('code-expired');
    const { account, isOwner } = found;
    const proof = { by: 'reset-code', browser: 'requesting', presentedMethod: null } as const;
    if (!isOwner) {
      return { account: account.facts, provedAt: await replaceForgottenPassword(account, proof, context, password) };
    }
    await withAccountLock(account.user.uid, async (locked) => {
      // It may have been removed while this waited for its turn.
      if (!(await hasRecoveryEmail(locked, email))) throw new ApiProblem('code-expired');
      await replaceForgottenPassword(account, proof, context, password, locked);
    });
    // The mailbox of the account is not proved, so the user signs in with the new password. The email to the recovery
    // mailbox has named the account, too.
    return account.facts.email ?? '';
  });
  return typeof proved === 'string' ? { email: proved, cookies: [] } : signInAfterReset(proved, session);
}
