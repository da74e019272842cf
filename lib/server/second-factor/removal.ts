import { eq } from 'drizzle-orm';
import { changeJudgedAccount, findById, restoreProvedEmail, retryWhileUnavailable } from '@/lib/server/identity';
import { getOwnBrand, removeReset, wakeOutbox } from '@/lib/server/notifications';
import type { Account, IsSuspect } from '@/lib/server/policy';
import type { ClientDescription } from '@/lib/server/runtime';
import {
  changeOwnAccount,
  type LiveSession,
  type RenewedSession,
  requireProof,
  revokeAllSessions,
  type SessionRequest,
} from '@/lib/server/session';
import {
  accounts,
  addEvent,
  type ByOperator,
  endRevokedSessions,
  type LockedAccount,
  type NoticeBrand,
  type Records,
  type Tx,
  withAccountLock,
  withRecords,
  withRecordsInTime,
  writeAboutKnownAccount,
} from '@/lib/server/storage';
import { isAnyLeftWithout, readAll, readSecondFactor, removeFactors } from './factors';
import { notifyOfSecondFactor } from './notify';
import { recoveryCodes } from './recovery-codes';
import { totp } from './totp';

/**
 * Removes an authenticator app of the signed-in user. After the last app, the second factor is off, and its recovery
 * codes are removed. All sessions and tokens of the account are revoked. This browser gets a new session.
 * @returns null if no app was removed, or the session could not be created
 * @throws ApiProblem of `requireProof`; `records-unavailable`, 503
 */
export async function removeApp(
  { id, token }: { id: string; token?: string | undefined },
  session: LiveSession,
  request: SessionRequest,
): Promise<RenewedSession | null> {
  const { uid } = session.status;
  const proof = await requireProof(session, token, request);
  const brand = await request.emailContext();
  return changeOwnAccount(uid, request, async ({ locked, account, renew }) => {
    const { apps } = await withRecordsInTime((records) => readSecondFactor(records, uid));
    if (!apps.some((app) => app.id === id)) return null;
    const at = new Date();
    const isLast = apps.length === 1;
    const announce = notifyOfSecondFactor(isLast ? 'second-factor-off' : 'factor-app-removed', {
      uid,
      to: account.facts.email ?? '',
      at,
      brand,
    });
    const occasion = { uid, at, client: request.client(), announce };
    // Write the claim first. After an interruption, the second factor stays on with its apps (records/sessions.ts).
    const revoke = isLast ? ('second-factor-off' as const) : ('factor-app-removed' as const);
    const change = { revoke, ...(isLast && { claims: { secondFactorSince: null } }) };
    await retryWhileUnavailable(() => changeJudgedAccount(locked, account, change));
    if (isLast) await withRecords((records) => removeSecondFactor(records, { ...occasion, hadClaim: true }));
    else await withRecords((records) => removeOneApp(records, { ...occasion, id }));
    wakeOutbox();
    // Revoke again, because the app may have completed a sign-in meanwhile.
    await revokeAllSessions(locked, revoke);
    return renew(proof);
  });
}

/**
 * Turns off the second factor of an account whose owner has lost all factors. An operator decides this, and the owner
 * is told by email. All sessions end.
 * @param subject its id, or the account that the caller has locked
 * @param by the operator of the support desk, for its event
 * @returns false if there is no such account
 * @throws ApiProblem `records-unavailable`, 503
 */
export async function turnSecondFactorOff(
  subject: string | LockedAccount,
  by: Partial<ByOperator> = {},
): Promise<boolean> {
  return withAccountLock(subject, async (locked) => {
    // Restore the proved email first, so that its owner gets the notice, not an attacker who has changed the email.
    await restoreProvedEmail(locked);
    const account = await findById(locked.uid, locked);
    if (account === null) return false;
    await turnOff(locked, account, { kind: 'second-factor-off', brand: getOwnBrand(), ...by });
    return true;
  });
}

