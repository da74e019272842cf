import type { SecondFactor } from '@/lib/shared/account/second-factor';
import { readFactorReset } from '@/lib/server/notifications';
import { describeSecondFactor, readSecondFactor } from '@/lib/server/second-factor';
import { isSecondFactorOffered } from '@/lib/server/policy';
import { readRecords } from './read-records';

/** Null: accounts of this deployment have no second factor. */
export type SecondFactorState = SecondFactor | 'unavailable' | null;

export async function loadSecondFactor(uid: string): Promise<SecondFactorState> {
  if (!isSecondFactorOffered()) return null;
  return readRecords('the second factor of an account cannot be read', async (records) => {
    const stored = await readSecondFactor(records, uid);
    const reset = await readFactorReset(records, uid);
    return { ...describeSecondFactor(stored), endsAt: reset?.effectiveAt.toISOString() ?? null };
  });
}
