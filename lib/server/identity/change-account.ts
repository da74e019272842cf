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
  isAbandoned,
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
  withAccountLock,
  withRecordsInTime,
} from '@/lib/server/storage';
import { reportError } from '@/lib/shared/error-reporting/report';
import { ApiProblem, isApiProblem, nullOnProblem } from '@/lib/shared/problem';
import { PASSKEY_METHOD } from '@/lib/shared/sign-in-methods';
import { hashAccount, processWide } from '@/lib/server/runtime';
import { storeProofs } from './proofs';
import { changeAccount, freezeAccount, toOwnTime, type AccountChange } from './identity-toolkit';
import { getIdentityAdmin, nullOnCode, providerUnavailable, readStored, readStoredByEmail } from './admin';

/** A change that neither affects who owns the account nor removes anything from it. */
type PlainChange = Omit<AccountChange, 'email' | 'emailVerified' | 'claims' | 'unlink' | 'removePassword'>;

/**
 * Sign-in methods to remove. No other change removes one. `methods`: the identity provider's ids, including `password`.
 * `tell`: emails the owner after the change.
 */
type Removal = { methods: readonly string[]; tell: () => Promise<void> };

/**
 * Changes an account. This process then ignores all cached states of its sessions, so the change takes effect immediately
 * here, and in all other processes within the revocation window. A revocation waits for the account's lock. Otherwise it
 * would end the freeze (`freezeAccount`) of a change in progress, and a client could then change the data.
 * @param account its id, or the account that the caller has locked
 * @throws ApiProblem 503, a code of `changeAccount` or `withAccountLock`
 */
export function changeAccountWithSessions(account: string | LockedAccount, change: PlainChange): Promise<void> {
  const uid = typeof account === 'string' ? account : account.uid;
  return change.revoke ? withAccountLock(account, () => apply(uid, change)) : apply(uid, change);
}

/**
 * Writes custom claims and the email that they are about, in one call. No other function writes them. It writes the
 * account as it was judged, because a client can change the email at the provider at any time. Such a change since the
 * decision is overwritten, never adopted.
 * @param judged with the email that the decision was about
 * @throws ApiProblem `email-taken` if another account has the email by now; a code of `changeAccountWithSessions`
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
    // Unlinking the provider `password` could also remove the email (docs/adr/0021-one-account-policy.md).
    removePassword: removes.includes('password'),
    unlink: removes.filter((id) => id !== 'password'),
    ...(email !== undefined && { email, emailVerified }),
    ...(!isDeepStrictEqual(edited, customClaims ?? {}) && { claims: edited }),
  });
  const { proved } = claims;
  // Write the index after the claim, because the claim decides. The next sign-in writes a missing index.
  if (proved !== undefined) await storeProofs([{ uid, email: proved }]);
}

async function apply(uid: string, change: AccountChange): Promise<void> {
  // The change may have been made even if the call fails.
  await changeAccount(uid, change).finally(() => markAccountChanged(uid));
  // The sessions are already invalid. This updates their list and other processes. The provider revokes by whole seconds.
  if (change.revoke) endRevokedInBackground(uid, change.revoke, new Date(Math.floor(Date.now() / 1000) * 1000));
}

type JudgedChange = PlainChange & {
  claims?: ClaimsEdit;
  removes?: Removal;
  /** Whether the decision was about a proof of the account's email. */
  provesEmail?: boolean;
};

/**
 * Changes an account after a decision about it. The account was read within its lock, so its claims are current. The
 * decision's email is part of the change. Afterwards it reads the account again. If the email differs even so, it
 * restores the account, which only the owner can then use, and the change fails.
 * @throws ApiProblem `token-revoked` if the account had to be restored, `email-taken` if an unverified email was taken,
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
  // An operator's software may have replaced the claims meanwhile. Add this edit again, and keep the other claims.
  if (change.claims && !isDeepStrictEqual(editClaims(present.customClaims, change.claims), present.customClaims ?? {}))
    await writeJudgedAccount({ ...judged, customClaims: present.customClaims ?? {} }, { claims: change.claims });
}

/**
 * Gives an account another email, which counts as proved, and revokes all sign-ins. No sign-in method is removed.
 * @param user as stored, with room for the claim of the new email (`isStorable`)
 * @param email in lower case
 * @throws ApiProblem `email-taken`, 503
 */
