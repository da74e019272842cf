import { eq } from 'drizzle-orm';
import type { EventKind } from '@/lib/shared/account/activity';
import type { SecondFactor } from '@/lib/shared/account/security';
import type { IsSuspect } from '@/lib/server/policy';
import { accounts, type Records, type Tx } from '@/lib/server/storage';
import type { Factor, Removed } from './factor';
import { recoveryCodes } from './recovery-codes';
import { totp } from './totp';

/** Every kind of second factor. */
export const FACTORS: readonly Factor[] = [totp, recoveryCodes];

type State<F extends { read: (tx: Tx, uid: string) => Promise<object> }> = Awaited<ReturnType<F['read']>>;
/** `since`: when the second factor was turned on; null while it is off. */
export type StoredSecondFactor = { since: Date | null } & State<typeof totp> & State<typeof recoveryCodes>;

export function readSecondFactor(records: Records, uid: string): Promise<StoredSecondFactor> {
  return records.transact((tx) => readAll(tx, uid));
}

/** Within a transaction. */
export async function readAll(tx: Tx, uid: string): Promise<StoredSecondFactor> {
  const [account] = await tx.select({ since: accounts.secondFactorSince }).from(accounts).where(eq(accounts.uid, uid));
  return { since: account?.since ?? null, ...(await totp.read(tx, uid)), ...(await recoveryCodes.read(tx, uid)) };
}

/** What /security shows of an account's second factor. */
export function describeSecondFactor(stored: StoredSecondFactor): Pick<SecondFactor, 'apps' | 'codesLeft'> {
  return { ...totp.describe(stored), ...recoveryCodes.describe(stored) };
}

/** Whether a second factor is left without those that are suspect. Within a transaction. */
export async function isAnyLeftWithout(tx: Tx, uid: string, isSuspect: IsSuspect, factors = FACTORS): Promise<boolean> {
  for (const factor of factors) if (factor.isLeftWithout(await factor.read(tx, uid), isSuspect)) return true;
  return false;
}

/** @returns an event for each that was on */
export async function removeFactors(tx: Tx, uid: string, which: Removed, factors = FACTORS) {
  const kinds: EventKind[] = [];
  for (const factor of factors) kinds.push(...(await factor.remove(tx, uid, which)));
  return kinds;
}
