import { isDeepStrictEqual } from 'node:util';
import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import {
  type StoredAccount,
  editClaims,
  type ClaimsEdit,
  type Account,
  decideOwnership,
  decideRepair,
  type EmailHolder,
  type OwnershipDecision,
  getProvedEmail,
  hasMailbox,
  isReplaceable,
  isStorable,
  listMethodsToRepair,
  toAccountFacts,
  toEmailWithoutMailbox,
} from '@/lib/server/policy';
import { getOwnBrand, getSignInMethods, sendChangeNotice } from '@/lib/server/notifications';
import {
  addEvent,
  deleteRecordsInBackground,
  endRevokedInBackground,
  listPasskeys,
  type LockedAccount,
  removeForeignPasskeys,
  storeProvedEmails,
  withAccountLock,
  withRecordsInTime,
} from '@/lib/server/storage';
import { reportError } from '@/lib/shared/error-reporting/report';
import { ApiProblem, isApiProblem, nullOnProblem } from '@/lib/shared/problem';
import { PASSKEY_METHOD } from '@/lib/shared/sign-in-methods';
import { hashAccount, processWide } from '@/lib/server/runtime';
import { changeAccount, freezeAccount, toOwnTime, type AccountChange } from './identity-toolkit';
import { getIdentityAdmin, nullOnCode, providerUnavailable, readStored, readStoredByEmail } from './admin';

/** A change that says nothing about whose account it is, and removes nothing from it. */
type PlainChange = Omit<AccountChange, 'email' | 'emailVerified' | 'claims' | 'unlink' | 'removePassword'>;

/**
 * What is removed from an account: the only way to remove a sign-in method. `methods`: by the identity provider's ids, `password` too; `tell`: emails
 * the owner, once the change was made.
 */
type Removal = { methods: readonly string[]; tell: () => Promise<void> };

/**
 * Changes an account. No cached state of its sessions counts in this process any more: the change takes effect immediately here, and soon, at the latest
 * within the revocation window, in all other processes. A revocation waits for the account's lock: it
 * would end the freeze (`freezeAccount`) of a change in progress, whose data a client could change then.
 * @param account its id, or the account that the caller has locked
 * @throws ApiProblem 503, and those of `changeAccount` and `withAccountLock`
 */
export function changeAccountWithSessions(account: string | LockedAccount, change: PlainChange): Promise<void> {
  const uid = typeof account === 'string' ? account : account.uid;
  return change.revoke ? withAccountLock(account, () => apply(uid, change)) : apply(uid, change);
}

/**
 * The only writer of custom claims, and of the email that they speak of: both in one call, from the account as it was judged. The
 * provider's public API changes an email at any moment; a change since the decision is overwritten, never adopted.
 * @param judged its email is the one that was decided on
 * @throws as `changeAccountWithSessions`; ApiProblem `email-taken` when another account has the email by now
 */
async function writeJudgedAccount(
  { uid, email, emailVerified, customClaims }: Pick<StoredAccount, 'uid' | 'email' | 'emailVerified' | 'customClaims'>,
  {
    claims = {},
    removes = [],
    ...change
  }: PlainChange & { claims?: ClaimsEdit | undefined; removes?: readonly string[] },
): Promise<void> {
  const edited = editClaims(customClaims, claims);
  await apply(uid, {
    ...change,
    // Unlinking the provider `password` instead could remove the email as well (docs/adr/0021-one-account-policy.md).
    removePassword: removes.includes('password'),
    unlink: removes.filter((id) => id !== 'password'),
    ...(email !== undefined && { email, emailVerified }),
    ...(!isDeepStrictEqual(edited, customClaims ?? {}) && { claims: edited }),
  });
  const { proved } = claims;
  // After the claim, which decides: an index that is not written is written by the next sign-in.
  if (proved !== undefined) await storeProvedEmails([{ uid, email: proved }]);
}

async function apply(uid: string, change: AccountChange): Promise<void> {
  // A failure can come after the change.
  await changeAccount(uid, change).finally(() => markAccountChanged(uid));
  // The provider revokes by whole seconds. The sessions are over already: this is for the list of them, and other processes.
  if (change.revoke) endRevokedInBackground(uid, change.revoke, new Date(Math.floor(Date.now() / 1000) * 1000));
}

