import { and, asc, desc, eq, isNull, lt, notInArray, or, sql } from 'drizzle-orm';
import type { ClientDescription } from '@/lib/server/runtime';
import {
  addEvent,
  writeAboutKnownAccount,
  initializeVerification,
  type PendingSignIn,
  accounts,
  authenticatorApps,
  pendingSignIns,
  recoveryCodes,
  type Records,
  type Tx,
} from '@/lib/server/storage';
import { cancelReset } from '@/lib/server/notifications';

// Queries about the second factor. What is accepted is decided in lib/server/second-factor.

export type StoredApp = typeof authenticatorApps.$inferSelect;
export type StoredRecoveryCode = typeof recoveryCodes.$inferSelect;
export type SealedKey = Pick<StoredApp, 'sealedKey' | 'keyId'>;

/** `apps` that are on, and `codes` that are in force, unused and used; `newApp`, `newCodes`: those that are being set up. */
export type StoredSecondFactor = {
  since: Date | null;
  apps: StoredApp[];
  newApp: StoredApp | null;
  codes: StoredRecoveryCode[];
  usedCodes: StoredRecoveryCode[];
  newCodes: StoredRecoveryCode[];
};

/** Who does it, for its event. */
export type Occasion = { uid: string; at: Date; client: ClientDescription };

/** Writes the email about a change, in its transaction. */
export type Announce = (tx: Tx) => Promise<void>;

export function readSecondFactor(records: Records, uid: string): Promise<StoredSecondFactor> {
  return records.transact((tx) => readAll(tx, uid));
}

/** Within a transaction. */
export async function readAll(tx: Tx, uid: string): Promise<StoredSecondFactor> {
  const [account] = await tx.select({ since: accounts.secondFactorSince }).from(accounts).where(eq(accounts.uid, uid));
  // Bounded: an account has a limited number of apps.
  const apps = await tx
    .select()
    .from(authenticatorApps)
    .where(eq(authenticatorApps.uid, uid))
    .orderBy(asc(authenticatorApps.createdAt));
  // Bounded: an account has two sets of recovery codes at most.
  const codes = await tx.select().from(recoveryCodes).where(eq(recoveryCodes.uid, uid));
  return {
    since: account?.since ?? null,
    apps: apps.filter(({ confirmedAt }) => confirmedAt !== null),
    newApp: apps.find(({ confirmedAt }) => confirmedAt === null) ?? null,
    codes: codes.filter(({ confirmedAt, usedAt }) => confirmedAt !== null && usedAt === null),
    usedCodes: codes.filter(({ usedAt }) => usedAt !== null),
    newCodes: codes.filter(({ confirmedAt }) => confirmedAt === null),
  };
}

/** What an attempt is judged by. `pending`: null when no sign-in waits, or none is needed. */
export type AttemptState = Pick<StoredSecondFactor, 'apps' | 'codes' | 'usedCodes'> & {
  pending: PendingSignIn | null;
  failures: number;
  lockedUntil: Date | null;
};

/**
 * What an attempt changes. `none`: nothing; `count`: a refused code of the sign-in, and of the account unless it was right before;
 * `use`: the code is used up, and with it the sign-in that waits.
 */
export type AttemptEffect =
  | { kind: 'none' }
  | { kind: 'count'; ofAccount: boolean; lockedUntil: Date | null }
  | { kind: 'use'; app: { id: string; step: number; resealed: SealedKey | null } }
  | { kind: 'use'; recoveryCode: string };

/** `lost`: another request has used the code since it was judged. */
export type AttemptResult = 'done' | 'lost';

/**
 * Judges a code and applies the result, in one transaction in which no other code of the account is tried.
 * @param digest of the sign-in that waits; null: the signed-in user gives a proof
 * @param announce writes the email about a used recovery code, or about codes that rest
 * @returns null when there are no records of the account
 */
