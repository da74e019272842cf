import { randomUUID } from 'node:crypto';
import { reportError } from '@/lib/shared/error-reporting/report';
import { isApiProblem } from '@/lib/shared/problem';
import { getProvedEmail, isMoved, toAccountFacts, type Account, type StoredAccount } from '../account-policy/account';
import { getDirectory } from '../directory';
import { getIdentityAdmin } from '../identity-provider/admin';
import { callIdentityProvider } from '../identity-provider/errors';
import { changeAccount, getFirstEmail } from '../identity-provider/identity-toolkit';
import { forgetSessionsOfAccount } from '../session/session-state';

/**
 * @returns the account of an email, or null. One that has this email although another was proved is set back first.
 * @throws ApiProblem 503
 */
export async function findByEmail(email: string): Promise<Account | null> {
  const user = await nullOnCode(getIdentityAdmin().getUserByEmail(email), 'auth/user-not-found');
  if (user === null || !isMoved(user)) return user && toAccount(user);
  await setBackEmail(user);
  return null;
}

/**
 * @param email to collect the facts for, its present one by default
 * @returns the account of an id, or null
 * @throws ApiProblem 503
 */
export async function findById(uid: string, email?: string): Promise<Account | null> {
  const user = await nullOnCode(getIdentityAdmin().getUser(uid), 'auth/user-not-found');
  return user && toAccount(email === undefined ? user : { ...user, email });
}

async function toAccount(user: StoredAccount): Promise<Account> {
  // Read after the account: an email change stores the first email and the new one together.
  const firstEmail = getProvedEmail(user) === null ? await getFirstEmail(user.uid) : null;
  return { user, facts: toAccountFacts(user, await getDirectory(), firstEmail) };
}

/**
 * Gives an account its proved email back, or none with a mailbox if that has another account by now. Only sign-in
 * methods of the proved email stay. Without this, a free address could be occupied for good by an account that was
 * proved for another one, and its owner could neither register nor sign in.
 * @throws ApiProblem 503
 */
export async function setBackEmail(user: StoredAccount): Promise<void> {
  const email = getProvedEmail(user) ?? undefined;
  const unlink = user.providerData
    .filter((method) => method.providerId !== 'password' && method.email?.toLowerCase() !== email)
    .map(({ providerId }) => providerId);
  const change = { unlink, removePassword: true, removeSecondFactors: true, revoke: true };
  try {
    await changeAccount(user.uid, { ...change, email, emailVerified: true });
  } catch (error) {
    if (!isApiProblem(error) || error.code !== 'email-taken') throw error;
    await changeAccount(user.uid, { ...change, email: `${randomUUID()}@moved.invalid`, emailVerified: false });
  }
  forgetSessionsOfAccount(user.uid);
  reportError(new Error('An account was set back to its proved email'), { uid: user.uid });
}

/** The result of a call to firebase-admin; null if it throws the code. @throws ApiProblem for every other error */
export function nullOnCode<T>(request: Promise<T>, code: string): Promise<T | null> {
  return callIdentityProvider(
    request.catch((error: unknown) => {
      if (hasCode(error, code)) return null;
      throw error;
    }),
  );
}

function hasCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