type JudgedChange = PlainChange & {
  claims?: ClaimsEdit;
  removes?: Removal;
  /** The decision was about a proof of the account's email. */
  provesEmail?: boolean;
};

/**
 * Changes an account on which something was decided with its lock, so that its claims are the present ones. The decision's email is part
 * of the change. Afterwards the account is read again: an email that is another one even so is rolled back, to a restored account that
 * only its owner can get into, and the change fails.
 * @throws ApiProblem `token-revoked` when the account had to be restored, `email-taken` when an unverified email was taken,
 *   `password-weak`, `user-deleted`, 503
 */
export async function changeJudgedAccount(
  locked: LockedAccount,
  { user, facts }: Account,
  { provesEmail = false, removes, ...change }: JudgedChange,
): Promise<void> {
  await locked.assertHeld();
  const judged = provesEmail ? { ...user, emailVerified: true } : user;
  const isProved = provesEmail || facts.emailVerified;
  try {
    await writeJudgedAccount(judged, { ...change, removes: removes?.methods ?? [] });
    await removes?.tell();
  } catch (error) {
    if (!facts.emailVerified || !isApiProblem(error) || error.code !== 'email-taken') throw error;
    return restore(locked, judged, error);
  }
  const present = await readAfterChange(user.uid);
  if (present === undefined) return;
  if (present === null) throw new ApiProblem('user-deleted');
  if (isProved && judged.email !== undefined && present.email !== judged.email.toLowerCase())
    return restore(locked, judged);
  // Claims that an operator's software has replaced meanwhile get this edit again, and keep the others.
  if (change.claims && !isDeepStrictEqual(editClaims(present.customClaims, change.claims), present.customClaims ?? {}))
    await writeJudgedAccount({ ...judged, customClaims: present.customClaims ?? {} }, { claims: change.claims });
}

async function restore(locked: LockedAccount, { email }: StoredAccount, cause?: unknown): Promise<never> {
  await restoreProvedEmail(locked, email);
  throw new ApiProblem('token-revoked', { cause, rule: 'email-changed-since-sign-in' });
}

/** @returns undefined when the provider does not answer: the gate reads the account again before it opens a session */
async function readAfterChange(uid: string): Promise<StoredAccount | null | undefined> {
  try {
    return await readStored(uid);
  } catch (error) {
    reportError(error, { during: 'reading an account again that was changed' });
    return undefined;
  }
}

/** How often it is tried to take an email from those who register it again and again. */
const RESTORE_TRIES = 5;

/**
 * Gives an account its proved email back when it has another one, and tells the mailbox of the proved one. Another account that has this email
 * without a proof gives way. What is removed: `decideRepair`. Does nothing when the account has that email again: repeated, it would remove the
 * password that its owner has set since. The identity provider accepts no change of a client meanwhile. The email to the owner is written first: a
 * process that stops in between repeats the repair, and never leaves one untold.
 * @param account its id, or the account that the caller has locked
 * @param owned the email that was proved; that of its claim by default
 * @throws ApiProblem 503
 */
export function restoreProvedEmail(account: string | LockedAccount, owned?: string): Promise<void> {
  return withAccountLock(account, async ({ uid }) => {
    const moved = await readMoved(uid, owned);
    if (moved === null) return;
    // A change of ours that has frozen it is in progress, and ends the freeze itself.
    const isFrozen = toOwnTime(Date.parse(moved.user.tokensValidAfterTime ?? '')) > Date.now() + FROZEN_MS;
    await freezeAccount(uid);
    const told = new Set<boolean>();
    for (let tries = 1; ;) {
      const present = await readMoved(uid, owned);
      if (present === null) return;
      const repair = planRepair(present);
      if (!told.has(repair.isLocked)) {
        told.add(repair.isLocked);
        await tellOfRepair(uid, present.proved, repair);
        // That takes a while: who has the email by now is read again.
        continue;
      }
      try {
        await carryOut(present, repair, { revoke: !isFrozen });
        return reportError(new Error(repair.report), { account: hashAccount(uid) });
      } catch (error) {
        if (!isEmailTaken(error)) throw error;
        if (tries === RESTORE_TRIES) throw providerUnavailable(error);
        tries += 1;
      }
    }
  });
}

