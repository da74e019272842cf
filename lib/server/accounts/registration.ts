import { randomBytes, randomUUID } from 'node:crypto';
import type { UserRecord } from 'firebase-admin/auth';
import { ApiProblem, isApiProblem } from '@/lib/shared/problem';
import { PASSKEY_METHOD } from '@/lib/shared/sign-in-methods';
import type { Registration } from '@/lib/shared/account/registration-schema';
import { env, setRequestAccount } from '@/lib/server/runtime';
import { reportError } from '@/lib/shared/error-reporting/report';
import { sendEmail, createResetLink, type FlowContext } from '@/lib/server/notifications';
import { getIdentityAdmin, withAccountLock, findByEmail, findById, nullOnCode } from '@/lib/server/identity';
import { deleteRecordsInBackground, recordEvent } from '@/lib/server/storage';
import { type Account, type AccountFacts, decideEmailedAccess, isReplaceable } from '@/lib/server/policy';
import {
  createPendingConfirmation,
  emailConfirmation,
  issueConfirmation,
  type readPendingRegistration,
} from './confirmation';
import { checkPassword, checkProviderPolicy } from './password-policy';
import { emailMethods } from './recovery';
import type { NewAccount, PendingConfirmation, PreparedEmail } from './requested-email';

const EMAIL_TAKEN = 'auth/email-already-exists';

/** Length of the identity provider's own account ids: 28 characters of base64url. */
const UID_BYTES = 21;

/**
 * Prepares an unverified account and the email with its code, or the email to the owner if the email already has an account. Only the
 * mailbox owner can tell which (docs/product.md#screens). The account's id is chosen here: the token names it before anything is read.
 * @returns the token for the browser's cookie: of a code that is not emailed in the second case
 * @throws ApiProblem `password-common`, `password-breached`, `password-personal`, `password-weak`; `email-taken` and 503
 *   where the operator reveals accounts
 */
export async function prepareRegistration(
  values: Registration,
  context: { flow: string },
): Promise<PreparedEmail<string>> {
  if ('password' in values) {
    await checkPassword(values.password, values.email);
    // Check before anything depends on whether the account exists, or the response would reveal it.
    await checkProviderPolicy(values.password);
  }
  if (env().REVEAL_EXISTING_ACCOUNTS) {
    const taken = await findByEmail(values.email);
    if (taken && !isReplaceable(taken.facts)) throw new ApiProblem('email-taken');
  }
  const uid = randomBytes(UID_BYTES).toString('base64url');
  const pending = createPendingConfirmation(uid, values.email, 'password' in values ? 'password' : PASSKEY_METHOD);
  const { code, token } = await issueConfirmation(pending, context);
  return { result: token, email: { kind: 'registration', account: { ...values, uid }, pending, code } };
}

type Confirmation = { pending: PendingConfirmation; code: string };

/**
 * Creates the account and emails its code, or emails the owner.
 * @param attempt `repeatedSince`: when it was requested, if an earlier attempt may have got anywhere
 * @throws ApiProblem `mail-unavailable`, 503
 */
export async function registerAccount(
  { account: values, ...confirmation }: Confirmation & { account: NewAccount },
  context: FlowContext,
  { repeatedSince }: { repeatedSince: Date | null },
): Promise<void> {
  const before = await findByEmail(values.email);
  // The response of the provider was lost, or the process was killed. The owner may have confirmed the account meanwhile.
  if (before?.facts.uid === values.uid)
    return isReplaceable(before.facts) ? confirmOrUndo(values, confirmation, context) : undefined;
  // The email was registered once more meanwhile: the code that came last must be the one that works.
  if (before && repeatedSince && isReplaceable(before.facts) && wasCreatedAfter(before, repeatedSince)) return;
  if (before && !isReplaceable(before.facts)) return emailOwner(values.email, before, context);
  const user = before ? await replace(before.facts, values) : await create(values);
  return user ? confirmOrUndo(values, confirmation, context) : emailOwner(values.email, null, context);
}

/**
 * Replaces an unconfirmed account under a new id. The new one is created first, under an email without a mailbox (RFC
 * 6761, section 6.4), and takes over the email once the previous account is deleted: a password that the provider
 * refuses loses nothing.
 * @returns null when the previous account has since been confirmed, or a concurrent registration was faster
 */
async function replace({ uid }: AccountFacts, values: NewAccount): Promise<UserRecord | null> {
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
async function create({ uid, name, email, ...registration }: NewAccount): Promise<UserRecord | null> {
  const password = 'password' in registration ? { password: registration.password } : {};
  const account = { uid, email, ...password, displayName: name, emailVerified: false };
  return nullOnCode(getIdentityAdmin().createUser(account), 'createUser', EMAIL_TAKEN);
}

const wasCreatedAfter = ({ user }: Account, at: Date) => Date.parse(user.metadata.creationTime) > at.getTime();

/** Rolls back the account if its confirmation email cannot be sent. */
async function confirmOrUndo(values: NewAccount, { pending, code }: Confirmation, context: FlowContext): Promise<void> {
  const { uid } = values;
  setRequestAccount(uid);
  try {
    const requestedAt = new Date();
    await emailConfirmation(pending, code, context);
    const read = { methods: 'password' in values ? ['password'] : [], requestedAt };
    recordEvent({ uid, kind: 'registered', client: context.client, read });
  } catch (error) {
    await deleteQuietly(uid);
    throw error;
  }
}

/** Rolls back an account that was not completed; not one that its owner has confirmed with an email of an earlier attempt. */
async function deleteQuietly(uid: string): Promise<void> {
  const undo = withAccountLock(uid, async () => {
    const present = await findById(uid);
    if (present && isReplaceable(present.facts)) await deleteAccount(uid);
  });
  await undo.catch((cause: unknown) => reportError(cause, { during: 'rolling back a registration' }));
}

async function deleteAccount(uid: string): Promise<void> {
  await nullOnCode(getIdentityAdmin().deleteUser(uid), 'deleteUser', 'auth/user-not-found');
  deleteRecordsInBackground(uid);
}

/** Emails the owner of an existing account a reset link, or the sign-in methods if email cannot set a password. */
async function emailOwner(email: string, existing: Account | null, context: FlowContext): Promise<void> {
  const account = existing ?? (await findByEmail(email));
  const mayReset = account !== null && decideEmailedAccess(account.facts).password;
  if (mayReset) await sendEmail(email, { kind: 'taken', link: await createResetLink(email, context) }, context);
  else await emailMethods(email, account, context);
}

/**
 * Prepares the email with another code for a pending registration, or once more the one to the owner.
 * @param subject what the browser's token was issued for
 * @returns the new token
 */
export async function prepareResend(
  { uid, email, registration, presentedMethod }: Awaited<ReturnType<typeof readPendingRegistration>>,
  context: { flow: string },
): Promise<PreparedEmail<string>> {
  const pending = { uid, email, registration, presentedMethod };
  const { code, token } = await issueConfirmation(pending, context);
  return { result: token, email: { kind: 'registration-again', pending, code } };
}

/** Emails another code for a registration, or the owner. @throws ApiProblem `mail-unavailable`, 503 */
export async function emailRegistrationAgain({ pending, code }: Confirmation, context: FlowContext): Promise<void> {
  const { uid, email } = pending;
  const account = await findByEmail(email);
  const isOpen = account?.facts.uid === uid && !account.facts.emailVerified && !account.facts.disabled;
  return isOpen ? emailConfirmation(pending, code, context) : emailOwner(email, account, context);
}
