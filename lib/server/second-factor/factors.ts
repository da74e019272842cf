import { eq } from 'drizzle-orm';
import type { EventKind } from '@/lib/shared/account/activity';
import type { SecondFactor } from '@/lib/shared/account/security';
import type { IsSuspect } from '@/lib/server/policy';
import { accounts, type Records, type Tx } from '@/lib/server/storage';
import type { FactorKind, Removed } from './factor';
import { recoveryCodes } from './recovery-codes';
import { totp } from './totp';

export const FACTOR_KINDS: readonly FactorKind[] = [totp, recoveryCodes];

type State<F extends { read: (tx: Tx, uid: string) => Promise<object> }> = Awaited<ReturnType<F['read']>>;
/** `since`: when the second factor was turned on. Null while it is off. */
export type StoredSecondFactor = { since: Date | null } & State<typeof totp> & State<typeof recoveryCodes>;

export function readSecondFactor(records: Records, uid: string): Promise<StoredSecondFactor> {
  return records.transact((tx) => readAll(tx, uid));
}

/** Reads the second factor of an account. Call it in a transaction. */
export async function readAll(tx: Tx, uid: string): Promise<StoredSecondFactor> {
  const [account] = await tx.select({ since: accounts.secondFactorSince }).from(accounts).where(eq(accounts.uid, uid));
  return { since: account?.since ?? null, ...(await totp.read(tx, uid)), ...(await recoveryCodes.read(tx, uid)) };
}

/** Describes what /security shows of an account's second factor. */
export function describeSecondFactor(stored: StoredSecondFactor): Pick<SecondFactor, 'apps' | 'codesLeft'> {
  return { ...totp.describe(stored), ...recoveryCodes.describe(stored) };
}

/** Decides whether a second factor is left without the suspect parts. Call it in a transaction. */
export async function isAnyLeftWithout(
  tx: Tx,
  uid: string,
  isSuspect: IsSuspect,
  factors = FACTOR_KINDS,
): Promise<boolean> {
  for (const factor of factors) if (factor.isLeftWithout(await factor.read(tx, uid), isSuspect)) return true;
  return false;
}

/** @returns an event for each removed factor that was on */
export async function removeFactors(tx: Tx, uid: string, which: Removed, factors = FACTOR_KINDS) {
  const kinds: EventKind[] = [];
  for (const factor of factors) kinds.push(...(await factor.remove(tx, uid, which)));
  return kinds;
}
