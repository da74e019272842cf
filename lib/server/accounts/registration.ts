import { randomBytes } from 'node:crypto';
import { ApiProblem } from '@/lib/shared/problem';
import { PASSKEY_METHOD } from '@/lib/shared/sign-in-methods';
import type { Registration } from '@/lib/shared/account/registration-schema';
import { digest, env } from '@/lib/server/runtime';
import { sendEmail, type FlowContext } from '@/lib/server/notifications';
import { createResetLink, findByEmail } from '@/lib/server/identity';
import { getStore } from '@/lib/server/storage';
import { type Account, type AccountFacts, decideEmailedAccess, decideRegistration } from '@/lib/server/policy';
import {
  awaitsPasskey,
  createPendingConfirmation,
  emailConfirmation,
  type FlowOfBrowser,
  issueConfirmation,
} from './confirmation';
import type { NewAccount } from './new-account';
import { checkPassword, checkProviderPolicy } from './password-policy';
import { emailMethods } from './recovery';
import type { PendingConfirmation, PreparedEmail } from './requested-email';

/** The owner of a taken email gets a single notice within this many seconds, however many people register it. */
const TOLD_SECONDS = 60;

/** Length in bytes of the identity provider's own account ids, which have 28 characters of base64url. */
const UID_BYTES = 21;

/**
 * Begins a registration: the account that its code will create, with the id that its token contains. It refuses a
 * password before the registration counts against the mailbox's budgets, which are also its owner's. The network's limit
 * has already counted the call. It reads no account data, because the response would reveal them.
 * @throws ApiProblem `password-common`, `password-breached`, `password-personal`, `password-weak`, 503
 */
export async function beginRegistration(values: Registration): Promise<NewAccount> {
  const uid = randomBytes(UID_BYTES).toString('base64url');
  if (!('password' in values)) return { uid, name: values.name };
  await checkPassword(values.password, values.email);
  await checkProviderPolicy(values.password);
  return { uid, name: values.name, password: values.password };
}

/**
 * Prepares the email with the code of a registration. If the email already has an account, its owner gets another email.
 * Only the mailbox owner can tell the two cases apart (docs/product.md#screens).
 * @returns the token for the browser's cookie; in the second case its code is not emailed
 * @throws ApiProblem `email-taken` and 503 where the operator reveals accounts
 */
export async function prepareRegistration(
  { uid, password }: NewAccount,
  email: string,
  context: FlowOfBrowser,
): Promise<PreparedEmail<string>> {
  if (env().REVEAL_EXISTING_ACCOUNTS) {
    const account = await findByEmail(email);
    if (decideRegistration(account?.facts ?? null, uid) === 'taken') throw new ApiProblem('email-taken');
  }
  const method = password === undefined ? PASSKEY_METHOD : 'password';
  return prepareCode({ ...createPendingConfirmation(uid, email, method), isRegistration: true }, context);
}

/**
 * Prepares the email with another code of the same confirmation.
 * @param pending what the browser's token was issued for
 * @returns the new token
 */
export async function prepareCode(
  { uid, email, registration, presentedMethod, presentedSubject, isRegistration }: PendingConfirmation,
  context: FlowOfBrowser,
): Promise<PreparedEmail<string>> {
  const pending = { uid, email, registration, presentedMethod, presentedSubject, isRegistration };
  const { code, token } = await issueConfirmation(pending, context);
  return { result: token, email: { kind: 'confirmation', pending, code } };
}

/**
 * Emails the code of a confirmation, or emails the owner of an account that has the email.
 * @param attempt `isRepeated`: an earlier attempt may have had an effect
 * @throws ApiProblem `mail-unavailable`, 503
 */
export async function emailCode(
  { pending, code }: { pending: PendingConfirmation; code: string },
  context: FlowContext,
  { isRepeated }: { isRepeated: boolean },
): Promise<void> {
  const { uid, email } = pending;
  const account = await findByEmail(email);
  const facts = account?.facts ?? null;
  if (needsCode(facts, pending) || (await awaitsPasskey(pending))) return emailConfirmation(pending, code, context);
  // The learner has confirmed the email meanwhile, and needs no further email.
  if (facts?.uid === uid && isRepeated) return;
  // Do not email this code. The owner may have confirmed the email in another browser, and this browser may be a
  // stranger's.
  if (await isFirstToTell(email, uid)) await emailOwner(email, account, context);
}

function needsCode(facts: AccountFacts | null, { uid, isRegistration }: PendingConfirmation): boolean {
  if (isRegistration) return ['create', 'prove'].includes(decideRegistration(facts, uid));
  return facts?.uid === uid && !facts.emailVerified && !facts.disabled && !facts.managed;
}

/**
 * Decides whether the owner still needs the notice that the email is taken. A single email is sent for several
 * registrations or uses of "Resend code".
 * @param uid id of the registration; its repeated attempt, or its "Resend code", may send the notice again
 */
async function isFirstToTell(email: string, uid: string): Promise<boolean> {
  const key = `told-taken:${digest(email)}`;
  return (await getStore().setIfAbsent(key, uid, TOLD_SECONDS)) || (await getStore().get(key)) === uid;
}

/** Emails the owner of an existing account a reset link, or the sign-in methods if email cannot set a password. */
async function emailOwner(email: string, account: Account | null, context: FlowContext): Promise<void> {
  const mayReset = account !== null && decideEmailedAccess(account.facts).password;
  if (!mayReset) return emailMethods(email, account, context);
  return sendEmail(email, { kind: 'taken', link: await createResetLink(email, context) }, context);
}