export function attemptFactor(
  records: Records,
  { uid, at, client, digest }: Occasion & { digest: string | null },
  judge: (state: AttemptState) => Promise<AttemptEffect>,
  announce: (tx: Tx, kind: 'recovery-code-used' | 'factor-locked') => Promise<void>,
): Promise<AttemptResult | null> {
  return writeAboutKnownAccount(records, uid, async (tx) => {
    const isAccount = eq(accounts.uid, uid);
    const state = await readAttempt(tx, { uid, digest });
    const { failures, pending } = state;
    const effect = await judge(state);
    if (effect.kind === 'none') return 'done';
    if (effect.kind === 'count') {
      if (digest !== null) await countTry(tx, digest);
      if (!effect.ofAccount) return 'done';
      const rests = effect.lockedUntil !== null;
      await tx
        .update(accounts)
        .set({ failedFactors: rests ? 0 : failures + 1, ...(rests && { factorsLockedUntil: effect.lockedUntil }) })
        .where(isAccount);
      if (!rests) return 'done';
      await addEvent(tx, { uid, at, client, kind: 'factor-locked' });
      await announce(tx, 'factor-locked');
      return 'done';
    }
    if (!(await useUp(tx, { uid, at, digest }, effect))) return 'lost';
    await tx.update(accounts).set({ failedFactors: 0 }).where(isAccount);
    if (pending?.unverifiedPasskey) await initializeVerification(tx, { uid, id: pending.unverifiedPasskey });
    // Nothing is lost, after all.
    await cancelReset(tx, { uid, at, client });
    if ('recoveryCode' in effect) {
      await addEvent(tx, { uid, at, client, kind: 'recovery-code-used' });
      await announce(tx, 'recovery-code-used');
    }
    return 'done';
  });
}

/** What an attempt would be judged by now. */
export function readAttemptState(
  records: Records,
  attempt: { uid: string; digest: string | null },
): Promise<AttemptState> {
  return records.transact((tx) => readAttempt(tx, attempt));
}

async function readAttempt(tx: Tx, { uid, digest }: { uid: string; digest: string | null }): Promise<AttemptState> {
  const [account] = await tx
    .select({ failures: accounts.failedFactors, lockedUntil: accounts.factorsLockedUntil })
    .from(accounts)
    .where(eq(accounts.uid, uid));
  const [pending] =
    digest === null
      ? []
      : await tx
          .select()
          .from(pendingSignIns)
          .where(and(eq(pendingSignIns.digest, digest), eq(pendingSignIns.uid, uid)));
  const { apps, codes, usedCodes } = await readAll(tx, uid);
  const { failures, lockedUntil } = account ?? { failures: 0, lockedUntil: null };
  return { apps, codes, usedCodes, pending: pending ?? null, failures, lockedUntil };
}

async function countTry(tx: Tx, digest: string): Promise<void> {
  const tries = sql`${pendingSignIns.tries} + 1`;
  await tx.update(pendingSignIns).set({ tries }).where(eq(pendingSignIns.digest, digest));
}

/** Uses a sign-in that waits up. @returns false when it is already */
export async function passSignIn(tx: Tx, digest: string, at: Date): Promise<boolean> {
  const isOpen = and(eq(pendingSignIns.digest, digest), isNull(pendingSignIns.passedAt));
  const passed = await tx.update(pendingSignIns).set({ passedAt: at }).where(isOpen).returning();
  return passed.length > 0;
}

/** Each row says by itself that it is used: the lock of the account only keeps attempts in order. */
async function useUp(
  tx: Tx,
  { uid, at, digest }: { uid: string; at: Date; digest: string | null },
  effect: Extract<AttemptEffect, { kind: 'use' }>,
): Promise<boolean> {
  if (digest !== null && !(await passSignIn(tx, digest, at))) return false;
  if ('recoveryCode' in effect) {
    const isFree = and(
      eq(recoveryCodes.id, effect.recoveryCode),
      eq(recoveryCodes.uid, uid),
      isNull(recoveryCodes.usedAt),
    );
    return (await tx.update(recoveryCodes).set({ usedAt: at }).where(isFree).returning()).length > 0;
  }
  const { id, step, resealed } = effect.app;
  const isOlder = or(isNull(authenticatorApps.lastStep), lt(authenticatorApps.lastStep, step));
  const used = await tx
    .update(authenticatorApps)
    .set({ lastStep: step, lastUsedAt: at, ...resealed })
    .where(and(eq(authenticatorApps.id, id), eq(authenticatorApps.uid, uid), isOlder))
    .returning();
  return used.length > 0;
}

/** An app whose key was sealed by none of these secrets; null when there is none. */
export function findUnknownKey(records: Records, keyIds: readonly string[]): Promise<string | null> {
  return records.transact(async (tx) => {
    const isOther = keyIds.length === 0 ? undefined : notInArray(authenticatorApps.keyId, [...keyIds]);
    const [other] = await tx
      .select({ keyId: authenticatorApps.keyId })
      .from(authenticatorApps)
      .where(isOther)
      .orderBy(desc(authenticatorApps.createdAt))
      .limit(1);
    return other?.keyId ?? null;
  });
}
