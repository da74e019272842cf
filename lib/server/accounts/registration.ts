import { randomUUID } from 'node:crypto';
import type { UserRecord } from 'firebase-admin/auth';
import { ApiProblem, isApiProblem } from '@/lib/shared/problem';
import { PASSKEY_METHOD } from '@/lib/shared/account/own-methods';
import type { Registration } from '@/lib/shared/account/registration-schema';
import { env } from '../config/env';
import { reportError } from '@/lib/shared/error-reporting/report';
import { sendEmail } from '../email';
import { getIdentityAdmin } from '../identity-provider/admin';
import { setRequestAccount } from '../observability/request-context';
import { deleteRecordsInBackground, recordEvent } from '../records/record-event';
import { createActionLink, type FlowContext } from './action-links';
import type { Account, AccountFacts } from '../account-policy/account';
import { decideEmailedAccess, isReplaceable } from '../account-policy/mailbox';
import { withAccountLock } from './account-lock';
import { issueConfirmation, issueDecoy, createPendingConfirmation, type readPendingRegistration } from './confirmation';
import { findByEmail, findById } from './find';
import { checkPassword, checkProviderPolicy } from './password-policy';
import { nullOnCode } from './read-stored';
import { emailMethods } from './recovery';

const EMAIL_TAKEN = 'auth/email-already-exists';

/**
 * Creates an unverified account and emails its code, or emails the owner if the email already has an account. Only the
 * mailbox owner can tell which (docs/product.md#screens).
 * @returns the token for the browser's cookie; a decoy in the second case
 * @throws ApiProblem `password-common`, `password-breached`, `password-personal`, `password-weak`, `mail-unavailable`, 503; `email-taken`
 *   where the operator reveals accounts
 */
export async function registerAccount(values: Registration, context: FlowContext): Promise<string> {
  if ('password' in values) {
    await checkPassword(values.password, values.email);
    // Check before anything depends on whether the account exists, or the response would reveal it.
    await checkProviderPolicy(values.password);
  }
  const before = await findByEmail(values.email);
  if (before && !isReplaceable(before.facts)) return emailOwner(values.email, before, context);
  const user = before ? await replace(before.facts, values) : await create(values);
  return user ? confirmOrUndo(user, values, context) : emailOwner(values.email, null, context);
}

/**
 * Replaces an unconfirmed account under a new id. The new one is created first, under an email without a mailbox (RFC
 * 6761, section 6.4), and takes over the email once the previous account is deleted: a password that the provider
 * refuses loses nothing.
 * @returns null when the previous account has since been confirmed, or a concurrent registration was faster
 */
async function replace({ uid }: AccountFacts, values: Registration): Promise<UserRecord | null> {
  const created = await create({ ...values, email: `${randomUUID()}@replacement.invalid` });
  if (created === null) return null;
  try {
    // With its lock: the owner may have confirmed it since the lookup, and must not confirm it between check and deletion.
    await withAccountLock(uid, async () => {
      const present = await findById(uid);
      if (present && !isReplaceable(present.facts)) throw new ApiProblem('email-taken');
      // A concurrent registration may have deleted it already.
      if (present) await deleteAccount(uid);
    });
    const moved = getIdentityAdmin().updateUser(created.uid, { email: values.email });
    const user = await nullOnCode(moved, 'updateUser', EMAIL_TAKEN);
    if (user === null) throw new ApiProblem('email-taken');
    return user;
  } catch (error) {
    await deleteQuietly(created.uid);
    if (isApiProblem(error) && error.code === 'email-taken') return null;
    throw error;
  }
}

/** @returns null when a concurrent registration took the email */
async function create({ name, email, ...registration }: Registration): Promise<UserRecord | null> {
  const password = 'password' in registration ? { password: registration.password } : {};
  const account = { email, ...password, displayName: name, emailVerified: false };
  return nullOnCode(getIdentityAdmin().createUser(account), 'createUser', EMAIL_TAKEN);
}

/** Rolls back the account if its confirmation email cannot be sent. */
async function confirmOrUndo(user: UserRecord, registration: Registration, context: FlowContext): Promise<string> {
  setRequestAccount(user.uid);
  try {
    const requestedAt = new Date();
    const hasPassword = 'password' in registration;
    const method = hasPassword ? 'password' : PASSKEY_METHOD;
    const pending = createPendingConfirmation(user.uid, registration.email, method);
    const token = await issueConfirmation(pending, context);
    const read = { methods: hasPassword ? ['password'] : [], requestedAt };
    recordEvent({ uid: user.uid, kind: 'registered', client: context.client, read });
    return token;
  } catch (error) {
    await deleteQuietly(user.uid);
    throw error;
  }
}

/** Rolls back an account that was not completed. */
async function deleteQuietly(uid: string): Promise<void> {
  await deleteAccount(uid).catch((cause: unknown) => reportError(cause, { during: 'rolling back a registration' }));
}

async function deleteAccount(uid: string): Promise<void> {
  await nullOnCode(getIdentityAdmin().deleteUser(uid), 'deleteUser', 'auth/user-not-found');
  deleteRecordsInBackground(uid);
}

/** Emails the owner of an existing account a reset link, or the sign-in methods if email cannot set a password. */
async function emailOwner(email: string, existing: Account | null, context: FlowContext): Promise<string> {
  if (env().REVEAL_EXISTING_ACCOUNTS) throw new ApiProblem('email-taken');
  const account = existing ?? (await findByEmail(email));
  const mayReset = account !== null && decideEmailedAccess(account.facts).password;
  if (mayReset)
    await sendEmail(email, { kind: 'taken', link: await createActionLink('resetPassword', email, context) }, context);
  else await emailMethods(email, account, context);
  return issueDecoy('confirm-email', email, context);
}

/**
 * Emails another code for a pending registration, or repeats the email to the owner.
 * @param subject what the browser's token was issued for
 * @returns the new token
 * @throws ApiProblem as `registerAccount`; `code-expired` when the account no longer exists
 */
export async function resendConfirmation(
  { uid, email, registration, presentedMethod }: Awaited<ReturnType<typeof readPendingRegistration>>,
  context: FlowContext,
): Promise<string> {
  const account = await findByEmail(email);
  if (!account) throw new ApiProblem('code-expired');
  const { facts } = account;
  const isOpen = facts.uid === uid && !facts.emailVerified && !facts.disabled;
  return isOpen
    ? issueConfirmation({ uid, email, registration, presentedMethod }, context)
    : emailOwner(email, account, context);
}
