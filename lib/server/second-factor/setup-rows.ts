import { and, eq, gte, isNotNull, isNull, lt, ne, or } from 'drizzle-orm';
import { randomUUID } from 'node:crypto';
import type { ClientDescription } from '@/lib/server/runtime';
import {
  addEvent,
  writeAboutAccount,
  writeAboutKnownAccount,
  accounts,
  authenticatorApps,
  recoveryCodes,
  type Records,
  type Tx,
} from '@/lib/server/storage';
import { removeReset, cancelReset } from '@/lib/server/notifications';
import { passSignIn, readAll, type Announce, type Occasion, type SealedKey } from './rows';

// Queries that set up and remove the second factor. What may be done is decided in lib/server/second-factor.

/**
 * Begins an authenticator app; one that was begun before is dropped, with the recovery codes that came with it.
 * @param max apps of one account
 * @returns false when the account has as many already
 */
export function insertApp(
  records: Records,
  { uid, at, ...sealed }: SealedKey & { uid: string; at: Date },
  max: number,
): Promise<boolean> {
  return writeAboutAccount(records, { uid, at }, async (tx) => {
    const { apps } = await readAll(tx, uid);
    if (apps.length >= max) return false;
    await tx
      .delete(authenticatorApps)
      .where(and(eq(authenticatorApps.uid, uid), isNull(authenticatorApps.confirmedAt)));
    if (apps.length === 0) await dropNewCodes(tx, uid);
    await tx.insert(authenticatorApps).values({ ...sealed, id: randomUUID(), uid, createdAt: at });
    return true;
  });
}

/** A right code of an app that is being set up: its time step. */
export type CheckedApp = { uid: string; id: string; at: Date; step: number };

/** Records the right code of an app that is being set up. @returns false when it is gone, or this code was used */
export async function checkApp(records: Records, { uid, id, at, step }: CheckedApp): Promise<boolean> {
  const isChecked = await writeAboutKnownAccount(records, uid, async (tx) => {
    const isOlder = or(isNull(authenticatorApps.lastStep), lt(authenticatorApps.lastStep, step));
    const matches = and(
      eq(authenticatorApps.id, id),
      eq(authenticatorApps.uid, uid),
      isNull(authenticatorApps.confirmedAt),
    );
    const checked = await tx
      .update(authenticatorApps)
      .set({ lastStep: step, checkedAt: at })
      .where(and(matches, isOlder))
      .returning();
    return checked.length > 0;
  });
  return isChecked === true;
}

/** Keeps the recovery codes that a first app comes with. @returns false when another set-up, or another code of this one, has followed since */
export async function insertCodesOfApp(
  records: Records,
  { uid, id, at, step }: CheckedApp,
  codes: NewRecoveryCodes,
): Promise<boolean> {
  const isInserted = await writeAboutKnownAccount(records, uid, async (tx) => {
    const { apps, newApp } = await readAll(tx, uid);
    if (apps.length > 0 || newApp?.id !== id || newApp.lastStep !== step) return false;
    await replaceNewCodes(tx, { uid, at, ...codes });
    return true;
  });
  return isInserted === true;
}

/** Turns a further app on. @returns false when it is gone */
export function confirmApp(
  records: Records,
  { uid, id, at, client, announce }: Occasion & { id: string; announce: Announce },
): Promise<boolean | null> {
  return writeAboutKnownAccount(records, uid, async (tx) => {
    const matches = and(
      eq(authenticatorApps.id, id),
      eq(authenticatorApps.uid, uid),
      isNull(authenticatorApps.confirmedAt),
    );
    // Its owner has a second factor after all.
    await cancelReset(tx, { uid, at, client });
    const confirmed = await tx.update(authenticatorApps).set({ confirmedAt: at }).where(matches).returning();
    if (confirmed.length === 0) return false;
    await addEvent(tx, { uid, at, client, kind: 'factor-app-added' });
    await announce(tx);
    return true;
  });
}

export type NewRecoveryCodes = { salt: string; digests: readonly string[] };

/** Keeps a set of recovery codes until its owner types one of them; an unconfirmed set from before is dropped. */
export function insertRecoveryCodes(
  records: Records,
  { uid, at, salt, digests }: NewRecoveryCodes & { uid: string; at: Date },
): Promise<void> {
  return writeAboutAccount(records, { uid, at }, (tx) => replaceNewCodes(tx, { uid, at, salt, digests }));
}

async function replaceNewCodes(
  tx: Tx,
  { uid, at, salt, digests }: NewRecoveryCodes & { uid: string; at: Date },
): Promise<void> {
  await dropNewCodes(tx, uid);
  await tx
    .insert(recoveryCodes)
    .values(digests.map((digest) => ({ id: randomUUID(), uid, salt, digest, createdAt: at })));
}

async function dropNewCodes(tx: Tx, uid: string): Promise<void> {
  await tx.delete(recoveryCodes).where(and(eq(recoveryCodes.uid, uid), isNull(recoveryCodes.confirmedAt)));
}

/** `on`: the second factor is on since now; `replaced`: other codes were replaced; `gone`: there was no such set. */
export type ConfirmedCodes = 'on' | 'replaced' | 'gone';