export async function changeProvedEmail(locked: LockedAccount, user: StoredAccount, email: string): Promise<void> {
  await locked.assertHeld();
  await writeJudgedAccount(
    { ...user, email, emailVerified: true },
    { claims: { proved: email }, revoke: 'email-changed' },
  );
}

async function restore(locked: LockedAccount, { email }: StoredAccount, cause?: unknown): Promise<never> {
  await restoreProvedEmail(locked, { owned: email });
  throw new ApiProblem('token-revoked', { cause, rule: 'email-changed-since-sign-in' });
}

/** @returns undefined if the provider does not answer. The gate reads the account again before it opens a session */
async function readAfterChange(uid: string): Promise<StoredAccount | null | undefined> {
  try {
    return await readStored(uid);
  } catch (error) {
    reportError(error, { during: 'reading an account again that was changed' });
    return undefined;
  }
}

/** Attempts to take an email from people who register it repeatedly. */
const RESTORE_TRIES = 5;

/**
 * Restores the proved email of an account that has another email, and notifies the mailbox of the proved email. Another
 * account with this email and without a proof gives way. `decideRepair` decides what is removed. It does nothing if the
 * account has its email again. Repeating the repair would remove a password that the owner has set since. Meanwhile the
 * identity provider accepts no change from clients. The notice is written first, so that an interrupted repair is
 * repeated and never stays untold.
 * @param account its id, or the account that the caller has locked
 * @param options `owned`: the email that was proved, by default the email of the claim; `held`: an account that the
 *   caller has locked, which may be the one that gives way
 * @throws ApiProblem 503
 */
export function restoreProvedEmail(
  account: string | LockedAccount,
  { owned, held = null }: { owned?: string | undefined; held?: LockedAccount | null } = {},
): Promise<void> {
  return repair(account, held, (uid) => readMoved(uid, owned));
}

/**
 * Restores an email by order of its mailbox, as `restoreProvedEmail` does. An account that has this email again is
 * repaired, too, because an intruder may know its password and have a session.
 * @throws ApiProblem 503
 */
export function repairAccount(account: LockedAccount, email: string): Promise<void> {
  return repair(account, null, async (uid) => {
    const moved = await readMoved(uid, email);
    const user = moved === null ? await readStored(uid) : null;
    return user === null ? moved : { user, proved: email, decision: 'restore', holder: null };
  });
}

function repair(
  account: string | LockedAccount,
  held: LockedAccount | null,
  readState: (uid: string) => Promise<Moved | null>,
): Promise<void> {
  return withAccountLock(account, async (locked) => {
    const { uid } = locked;
    const moved = await readState(uid);
    if (moved === null) return;
    // If our own change has frozen the account, that change ends the freeze.
    const isFrozen = toOwnTime(Date.parse(moved.user.tokensValidAfterTime ?? '')) > Date.now() + FROZEN_MS;
    await freezeAccount(uid);
    const told = new Set<boolean>();
    for (let tries = 1; ;) {
      const present = await readState(uid);
      if (present === null) return;
      const plan = planRepair(present);
      if (!told.has(plan.isLocked)) {
        told.add(plan.isLocked);
        await tellOfRepair(uid, present.proved, plan);
        // That takes time, so read again who has the email.
        continue;
      }
      try {
        await locked.assertNotTaken();
        await carryOut(present, plan, { revoke: !isFrozen, held });
        return reportError(new Error(plan.report), { account: hashAccount(uid) });
      } catch (error) {
        if (!isEmailTaken(error)) throw error;
        if (tries === RESTORE_TRIES) throw providerUnavailable(error);
        tries += 1;
      }
    }
  });
}

