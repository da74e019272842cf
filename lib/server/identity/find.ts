import { randomUUID } from 'node:crypto';
import { getProvedEmail, toAccountFacts, type Account, type StoredAccount, getDirectory } from '@/lib/server/policy';
import { getIdentityAdmin } from './admin';
import { getFirstEmail } from './identity-toolkit';
import { setRequestAccount, shareCheck } from '@/lib/server/runtime';
import { nullOnCode, readStored } from './read-stored';
import { restoreProvedEmail } from './restore-email';

/**
 * @returns the account of an email, or null. One that has this email although another was proved gets that one back first.
 * @throws ApiProblem 503
 */
export async function findByEmail(email: string): Promise<Account | null> {
  const user = await nullOnCode(getIdentityAdmin().getUserByEmail(email), 'getUserByEmail', 'auth/user-not-found');
  const account = user && (await toAccount(user));
  if (!account?.facts.hasUnprovedEmail) return account;
  await restoreProvedEmail(account.facts.uid);
  return null;
}

/**
 * @param email to collect the facts for, its present one by default
 * @returns the account of an id, or null
 * @throws ApiProblem 503
 */
export async function findById(uid: string, email?: string): Promise<Account | null> {
  const user = await readStored(uid);
  return user && toAccount(email === undefined ? user : { ...user, email });
}

async function toAccount(user: StoredAccount): Promise<Account> {
  setRequestAccount(user.uid);
  // Read after the account: an email change stores the first email and the new one together. Beside a proved one it decides nothing.
  const firstEmail = getProvedEmail(user) === null ? await getFirstEmail(user.uid) : null;
  return { user, facts: toAccountFacts(user, await getDirectory(), firstEmail) };
}

/**
 * Checks that the identity provider answers, by an account that there is not: before a response that is sent without any account.
 * @throws ApiProblem 503
 */
export function assertProviderReachable(): Promise<void> {
  return shareCheck('provider', () =>
    nullOnCode(getIdentityAdmin().getUser(`reachable-${randomUUID()}`), 'getUser', 'auth/user-not-found'),
  );
}
