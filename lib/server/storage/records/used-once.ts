import { and, eq } from 'drizzle-orm';
import { env, runOutsideOfRequest } from '@/lib/server/runtime';
import { queryInTime, transactInTime } from '.';
import { getStore } from '../store';
import type { Tx } from './engines';
import { LATE_ENDS, tryLater } from './events';
import { usedChallenges } from './schema';

// Values that work only once: emailed codes and links, codes of the mobile app. They are stored in the database,
// because Redis may be down or lose its data.

type Used = Pick<typeof usedChallenges.$inferInsert, 'challenge' | 'expiresAt'>;

/** Stores used values. Call it in a transaction. @returns false if all of them were used before */
export async function insertUsed(tx: Tx, used: readonly Used[]): Promise<boolean> {
  const rows = used.map(({ challenge, expiresAt }) => ({ challenge, expiresAt }));
  return (await tx.insert(usedChallenges).values(rows).onConflictDoNothing().returning()).length > 0;
}

/** `giveBack`: makes the value usable again, because its use failed. It retries if the database does not respond. */
type Spent = { giveBack: () => Promise<void> };

/**
 * Uses up a value across all processes. If another deployment has the accounts, there is no database, so a mark in the
 * shared store is used.
 * @param key of the value
 * @param seconds longer than the value is valid
 * @returns null if it was used before
 * @throws ApiProblem `records-unavailable`, and the value is not used up
 */
export async function spendOnce(key: string, seconds: number): Promise<Spent | null> {
  if (env().SESSION_BACKEND === 'upstream')
    return (await getStore().setIfAbsent(key, '1', seconds)) ? { giveBack: () => getStore().delete(key) } : null;
  const row = { challenge: key, expiresAt: new Date(Date.now() + seconds * 1000) };
  // Matches only this use, because a late `giveBack` must not give back the next use.
  const isThis = and(eq(usedChallenges.challenge, key), eq(usedChallenges.expiresAt, row.expiresAt));
  const forget = (tx: Tx) => tx.delete(usedChallenges).where(isThis);
  const forgetLater = () =>
    void runOutsideOfRequest(() => tryLater(`give back ${key}`, LATE_ENDS, (records) => records.query(forget)));
  // Use a transaction, so that a commit after the call has failed is rolled back.
  const isFirst = await transactInTime((tx) => insertUsed(tx, [row]));
  return isFirst ? { giveBack: () => queryInTime(forget).then(() => undefined, forgetLater) } : null;
}