/**
 * Turns off the second factor of an account, and ends all its sessions. A repeated call, or an account without a second
 * factor, announces no change.
 * @param occasion its event and email
 * @throws ApiProblem `records-unavailable`, 503
 */
export async function turnOff(
  locked: LockedAccount,
  account: Account,
  { kind, brand, ...by }: { kind: 'second-factor-off' | 'factor-reset-done'; brand: NoticeBrand } & Partial<ByOperator>,
): Promise<void> {
  const { uid, email, hasSecondFactor } = account.facts;
  const at = new Date();
  const announce = notifyOfSecondFactor(kind, { uid, to: email ?? '', at, brand });
  await changeJudgedAccount(locked, account, { claims: { secondFactorSince: null }, revoke: 'second-factor-off' });
  await withRecords(async (records) => {
    await removeSecondFactor(records, { uid, at, kind, hadClaim: hasSecondFactor, announce, ...by });
    // An operator's command ends before the background work of a revocation. So the outbox tells clients and receivers.
    await endRevokedSessions(records, { uid, at, by: 'second-factor-off', validSince: at });
  });
}

type Occasion = {
  uid: string;
  at: Date;
  client?: ClientDescription;
  announce: (tx: Tx) => Promise<void>;
} & Partial<ByOperator>;

/** Removes an app if the account still has it. */
async function removeOneApp(records: Records, { uid, id, at, client, announce }: Occasion & { id: string }) {
  await writeAboutKnownAccount(records, uid, async (tx) => {
    const kinds = await totp.remove(tx, uid, { id });
    for (const kind of kinds) await addEvent(tx, { uid, at, client, kind });
    if (kinds.length > 0) await announce(tx);
  });
}

/**
 * Removes the whole second factor, and its pending reset.
 * @param kind kind of the event; `factor-reset-done` only if a reset is pending, which ends with it
 * @param hadClaim the account's claim said that it has a second factor
 */
async function removeSecondFactor(
  records: Records,
  {
    uid,
    at,
    kind = 'second-factor-off',
    hadClaim,
    announce,
    ...by
  }: Occasion & { kind?: 'second-factor-off' | 'factor-reset-done'; hadClaim: boolean },
): Promise<void> {
  await writeAboutKnownAccount(records, uid, async (tx) => {
    const hadReset = await removeReset(tx, uid);
    // Another process has finished the reset.
    if (kind === 'factor-reset-done' && !hadReset) return;
    const { since } = await readAll(tx, uid);
    await removeFactors(tx, uid, 'all');
    // A factor that is set up later is new, so guesses at this factor must not lock it.
    await tx
      .update(accounts)
      .set({ secondFactorSince: null, failedFactors: 0, factorsLockedUntil: null })
      .where(eq(accounts.uid, uid));
    // The second factor was off already.
    if (since === null && !hadClaim && !hadReset) return;
    await addEvent(tx, { uid, at, kind, ...by });
    await announce(tx);
  });
}

/**
 * Removes apps and recovery codes that may not be the owner's, with an event for each. The last ones stay, because a
 * disavowal must neither turn the second factor off nor lock out an account that requires it.
 * @returns what was removed, by its name in the email of a disavowal
 */
export async function removeSuspectFactors(
  tx: Tx,
  { uid, at, client }: Omit<Occasion, 'announce'>,
  isSuspect: IsSuspect,
): Promise<string[]> {
  const isLeft = await isAnyLeftWithout(tx, uid, isSuspect);
  const before = await recoveryCodes.read(tx, uid);
  const kinds = await removeFactors(tx, uid, { isSuspect: isLeft ? isSuspect : () => false });
  for (const kind of kinds) await addEvent(tx, { uid, at, client, kind });
  const { codes } = await recoveryCodes.read(tx, uid);
  return [...kinds, ...(codes.length < before.codes.length ? ['recovery-codes-removed'] : [])];
}