/** A revocation is at most so far ahead, in milliseconds; a freeze is longer. */
const FROZEN_MS = 2_000;

type Moved = {
  user: StoredAccount;
  proved: string;
  decision: Exclude<OwnershipDecision, 'keep'>;
  /** Who has the proved email now. */
  holder: StoredAccount | null;
};

/** @returns null when there is nothing to repair */
async function readMoved(uid: string, owned?: string): Promise<Moved | null> {
  const user = await readStored(uid);
  const proved = (owned ?? (user && getProvedEmail(user)))?.toLowerCase() ?? null;
  if (user === null || proved === null) return null;
  const holder = await readStoredByEmail(proved);
  const isLocked = !hasMailbox(user.email ?? null);
  const decision = decideOwnership({ proved, holder: getKind(uid, proved, holder), isLocked });
  return decision === 'keep' ? null : { user, proved, decision, holder };
}

function getKind(uid: string, email: string, holder: StoredAccount | null): EmailHolder {
  if (holder === null) return 'none';
  if (holder.uid === uid) return 'itself';
  return getProvedEmail(holder) === email ? 'proved' : 'unproved';
}

type Repair = { remove: readonly string[]; keep: readonly string[]; isLocked: boolean; report: string };

function planRepair({ user, proved, decision }: Moved): Repair {
  const facts = toAccountFacts(user, null, null);
  const methods = listMethodsToRepair(facts.methods, facts.email);
  if (decision !== 'lock')
    return {
      ...decideRepair(methods, proved),
      isLocked: false,
      report: 'The proved email of an account was restored',
    };
  const report = 'An account was locked: its email was proved for another one';
  return { remove: methods.map(({ id }) => id), keep: [], isLocked: true, report };
}

/**
 * Restores the proved email, or locks the account. While the account that has the email gives way, it is asked for, so that hardly anyone can
 * register it in between.
 * @throws ApiProblem `email-taken`, 503
 */
async function carryOut(
  { user, proved, decision, holder }: Moved,
  { remove, isLocked }: Repair,
  { revoke }: { revoke: boolean },
): Promise<void> {
  const email = isLocked ? toEmailWithoutMailbox(randomUUID()) : proved;
  const claims = isStorable(user.customClaims, { proved }) ? { proved } : {};
  const write = () =>
    writeJudgedAccount(
      { ...user, email, emailVerified: !isLocked },
      { removes: remove, removeSecondFactors: true, claims, ...(revoke && { revoke: 'email-restored' as const }) },
    );
  return decision === 'displace' && holder !== null ? takeFrom(holder, { proved, write }) : write();
}

/** How many ask for an email at once while the account that has it gives way. */
const WRITERS = 4;

/** How often each of them asks while that takes: an identity provider that answers late is not asked without end. */
const ASKS = 10;

/**
 * Has the account that holds an email give way, with its lock. Its mailbox may have been proved while this waited for its turn: then it keeps the
 * email, and the caller reads both accounts again.
 */
async function takeFrom(
  holder: StoredAccount,
  { proved, write }: { proved: string; write: () => Promise<void> },
): Promise<void> {
  // A change of ours to an account that has proved another email carries that one. Two such accounts, each of which holds the email of the other,
  // would wait for each other's lock.
  if (getProvedEmail(holder) !== null) return exchange(() => writeDisplaced(holder.uid), write);
  await withAccountLock(holder.uid, async () => {
    const present = await readStored(holder.uid);
    const holds = present?.email?.toLowerCase() === proved && getProvedEmail(present) === null;
    await (holds ? exchange(() => displace(present), write) : write());
  });
}

