import type { UserRecord } from 'firebase-admin/auth';
import { ApiProblem } from '@/lib/api/problem';
import type { RegistrationValues } from '@/lib/account/registration-schema';
import { env } from '@/lib/config/env';
import { reportError } from '@/lib/sentry/report';
import { sendLetter, type MailSetting } from '../mail';
import { identityAdmin } from '../session';
import { askProvider } from '../session/provider-errors';
import { actionLink, type LinkSetting } from './action-links';
import { issueConfirmation, issueDecoy, type pendingRegistration } from './confirmation';
import { findByEmail, hasCode } from './find';
import { checkPassword } from './password-policy';

export type Setting = MailSetting & LinkSetting;

/**
 * Creates an unverified account and mails its code, or, where the address has an account, mails its owner instead.
 * Nobody but the owner of the mailbox can tell which (product decisions, 6).
 * @returns the token for the browser's cookie; a decoy in the second case
 * @throws ApiProblem `password-common`, `password-personal`, `password-weak`, `mail-unavailable`, 503; `email-taken` where the operator reveals accounts
 */
export async function register(values: RegistrationValues, setting: Setting): Promise<string> {
  checkPassword(values.password, values.email);
  const before = await findByEmail(values.email);
  if (before && !isAbandoned(before)) return hintOwner(values, setting);
  if (before) await askProvider(identityAdmin().deleteUser(before.uid));
  const user = await create(values);
  return user ? confirmOrUndo(user, values, setting) : hintOwner(values, setting);
}

/**
 * A registration that nobody has confirmed and nobody can have used: it gives way to a new one, under a new id, so that
 * who registers an address of someone else never has the password of the account that its owner confirms (docs/adr/0008).
 */
function isAbandoned({ emailVerified, disabled, providerData, customClaims }: UserRecord): boolean {
  const onlyPassword = providerData.every(({ providerId }) => providerId === 'password');
  return !emailVerified && !disabled && onlyPassword && Object.keys(customClaims ?? {}).length === 0;
}

/** @returns null when somebody else took the address at the same moment */
async function create({ name, email, password }: RegistrationValues): Promise<UserRecord | null> {
  const account = { email, password, displayName: name, emailVerified: false };
  return askProvider(
    identityAdmin()
      .createUser(account)
      .catch((error: unknown) => {
        if (hasCode(error, 'auth/email-already-exists')) return null;
        throw error;
      }),
  );
}

/** Without its mail an account would be half done: it goes again. */
async function confirmOrUndo(user: UserRecord, { name, email }: RegistrationValues, setting: Setting): Promise<string> {
  try {
    return await issueConfirmation({ uid: user.uid, email, name }, setting);
  } catch (error) {
    await askProvider(identityAdmin().deleteUser(user.uid)).catch((cause: unknown) =>
      reportError(cause, { during: 'undoing a registration' }),
    );
    throw error;
  }
}

async function hintOwner({ name, email }: Omit<RegistrationValues, 'password'>, setting: Setting): Promise<string> {
  if (env().REVEAL_EXISTING_ACCOUNTS) throw new ApiProblem('email-taken');
  const link = await actionLink('resetPassword', email, setting);
  await sendLetter(email, { kind: 'taken', link }, setting);
  return issueDecoy('confirm-email', { email, name });
}

/**
 * Mails another code for a registration under way, or the hint once more.
 * @param subject what the browser's token was issued for
 * @returns the new token
 * @throws ApiProblem as `register`; `code-expired` when the account is gone
 */
export async function resendConfirmation(
  subject: Awaited<ReturnType<typeof pendingRegistration>>,
  setting: Setting,
): Promise<string> {
  const user = await findByEmail(subject.email);
  if (!user) throw new ApiProblem('code-expired');
  const isOpen = user.uid === subject.uid && !user.emailVerified && !user.disabled;
  return isOpen
    ? issueConfirmation({ uid: subject.uid, email: subject.email, name: subject.name }, setting)
    : hintOwner(subject, setting);
}