/**
 * Puts the new recovery codes in force, and with them the first app.
 * @param digest of the code that the owner has typed
 * @param since codes and app were begun since then
 * @param signIn digest of the sign-in that waits for it, which is used up; null: the signed-in user does it
 */
export function confirmRecoveryCodes(
  records: Records,
  {
    uid,
    at,
    client,
    digest,
    since,
    signIn,
    announce,
  }: Occasion & {
    digest: string;
    since: Date;
    signIn: string | null;
    announce: (tx: Tx, kind: 'on' | 'replaced') => Promise<void>;
  },
): Promise<ConfirmedCodes | null> {
  return writeAboutKnownAccount(records, uid, async (tx) => {
    const stored = await readAll(tx, uid);
    const typed = stored.newCodes.find((code) => code.digest === digest && code.createdAt >= since);
    if (!typed) return 'gone';
    const app = stored.newApp?.checkedAt ? stored.newApp : null;
    // After a disavowal, a second factor is needed while there is no app.
    const isFirst = stored.apps.length === 0;
    if (isFirst && app === null) return 'gone';
    // A sign-in of one factor adds nothing to an account that has two.
    if (signIn !== null && (!isFirst || stored.since !== null || !(await passSignIn(tx, signIn, at)))) return 'gone';
    await cancelReset(tx, { uid, at, client });
    const isOld = and(eq(recoveryCodes.uid, uid), ne(recoveryCodes.salt, typed.salt));
    await tx.delete(recoveryCodes).where(isOld);
    await tx.update(recoveryCodes).set({ confirmedAt: at }).where(eq(recoveryCodes.uid, uid));
    if (isFirst && app !== null) {
      await tx.update(authenticatorApps).set({ confirmedAt: at }).where(eq(authenticatorApps.id, app.id));
      await tx.update(accounts).set({ secondFactorSince: at, failedFactors: 0 }).where(eq(accounts.uid, uid));
    }
    const kind = isFirst ? 'on' : 'replaced';
    await addEvent(tx, { uid, at, client, kind: isFirst ? 'second-factor-on' : 'recovery-codes-replaced' });
    await announce(tx, kind);
    return kind;
  });
}

/** Removes one app of several. @returns false when it is gone */
export function removeApp(
  records: Records,
  { uid, id, at, client, announce }: Occasion & { id: string; announce: Announce },
): Promise<boolean | null> {
  return writeAboutKnownAccount(records, uid, async (tx) => {
    const matches = and(
      eq(authenticatorApps.id, id),
      eq(authenticatorApps.uid, uid),
      isNotNull(authenticatorApps.confirmedAt),
    );
    const removed = await tx.delete(authenticatorApps).where(matches).returning();
    if (removed.length === 0) return false;
    await addEvent(tx, { uid, at, client, kind: 'factor-app-removed' });
    await announce(tx);
    return true;
  });
}

/** @param kind of the event: `factor-reset-done` only when a reset runs, and ends with it */
type Removal = Omit<Occasion, 'client'> & {
  kind?: 'second-factor-off' | 'factor-reset-done';
  client?: ClientDescription;
  announce: Announce;
};

/** Removes all of the second factor, with a reset of it that runs. */
export async function removeSecondFactor(
  records: Records,
  { uid, at, kind = 'second-factor-off', client, announce }: Removal,
): Promise<void> {
  await writeAboutKnownAccount(records, uid, async (tx) => {
    const hadReset = await removeReset(tx, uid);
    // Another process has finished it.
    if (kind === 'factor-reset-done' && !hadReset) return;
    await tx.delete(authenticatorApps).where(eq(authenticatorApps.uid, uid));
    await tx.delete(recoveryCodes).where(eq(recoveryCodes.uid, uid));
    await tx.update(accounts).set({ secondFactorSince: null, failedFactors: 0 }).where(eq(accounts.uid, uid));
    await addEvent(tx, { uid, at, client, kind });
    await announce(tx);
  });
}

/**
 * Removes apps and recovery codes that may not be the owner's, with an event each. Sign-ins go on to need a second factor, even when none
 * is left: the owner's mailbox alone must not turn it off.
 * @param since they were turned on then or later
 */
export async function removeSuspectFactors(
  tx: Tx,
  { uid, at, client }: Omit<Occasion, 'client'> & { client?: ClientDescription },
  since: Date,
): Promise<void> {
  const isNew = or(isNull(authenticatorApps.confirmedAt), gte(authenticatorApps.confirmedAt, since));
  const removed = await tx
    .delete(authenticatorApps)
    .where(and(eq(authenticatorApps.uid, uid), isNew))
    .returning({ isOn: isNotNull(authenticatorApps.confirmedAt) });
  const areNew = or(isNull(recoveryCodes.confirmedAt), gte(recoveryCodes.confirmedAt, since));
  await tx.delete(recoveryCodes).where(and(eq(recoveryCodes.uid, uid), areNew));
  for (const { isOn } of removed) if (isOn) await addEvent(tx, { uid, at, client, kind: 'factor-app-removed' });
}
