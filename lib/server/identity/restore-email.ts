import { randomUUID } from 'node:crypto';
import { reportError } from '@/lib/shared/error-reporting/report';
import { isApiProblem } from '@/lib/shared/problem';
import { getProvedEmail } from '@/lib/server/policy';
import { recordEvent } from '@/lib/server/storage';
import { removePasskeys } from './remove-passkeys';
import { writeJudgedAccount } from './change-account';
import { withAccountLock } from './account-lock';
import { readStored } from './read-stored';

/**
 * Gives an account its proved email back, or none with a mailbox if that has another account by now. Only sign-in
 * methods of the proved email stay, and no passkeys. Without this, a free address could be occupied for good by an account that was
 * proved for another one, and its owner could neither register nor sign in. Does nothing when it has that email again: repeated, it
 * would remove the password that its owner has set since.
 * @param owned the email that was proved; that of its claim by default
 * @throws ApiProblem 503
 */
export function restoreProvedEmail(uid: string, owned?: string): Promise<void> {
  return withAccountLock(uid, async () => {
    const user = await readStored(uid);
    const email = (owned ?? (user && getProvedEmail(user)))?.toLowerCase();
    if (!user || email === undefined || user.email === email) return;
    // First: an intruder may have added some, and a failure later must not leave them.
    await removePasskeys(uid);
    const unlink = user.providerData
      .filter((method) => method.providerId !== 'password' && method.email?.toLowerCase() !== email)
      .map(({ providerId }) => providerId);
    const claims = { proved: email };
    const change = { unlink, removePassword: true, removeSecondFactors: true, claims, revoke: true };
    try {
      await writeJudgedAccount({ ...user, email, emailVerified: true }, change);
    } catch (error) {
      if (!isApiProblem(error) || error.code !== 'email-taken') throw error;
      const without = { email: `${randomUUID()}@unproved.invalid`, emailVerified: false };
      await writeJudgedAccount({ ...user, ...without }, change);
    }
    recordEvent({ uid, kind: 'email-restored' });
    reportError(new Error('The proved email of an account was restored'), { uid });
  });
}
