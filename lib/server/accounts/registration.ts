import { randomBytes } from 'node:crypto';
import { ApiProblem } from '@/lib/shared/problem';
import { PASSKEY_METHOD } from '@/lib/shared/sign-in-methods';
import type { Registration } from '@/lib/shared/account/registration-schema';
import { digest, env, setRequestAccount } from '@/lib/server/runtime';
import { reportError } from '@/lib/shared/error-reporting/report';
import { sendEmail, isUnanswered, type FlowContext } from '@/lib/server/notifications';
import {
  changeJudgedAccount,
  createResetLink,
  deleteAccount,
  getIdentityAdmin,
  findByEmail,
  findById,
  nullOnCode,
  retryWhileUnavailable,
} from '@/lib/server/identity';
import {
  allowRecordsAgain,
  deleteRecordsInBackground,
  getStore,
  type LockedAccount,
  recordEvent,
  withAccountLock,
} from '@/lib/server/storage';
import {
  type Account,
  decideEmailedAccess,
  getProvedEmail,
  isReplaceable,
  isUnprovedRegistration,
  toAccountFacts,
} from '@/lib/server/policy';
import {
  awaitsPasskey,
  wasConfirmedByLink,
  createPendingConfirmation,
  emailConfirmation,
  emailConfirmationLink,
  type FlowOfBrowser,
  issueConfirmation,
  type readPendingRegistration,
} from './confirmation';
import { checkPassword, checkProviderPolicy } from './password-policy';
import { emailMethods } from './recovery';
import type { NewAccount, PendingConfirmation, PreparedEmail } from './requested-email';

const EMAIL_TAKEN = 'auth/email-already-exists';
const UID_TAKEN = 'auth/uid-already-exists';

/** The owner of a taken email gets a single notice within this many seconds, however many people register it. */
const TOLD_SECONDS = 60;

/** Length in bytes of the identity provider's own account ids, which have 28 characters of base64url. */
const UID_BYTES = 21;

/**
 * Refuses a password before the registration counts against the mailbox's budgets, which are also its owner's. The
 * network's limit has already counted the call. It reads no account data, because the response would reveal them.
 * @throws ApiProblem `password-common`, `password-breached`, `password-personal`, `password-weak`, 503
 */
export async function checkRegistration(values: Registration): Promise<void> {
  if (!('password' in values)) return;
  await checkPassword(values.password, values.email);
  await checkProviderPolicy(values.password);
}

/**
 * Prepares an unverified account and the email with its code. If the email already has an account, it prepares an email
 * to its owner. Only the mailbox owner can tell the two cases apart (docs/product.md#screens). The account's id is
 * chosen here, because the token contains it before any account is read.
 * @returns the token for the browser's cookie; in the second case its code is not emailed
 * @throws ApiProblem `email-taken` and 503 where the operator reveals accounts
 */