/** The identity provider cannot exchange two emails in one call: between two calls, someone may register the one that is free. */
async function exchange(giveUp: () => Promise<void>, take: () => Promise<void>): Promise<void> {
  let isFree = false;
  const given = giveUp().finally(() => (isFree = true));
  const ask = async (): Promise<void> => {
    for (let asks = 1; asks < ASKS && !isFree; asks += 1)
      try {
        return await take();
      } catch (error) {
        if (!isEmailTaken(error)) throw error;
      }
    await given;
    return take();
  };
  const [gaveWay, ...asked] = await Promise.allSettled([given, ...Array.from({ length: WRITERS }, ask)]);
  if (gaveWay.status === 'rejected') throw gaveWay.reason;
  const [refused] = asked.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
  if (asked.every(({ status }) => status === 'rejected')) throw refused;
}

const isEmailTaken = (error: unknown) => isApiProblem(error) && error.code === 'email-taken';

/**
 * Takes the email of an account that has proved none. One that a registration would replace is deleted. Of any other, all sign-in methods go: an
 * identity of this email signs in to the account that has proved it from now on.
 */
async function displace(user: StoredAccount): Promise<void> {
  const { uid } = user;
  if (!isReplaceable(toAccountFacts(user, null, null))) {
    const methods = user.providerData.map(({ providerId }) => providerId);
    return writeDisplaced(uid, {
      removePassword: methods.includes('password'),
      unlink: methods.filter((id) => id !== 'password'),
      revoke: 'email-restored',
    });
  }
  reportDisplaced(uid);
  await deleteAccount(uid);
  deleteRecordsInBackground(uid);
}

/** @param more what else it loses; empty for an account that has proved another email */
async function writeDisplaced(
  uid: string,
  more: Pick<AccountChange, 'removePassword' | 'unlink' | 'revoke'> = {},
): Promise<void> {
  reportDisplaced(uid);
  await apply(uid, { ...more, email: toEmailWithoutMailbox(randomUUID()), emailVerified: false });
}

function reportDisplaced(uid: string): void {
  reportError(new Error('An account gave way to the one that has proved its email'), { account: hashAccount(uid) });
}

async function tellOfRepair(
  uid: string,
  to: string,
  { remove, keep, isLocked }: Omit<Repair, 'report'>,
): Promise<void> {
  const passkeys = await nullOnProblem(withRecordsInTime((records) => listPasskeys(records, uid)));
  const emails = passkeys?.passkeys.map(({ email }) => email) ?? [];
  const foreign = emails.some((email) => email !== to) ? [PASSKEY_METHOD] : [];
  const own = !isLocked && emails.includes(to) ? [PASSKEY_METHOD] : [];
  const [kept, removed] = await Promise.all([
    getSignInMethods([...keep, ...own]),
    getSignInMethods([...remove, ...foreign]),
  ]);
  await sendChangeNotice(
    { uid, to },
    { kind: isLocked ? 'account-locked' : 'email-restored', kept, removed },
    getOwnBrand(),
    async (tx, at) => {
      await addEvent(tx, { uid, at, kind: 'email-restored' });
      await removeForeignPasskeys(tx, { uid, at }, to);
    },
  );
}

/** Deletes an account at the identity provider, unless it is gone. @throws ApiProblem 503 */
export async function deleteAccount(uid: string): Promise<void> {
  await nullOnCode(getIdentityAdmin().deleteUser(uid), 'deleteUser', 'auth/user-not-found');
}

/** Longer than the state of a session is cached, with the read before it, in milliseconds. */
const KEPT_MS = 60_000;
const MAX_ACCOUNTS = 10_000;

/** When this process last changed an account, in milliseconds of `performance.now()`. */
const changes = () =>
  processWide('account-changes', () => new LRUCache<string, number>({ max: MAX_ACCOUNTS, ttl: KEPT_MS }));

/** Makes a change of an account take effect at once in this process: what was read before is not trusted. */
export function markAccountChanged(uid: string): void {
  changes().set(uid, performance.now());
}

/** Whether this process has changed an account since it was read. @param since of `performance.now()`, at most 40 s ago */
export function hasAccountChangedSince(uid: string, since: number): boolean {
  return (changes().get(uid) ?? 0) >= since;
}