/** A revocation is at most this far in the future, in milliseconds. A freeze is further ahead. */
const FROZEN_MS = 2_000;

type Moved = {
  user: StoredAccount;
  proved: string;
  decision: Exclude<OwnershipDecision, 'keep'>;
  /** The account that has the proved email now. */
  holder: StoredAccount | null;
};

/** @returns null if there is nothing to repair */
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
 * Restores the proved email, or locks the account. While another account gives the email up, it requests the email all
 * the time, so that hardly anyone can register it in between.
 * @throws ApiProblem `email-taken`, 503
 */
async function carryOut(
  { user, proved, decision, holder }: Moved,
  { remove, isLocked }: Repair,
  { revoke, held }: { revoke: boolean; held: LockedAccount | null },
): Promise<void> {
  const email = isLocked ? toEmailWithoutMailbox(randomUUID()) : proved;
  const claims = isStorable(user.customClaims, { proved }) ? { proved } : {};
  const write = () =>
    writeJudgedAccount(
      { ...user, email, emailVerified: !isLocked },
      { removes: remove, removeSecondFactors: true, claims, ...(revoke && { revoke: 'email-restored' as const }) },
    );
  return decision === 'displace' && holder !== null ? takeFrom(holder, { proved, write, held }) : write();
}

/** Concurrent requests for an email while its account gives way. */
const WRITERS = 4;

/** Attempts of each request, because an identity provider that answers late must not be asked without end. */
const ASKS = 10;

/**
 * Makes the account that holds an email give way, within that account's lock. Its mailbox may have been proved while
 * this waited for the lock. Then it keeps the email, and the caller reads both accounts again.
 */
async function takeFrom(
  holder: StoredAccount,
  { proved, write, held }: { proved: string; write: () => Promise<void>; held: LockedAccount | null },
): Promise<void> {
  // An account that has proved another email needs no lock, because our changes to it carry that email. Two accounts
  // that hold each other's email would wait for each other's lock.
  if (getProvedEmail(holder) !== null) return exchange(() => writeDisplaced(holder.uid), write);
  await withAccountLock(holder.uid === held?.uid ? held : holder.uid, async (locked) => {
    const present = await readStored(holder.uid);
    const holds = present?.email?.toLowerCase() === proved && getProvedEmail(present) === null;
    await locked.assertNotTaken();
    await (holds ? exchange(() => displace(present), write) : write());
  });
}

/** Exchanges an email. The provider needs two calls for it, and anyone may register the free email in between. */
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
 * Takes the email from an account that has proved none. An abandoned account is deleted. Any other
 * account loses all sign-in methods, because identities of this email now belong to the account that has proved it.
 */
async function displace(user: StoredAccount): Promise<void> {
  const { uid } = user;
  if (!isAbandoned(toAccountFacts(user, null, null))) {
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

/** @param more what else the account loses, by default nothing, as for an account that has proved another email */
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

/** Milliseconds. It is longer than the state of a session is cached, including the read before it. */
const KEPT_MS = 60_000;
const MAX_ACCOUNTS = 10_000;

/** When this process last changed an account, in milliseconds of `performance.now()`. */
const changes = () =>
  processWide('account-changes', () => new LRUCache<string, number>({ max: MAX_ACCOUNTS, ttl: KEPT_MS }));

/** Makes a change of an account take effect immediately in this process, which then trusts no older data. */
export function markAccountChanged(uid: string): void {
  changes().set(uid, performance.now());
}

/** Whether this process has changed an account since then. @param since `performance.now()`, at most 40 s ago */
export function hasAccountChangedSince(uid: string, since: number): boolean {
  return (changes().get(uid) ?? 0) >= since;
}
