import { eq } from 'drizzle-orm';
import { readDeletion } from '@/lib/server/accounts';
import type { Account } from '@/lib/server/policy';
import { readSecondFactor } from '@/lib/server/second-factor';
import { accounts, hasAccountRecords, type Records } from '@/lib/server/storage';
import type { ActionFacts } from './decide';

/** What the database knows of an account that decides which actions are possible, and what support reads about it. */
export type ActionState = Awaited<ReturnType<typeof readActionState>>;

/** @throws RecordsError */
export async function readActionState(records: Records, uid: string) {
  return {
    factor: await readSecondFactor(records, uid),
    /** Until when codes of authenticator apps are refused. The time may be past. */
    lockedUntil: await readLockedUntil(records, uid),
    deletion: await readDeletion(records, uid),
    hasRecords: await hasAccountRecords(records, uid),
  };
}

async function readLockedUntil(records: Records, uid: string): Promise<Date | null> {
  const [row] = await records.query((tx) =>
    tx.select({ until: accounts.factorsLockedUntil }).from(accounts).where(eq(accounts.uid, uid)),
  );
  return row?.until ?? null;
}

export function toActionFacts(
  account: Account | null,
  { factor: { since, apps }, lockedUntil, deletion, hasRecords }: ActionState,
): ActionFacts {
  return {
    account: account?.facts ?? null,
    isDisabled: account?.user.disabled ?? false,
    hasRecords,
    hasSecondFactor: account?.facts.hasSecondFactor === true || since !== null || apps.length > 0,
    areFactorsLocked: lockedUntil !== null && lockedUntil > new Date(),
    deletion: deletion === null ? 'none' : deletion.startedAt === null ? 'scheduled' : 'begun',
  };
}
