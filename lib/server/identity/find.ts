import { randomUUID } from 'node:crypto';
import {
  getProvedEmail,
  toAccountFacts,
  type Account,
  type StoredAccount,
  getDirectory,
  isStorable,
  type AccountFacts,
} from '@/lib/server/policy';
import { log, setRequestAccount, shareCheck } from '@/lib/server/runtime';
import { ApiProblem, isApiProblem, nullOnProblem } from '@/lib/shared/problem';
import {
  forgetProvedEmails,
  listPasskeys,
  listProvedBy,
  storeProvedEmails,
  type StoredPasskey,
  withRecordsInTime,
} from '@/lib/server/storage';
import { getRelyingParty, type RelyingParty } from '@/lib/server/http';
import { getIdentityAdmin, nullOnCode, readStored } from './admin';
import { getFirstEmail } from './identity-toolkit';
import { changeJudgedAccount, restoreProvedEmail, withAccountLock } from './change-account';

// All that reads an account gets one that has its proved email: it is restored first (docs/account-policy.md#whose-an-email-is).

/**
 * @returns the account of an email, or null: the one that has proved it, wherever it was moved; otherwise the one that has it
 * @throws ApiProblem 503
 */
export async function findByEmail(email: string): Promise<Account | null> {
  const user = await nullOnCode(getIdentityAdmin().getUserByEmail(email), 'getUserByEmail', 'auth/user-not-found');
  const present = user && (await restoreIfMoved(user));
  const holder = present?.email === email.toLowerCase() ? present : null;
  const owner = await findMovedOwner(holder, email);
  const account = owner ?? holder;
  return account && toAccount(account);
}

/**
 * @param email to collect the facts for, its present one by default
 * @returns the account of an id, or null
 * @throws ApiProblem 503
 */
export async function findById(uid: string, email?: string): Promise<Account | null> {
  const user = await readStored(uid);
  if (user === null) return null;
  if (email !== undefined) return toAccount({ ...user, email });
  const present = await restoreIfMoved(user);
  if (present === null) return null;
  const owner = present.email === undefined ? null : await findMovedOwner(present, present.email);
  // It has given way.
  const account = owner === null ? present : await readStored(uid);
  return account && toAccount(account);
}

/**
 * The account of a session, as the identity provider has it: without its facts, for the most frequent calls.
 * @throws ApiProblem `user-deleted`, 503
 */
export async function getAccount(uid: string): Promise<StoredAccount> {
  const user = await readStored(uid);
  const present = user && (await restoreIfMoved(user));
  if (present === null) throw new ApiProblem('user-deleted');
  return present;
}

/** The account with its proved email, when it was moved away from that. One that has lost it for good stays as it is. */
async function restoreIfMoved(user: StoredAccount): Promise<StoredAccount | null> {
  const proved = getProvedEmail(user);
  if (proved === null || proved === user.email?.toLowerCase()) return user;
  await restoreProvedEmail(user.uid);
  return readStored(user.uid);
}

/**
 * The account that has proved an email and was moved away from it, restored. Asked unless the account that has the email has proved it itself.
 * @param holder the account that has the email
 */
async function findMovedOwner(holder: StoredAccount | null, email: string): Promise<StoredAccount | null> {
  if (holder !== null && getProvedEmail(holder) !== null) return null;
  const candidates = (await listProvedBy(email)).filter((uid) => uid !== holder?.uid);
  const old: string[] = [];
  for (const uid of candidates) {
    const user = await readStored(uid);
    if (user === null || getProvedEmail(user) !== email.toLowerCase()) old.push(uid);
    else {
      const restored = await restoreIfMoved(user);
      if (restored?.email === email.toLowerCase()) return restored;
    }
  }
  if (old.length > 0) await forgetProvedEmails(old, email);
  return null;
}

/**
 * Records the email of an account that is signed in to as the one that it has proved: what moves it from then on is undone. An account that
 * was imported, or made by a provider, is known by its first sign-in here. No sign-in fails for it, unless the account is another one by now.
 * @throws ApiProblem `token-revoked`, `user-deleted`
 */
export async function recordProvedEmail({ user, facts }: Account): Promise<void> {
  const { uid, email, emailVerified } = facts;
  const known = getProvedEmail(user);
  if (known !== null) return void (await storeProvedEmails([{ uid, email: known }]));
  if (email === null || !emailVerified || !isStorable(user.customClaims, { proved: email })) return;
  try {
    await withAccountLock(uid, async () => {
      const account = await findById(uid);
      if (account === null) throw new ApiProblem('user-deleted');
      if (account.facts.email !== email || !account.facts.emailVerified) throw new ApiProblem('token-revoked');
      if (getProvedEmail(account.user) === null) await changeJudgedAccount(account, { claims: { proved: email } });
    });
  } catch (error) {
    if (!isApiProblem(error) || error.status === 401) throw error;
    log().warn({ err: error }, 'the email of an account could not be recorded: the next sign-in records it');
  }
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
