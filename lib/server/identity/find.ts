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
  type LockedAccount,
  type StoredPasskey,
  withAccountLock,
  withRecordsInTime,
} from '@/lib/server/storage';
import { getRelyingParty, type RelyingParty } from '@/lib/server/http';
import { getIdentityAdmin, nullOnCode, readStored, readStoredByEmail } from './admin';
import { storeProofs } from './proofs';
import { getFirstEmail } from './identity-toolkit';
import { changeJudgedAccount, restoreProvedEmail } from './change-account';

// Every read of an account returns it with its proved email, because the email is restored first
// (docs/account-policy.md#whose-an-email-is). A restoration needs the account's lock, so each of these functions takes the
// account that its caller has locked (`locked`).

/**
 * @returns the account that has proved an email, even if it was moved away from it; otherwise the account that has the
 * email, or null
 * @throws ApiProblem 503
 */
export async function findByEmail(email: string, locked: LockedAccount | null = null): Promise<Account | null> {
  const user = await readStoredByEmail(email);
  const present = user && (await restoreIfMoved(user, locked));
  const holder = present?.email === email.toLowerCase() ? present : null;
  const owner = await findMovedOwner(holder, email, locked);
  const account = owner ?? holder;
  return account && toAccount(account);
}

/** @returns the account of an id, or null @throws ApiProblem 503 */
export async function findById(uid: string, locked: LockedAccount | null = null): Promise<Account | null> {
  const user = await readStored(uid);
  const present = user && (await restoreIfMoved(user, locked));
  if (present === null) return null;
  const owner = present.email === undefined ? null : await findMovedOwner(present, present.email, locked);
  // The account has given way to the owner of its email, so read it again.
  const account = owner === null ? present : await readStored(uid);
  return account && toAccount(account);
}

/**
 * Returns the account of a session as the identity provider has it. It omits the facts, because the most frequent calls
 * use it.
 * @throws ApiProblem `user-deleted`, 503
 */
export async function getAccount(uid: string, locked: LockedAccount | null = null): Promise<StoredAccount> {
  const user = await readStored(uid);
  const present = user && (await restoreIfMoved(user, locked));
  if (present === null) throw new ApiProblem('user-deleted');
  return present;
}

/**
 * Returns the account with its proved email, if it was moved away from it. An account that has lost the email
 * permanently stays unchanged.
 */
async function restoreIfMoved(user: StoredAccount, locked: LockedAccount | null): Promise<StoredAccount | null> {
  const proved = getProvedEmail(user);
  if (proved === null || proved === user.email?.toLowerCase()) return user;
  await restoreProvedEmail(user.uid === locked?.uid ? locked : user.uid, { held: locked });
  return readStored(user.uid);
}

/**
 * Restores and returns the account that has proved an email and was moved away from it. If the holder of the email has
 * proved an email itself, it returns null.
 * @param holder the account that has the email
 */
async function findMovedOwner(
  holder: StoredAccount | null,
  email: string,
  locked: LockedAccount | null,
): Promise<StoredAccount | null> {
  if (holder !== null && getProvedEmail(holder) !== null) return null;
  const candidates = (await listProvedBy(email)).filter((uid) => uid !== holder?.uid);
  const old: string[] = [];
  for (const uid of candidates) {
    const user = await readStored(uid);
    if (user === null || getProvedEmail(user) !== email.toLowerCase()) old.push(uid);
    else {
      const restored = await restoreIfMoved(user, locked);
      if (restored?.email === email.toLowerCase()) return restored;
    }
  }
  if (old.length > 0) await forgetProvedEmails(old, email);
  return null;
}

/**
 * Records the email of an account as proved, so that later moves of the account are undone. This covers accounts that
 * this app has created. At their first sign-in here, it also covers accounts that were imported or created by a
 * provider. It does not fail a sign-in, unless
 * the account has become another.
 * @param held the account, if the caller has locked it
 * @throws ApiProblem `token-revoked`, `user-deleted`
 */
export async function recordProvedEmail({ user, facts }: Account, held: LockedAccount | null): Promise<void> {
  const { uid, email, emailVerified } = facts;
  const known = getProvedEmail(user);
  if (known !== null) return storeProofs([{ uid, email: known }]);
  if (email === null || !emailVerified || !isStorable(user.customClaims, { proved: email })) return;
  try {
    await withAccountLock(held ?? uid, async (locked) => {
      const account = await findById(uid, locked);
      if (account === null) throw new ApiProblem('user-deleted');
      if (account.facts.email !== email || !account.facts.emailVerified)
        throw new ApiProblem('token-revoked', { rule: 'email-changed-since-sign-in' });
      if (getProvedEmail(account.user) === null)
        await changeJudgedAccount(locked, account, { claims: { proved: email } });
    });
  } catch (error) {
    if (!isApiProblem(error) || error.status === 401) throw error;
    log().warn({ err: error }, 'the email of an account could not be recorded: the next sign-in records it');
  }
}

/** Returns a stored account with its facts. Unlike `findById`, this restores nothing. */
export async function toAccount(user: StoredAccount): Promise<Account> {
  setRequestAccount(user.uid);
  // Read after the account, because an email change stores the first email and the new email together. If an email is
  // proved, the first email decides nothing.
  const firstEmail = getProvedEmail(user) === null ? await getFirstEmail(user.uid) : null;
  return { user, facts: toAccountFacts(user, await getDirectory(), firstEmail) };
}

/**
 * Checks that the identity provider responds, by looking up an account that does not exist. It runs before a response
 * that is sent without reading any account.
 * @throws ApiProblem 503
 */
export function assertProviderReachable(): Promise<void> {
  return shareCheck('provider', () =>
    nullOnCode(getIdentityAdmin().getUser(`reachable-${randomUUID()}`), 'getUser', 'auth/user-not-found'),
  );
}

type Facts = Pick<AccountFacts, 'email' | 'requiresSso'>;

/** Returns the passkeys with which the owner can sign in. */
export function getUsablePasskeys<P extends Pick<StoredPasskey, 'suspectAt' | 'email' | 'rpId'>>(
  rp: RelyingParty | null,
  { email, requiresSso }: Facts,
  passkeys: readonly P[],
): P[] {
  if (rp === null || requiresSso) return [];
  return passkeys.filter((passkey) => passkey.suspectAt === null && passkey.email === email && passkey.rpId === rp.id);
}

/**
 * Counts the usable passkeys. The count is 0 if this deployment offers no passkeys.
 * @param options `asTwoFactors`: counts only passkeys that show both factors
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

/**
 * Returns whether an email about an account should name passkeys among its sign-in methods. False while the database is
 * away.
 */
export async function hasPasskey({ uid, email }: Pick<StoredAccount, 'uid' | 'email'>): Promise<boolean> {
  const facts = { uid, email: email?.toLowerCase() ?? null, requiresSso: false };
  return ((await nullOnProblem(countUsablePasskeys(facts))) ?? 0) > 0;
}
