import { eq } from 'drizzle-orm';
import {
  changeJudgedAccount,
  findById,
  restoreProvedEmail,
  retryWhileUnavailable,
  withAccountLock,
} from '@/lib/server/identity';
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
  endRevokedSessions,
  type NoticeBrand,
  type Records,
  type Tx,
  withRecords,
  withRecordsInTime,
  writeAboutKnownAccount,
} from '@/lib/server/storage';
import { isAnyLeftWithout, readAll, readSecondFactor, removeFactors } from './factors';
import { notifyOfSecondFactor } from './notify';
import { recoveryCodes } from './recovery-codes';
import { totp } from './totp';

/**
 * Removes an authenticator app of the signed-in user; with the last one the second factor is off, and its recovery codes are gone. All
 * sessions and tokens of the account are revoked; this browser gets a new session.
 * @returns null when nothing was removed, or the session could not be created
 * @throws ApiProblem as `requireProof`; `records-unavailable`, 503
 */
export async function removeApp(
  { id, token }: { id: string; token?: string | undefined },
  session: LiveSession,
  request: SessionRequest,
): Promise<RenewedSession | null> {
  const { uid } = session.status;
  const decoded = await requireProof(session, token, request);
  const brand = await request.emailContext();
  return changeOwnAccount(uid, request, async (account, renew) => {
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
    // The claim first: interrupted, the second factor stays on, with its apps (records/sessions.ts).
    const change = { revoke: true, ...(isLast && { claims: { secondFactorSince: null } }) };
    await retryWhileUnavailable(() => changeJudgedAccount(account, change));
    if (isLast) await withRecords((records) => removeSecondFactor(records, { ...occasion, hadClaim: true }));
    else await withRecords((records) => removeOneApp(records, { ...occasion, id }));
    wakeOutbox();
    // Once more: the app may have completed a sign-in meanwhile.
    await revokeAllSessions(uid);
    return renew(decoded);
  });
}

/**
 * Turns the second factor of an account off for its owner, who has lost everything: an operator's decision, which its owner is told by
 * email. All its sessions end.
 * @returns false when there is no such account
 * @throws ApiProblem `records-unavailable`, 503
 */
export async function turnSecondFactorOff(uid: string): Promise<boolean> {
  return withAccountLock(uid, async () => {
    // Its owner gets the email, not an attacker who has changed the email since it was proved.
    await restoreProvedEmail(uid);
    const account = await findById(uid);
    if (account === null) return false;
    await turnOff(account, { kind: 'second-factor-off', brand: getOwnBrand() });
    return true;
  });
}

/**
 * Turns the second factor of an account off, and ends all its sessions. Repeated, or of an account without one, it announces nothing.
 * @param occasion its event and email
 * @throws ApiProblem `records-unavailable`, 503
 */
export async function turnOff(
  account: Account,
  { kind, brand }: { kind: 'second-factor-off' | 'factor-reset-done'; brand: NoticeBrand },
): Promise<void> {
  const { uid, email, hasSecondFactor } = account.facts;
  const at = new Date();
  const announce = notifyOfSecondFactor(kind, { uid, to: email ?? '', at, brand });
  await changeJudgedAccount(account, { claims: { secondFactorSince: null }, revoke: true });
  await withRecords(async (records) => {
    await removeSecondFactor(records, { uid, at, kind, hadClaim: hasSecondFactor, announce });
    // An operator's command ends before what a revocation leaves to the background: clients and receivers are told from the outbox.
    await endRevokedSessions(records, { uid, at, by: 'revoked', validSince: at });
  });
}

type Occasion = { uid: string; at: Date; client?: ClientDescription; announce: (tx: Tx) => Promise<void> };

/** One app of several; nothing when it is gone. */
async function removeOneApp(records: Records, { uid, id, at, client, announce }: Occasion & { id: string }) {
  await writeAboutKnownAccount(records, uid, async (tx) => {
    const kinds = await totp.remove(tx, uid, { id });
    for (const kind of kinds) await addEvent(tx, { uid, at, client, kind });
    if (kinds.length > 0) await announce(tx);
  });
}

/**
 * Removes all of the second factor, with a reset of it that runs.
 * @param kind of the event: `factor-reset-done` only when a reset runs, and ends with it; `hadClaim`: the account has said that it has one
 */
async function removeSecondFactor(
  records: Records,
  {
    uid,
    at,
    kind = 'second-factor-off',
    hadClaim,
    client,
    announce,
  }: Occasion & { kind?: 'second-factor-off' | 'factor-reset-done'; hadClaim: boolean },
): Promise<void> {
  await writeAboutKnownAccount(records, uid, async (tx) => {
    const hadReset = await removeReset(tx, uid);
    // Another process has finished it.
    if (kind === 'factor-reset-done' && !hadReset) return;
    const { since } = await readAll(tx, uid);
    await removeFactors(tx, uid, 'all');
    // What is set up later is another one: it is not locked by guesses at this one.
    await tx
      .update(accounts)
      .set({ secondFactorSince: null, failedFactors: 0, factorsLockedUntil: null })
      .where(eq(accounts.uid, uid));
    // It was off already.
    if (since === null && !hadClaim && !hadReset) return;
    await addEvent(tx, { uid, at, client, kind });
    await announce(tx);
  });
}

/**
 * Removes apps and recovery codes that may not be the owner's, with an event each. The last ones stay: a disavowal never turns the second
 * factor off, nor leaves an account that asks for one that there is none of.
 * @returns what was removed, as the email of a disavowal names it
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
