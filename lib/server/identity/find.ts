import { randomUUID } from 'node:crypto';
import {
  getProvedEmail,
  toAccountFacts,
  type Account,
  type StoredAccount,
  getDirectory,
  type AccountFacts,
} from '@/lib/server/policy';
import { setRequestAccount, shareCheck } from '@/lib/server/runtime';
import { nullOnProblem } from '@/lib/shared/problem';
import { listPasskeys, type StoredPasskey, withRecordsInTime } from '@/lib/server/storage';
import { getRelyingParty, type RelyingParty } from '@/lib/server/http';
import { getIdentityAdmin, nullOnCode, readStored, readStoredByEmail } from './admin';
import { getFirstEmail } from './identity-toolkit';
import { restoreProvedEmail } from './change-account';

/**
 * @returns the account of an email, or null. One that has this email although another was proved gets that one back first.
 * @throws ApiProblem 503
 */
export async function findByEmail(email: string): Promise<Account | null> {
  const user = await readStoredByEmail(email);
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

type Facts = Pick<AccountFacts, 'email' | 'requiresSso'>;

/** The passkeys with which the owner can sign in. */
export function getUsablePasskeys<P extends Pick<StoredPasskey, 'suspectAt' | 'email' | 'rpId'>>(
  rp: RelyingParty | null,
  { email, requiresSso }: Facts,
  passkeys: readonly P[],
): P[] {
  if (rp === null || requiresSso) return [];
  return passkeys.filter((passkey) => passkey.suspectAt === null && passkey.email === email && passkey.rpId === rp.id);
}

/**
 * How many they are; 0 where this deployment has none.
 * @param options `asTwoFactors`: only those that show both
 * @throws ApiProblem `records-unavailable`
 */
export async function countUsablePasskeys(
  { uid, ...facts }: Facts & Pick<AccountFacts, 'uid'>,
  { asTwoFactors = false } = {},
): Promise<number> {
  const rp = getRelyingParty();
  if (rp === null) return 0;
  const { passkeys } = await withRecordsInTime((records) => listPasskeys(records, uid));
  return getUsablePasskeys(rp, facts, passkeys).filter(({ userVerified }) => userVerified || !asTwoFactors).length;
}

/** Whether to name passkeys among the sign-in methods of an account, in an email; false while the database is away. */
export async function hasPasskey({ uid, email }: Pick<StoredAccount, 'uid' | 'email'>): Promise<boolean> {
  const facts = { uid, email: email?.toLowerCase() ?? null, requiresSso: false };
  return ((await nullOnProblem(countUsablePasskeys(facts))) ?? 0) > 0;
}
