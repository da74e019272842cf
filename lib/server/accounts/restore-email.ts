import { randomUUID } from 'node:crypto';
import { reportError } from '@/lib/shared/error-reporting/report';
import { isApiProblem } from '@/lib/shared/problem';
import { getProvedEmail, type StoredAccount } from '../account-policy/account';
import { recordEvent } from '../records/record-event';
import { removePasskeys } from '../passkeys/removed';
import { getNewClaims } from './new-claims';
import { changeAccountWithSessions } from '../session/change-account';

/**
 * Gives an account its proved email back, or none with a mailbox if that has another account by now. Only sign-in
 * methods of the proved email stay, and no passkeys. Without this, a free address could be occupied for good by an account that was
 * proved for another one, and its owner could neither register nor sign in.
 * @param proved that of its claim by default
 * @throws ApiProblem 503
 */
export async function restoreProvedEmail(user: StoredAccount, proved = getProvedEmail(user)): Promise<void> {
  // First: an intruder may have added some, and a failure later must not leave them.
  await removePasskeys(user.uid);
  const email = proved ?? undefined;
  const claims = getNewClaims(user, { setsPassword: false, proved: email });
  const unlink = user.providerData
    .filter((method) => method.providerId !== 'password' && method.email?.toLowerCase() !== email)
    .map(({ providerId }) => providerId);
  const change = { unlink, removePassword: true, removeSecondFactors: true, claims, revoke: true };
  try {
    await changeAccountWithSessions(user.uid, { ...change, email, emailVerified: true });
  } catch (error) {
    if (!isApiProblem(error) || error.code !== 'email-taken') throw error;
    await changeAccountWithSessions(user.uid, {
      ...change,
      email: `${randomUUID()}@unproved.invalid`,
      emailVerified: false,
    });
  }
  recordEvent({ uid: user.uid, kind: 'email-restored' });
  reportError(new Error('The proved email of an account was restored'), { uid: user.uid });
}