export async function prepareRegistration(
  values: Registration,
  context: FlowOfBrowser,
): Promise<PreparedEmail<string>> {
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
 * Creates the account and emails its code, or emails the owner. It replaces an unconfirmed account with the email,
 * under the new id.
 * @param attempt `isSuperseded`: a later code was requested, and only that code works
 * @throws ApiProblem `mail-unavailable`, 503
 */
export async function registerAccount(
  { account: values, ...confirmation }: Confirmation & { account: NewAccount },
  context: FlowContext,
  { isSuperseded }: { isSuperseded: boolean },
): Promise<void> {
  const before = await findByEmail(values.email);
  // The provider's response was lost, or the process was killed. Meanwhile the owner may have confirmed the account, or
  // got a later code.
  if (before?.facts.uid === values.uid) {
    await withAccountLock(values.uid, async (locked) => markUnproved(locked, await findById(values.uid, locked)));
    if (!isReplaceable(before.facts)) return;
    recordRegistration(values, context);
    if (!isSuperseded) await emailConfirmation(confirmation.pending, confirmation.code, context);
    return;
  }
  const isTaken = before !== null && !isReplaceable(before.facts);
  // Delete the old account before creating the new one. An interruption in between leaves only a free email for the
  // next attempt.
  const isFree = before === null || (!isTaken && (await deleteUnconfirmed(before.facts.uid)));
  if (isFree && (await create(values))) {
    setRequestAccount(values.uid);
    recordRegistration(values, context);
    if (!isSuperseded) await confirmOrUndo(values.uid, confirmation, context);
    return;
  }
  if (await isFirstToTell(values.email, values.uid)) await emailOwner(values.email, isTaken ? before : null, context);
}

/**
 * Creates the account of a registration, once, however often this is called. It holds the account's lock, so that no
 * proof of the mailbox comes before the mark.
 * @returns false if a concurrent registration took the email
 */
function create({ uid, name, email, ...registration }: NewAccount): Promise<boolean> {
  const password = 'password' in registration ? { password: registration.password } : {};
  const account = { uid, email, ...password, displayName: name, emailVerified: false };
  return withAccountLock(uid, async (locked) => {
    // An earlier attempt may have deleted the account, because the mail server deferred its email.
    await allowRecordsAgain(uid);
    const created = getIdentityAdmin().createUser(account);
    const user = await nullOnCode(created, 'createUser', EMAIL_TAKEN, UID_TAKEN);
    // An earlier attempt has created the account, but its response came too late. Only this registration has the id.
    const own = user ? { user, facts: toAccountFacts(user, null, null) } : await findById(uid, locked);
    if (own?.user.email !== email) return false;
    await markUnproved(locked, own);
    return true;
  });
}

/**
 * Marks the account of a registration. Until a proof of its mailbox it counts as unverified, even after a sign-in by a
 * provider. The call that creates the account accepts no claims.
 */
async function markUnproved(locked: LockedAccount, account: Account | null): Promise<void> {
  if (account === null || getProvedEmail(account.user) !== null || isUnprovedRegistration(account.user)) return;
  await changeJudgedAccount(locked, account, { claims: { isUnproved: true } });
}

/**
 * Rolls back a new account if its confirmation email cannot be sent. It keeps the account if the email may have been
 * sent.
 */
async function confirmOrUndo(uid: string, { pending, code }: Confirmation, context: FlowContext): Promise<void> {
  try {
    await emailConfirmation(pending, code, context);
  } catch (error) {
    if (!isUnanswered(error))
      await deleteUnconfirmed(uid).catch((cause: unknown) =>
        reportError(cause, { during: 'rolling back a registration' }),
      );
    throw error;
  }
}

/** Record it before the email, which may take longer than this process lives. An account has this event once. */
function recordRegistration(values: NewAccount, { client }: FlowContext): void {
  const read = { methods: 'password' in values ? ['password'] : [], requestedAt: new Date() };
  recordEvent({ uid: values.uid, kind: 'registered', client, read });
}

/**
 * Deletes an account that was not completed. It holds the account's lock, so that the owner cannot confirm it between
 * check and deletion.
 * @returns false if the owner has confirmed it meanwhile
 */
function deleteUnconfirmed(uid: string): Promise<boolean> {
  return withAccountLock(uid, async (locked) => {
    const present = await findById(uid, locked);
    if (present && !isReplaceable(present.facts)) return false;
    if (present) {
      await locked.assertHeld();
      // Retry without a response. Delete the records after the provider no longer finds the account.
      await retryWhileUnavailable(() => deleteAccount(uid));
      deleteRecordsInBackground(uid);
    }
    return true;
  });
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
async function emailOwner(email: string, existing: Account | null, context: FlowContext): Promise<void> {
  const account = existing ?? (await findByEmail(email));
  const mayReset = account !== null && decideEmailedAccess(account.facts).password;
  if (mayReset) await sendEmail(email, { kind: 'taken', link: await createResetLink(email, context) }, context);
  else await emailMethods(email, account, context);
}

/**
 * Prepares the email with another code for a pending registration, or repeats the email to the owner.
 * @param read what the browser's token was issued for
 * @returns the new token
 */
export async function prepareResend(
  read: Awaited<ReturnType<typeof readPendingRegistration>>,
  context: FlowOfBrowser,
): Promise<PreparedEmail<string>> {
  const { uid, email, registration, presentedMethod, presentedSubject, finishesSignIn = false } = read;
  const pending = { uid, email, registration, presentedMethod, presentedSubject, finishesSignIn };
  const { code, token } = await issueConfirmation(pending, context);
  return { result: token, email: { kind: 'registration-again', pending, code } };
}

/**
 * A registration may still be carried out, so this is no failure if it is retried. `seconds`: delay of the retry; null:
 * the delay after a failure.
 */
export class RegistrationAwaited extends Error {
  constructor(readonly seconds: number | null = null) {
    super();
  }
}

/**
 * Emails another code for a registration, or emails the owner. It throws RegistrationAwaited while there is no account,
 * or an account to be replaced, except in the last attempt. An email without an account would contradict the
 * registration, whose own code is no longer the newest.
 * @param attempt `repeatedSince`: time of the request, if an earlier attempt may have had an effect; `isLast`: of
 *   several attempts; `isNewest`: no other registration of its email has followed
 * @throws ApiProblem `mail-unavailable`, 503; RegistrationAwaited
 */
export async function emailRegistrationAgain(
  { pending, code }: Confirmation,
  context: FlowContext,
  { repeatedSince, isLast, isNewest }: { repeatedSince: Date | null; isLast: boolean; isNewest: boolean },
): Promise<void> {
  const { uid, email } = pending;
  const account = await findByEmail(email);
  const own = account?.facts.uid === uid ? account.facts : null;
  const isOther = own === null && account !== null && isReplaceable(account.facts);
  if ((account === null || (isOther && isNewest)) && !isLast) throw new RegistrationAwaited();
  const needsCode = own !== null && (!own.emailVerified || (await awaitsPasskey(pending)));
  // The owner has confirmed the email meanwhile, and needs no further email.
  if (own !== null && !needsCode && repeatedSince) return;
  // The code still signs in after the registration's own link. After another browser's link it does not, because that
  // browser is the owner's, and this may be a stranger.
  const isOpen = needsCode || (own !== null && (await wasConfirmedByLink(pending)));
  if (isOpen && !own?.disabled && !own?.managed) return emailConfirmation(pending, code, context);
  if (!(await isFirstToTell(email, uid))) return;
  // A registration in another browser has replaced it. The owner confirms that registration by a link, with a new
  // password.
  return isOther ? emailConfirmationLink(account.facts.uid, email, context) : emailOwner(email, account, context);
}
