import type { IncomingMessage } from 'node:http';
import type { PasskeyList } from '@/lib/shared/account/passkeys';
import { nullOnProblem } from '@/lib/shared/problem';
import type { Account, AccountFacts } from '@/lib/server/policy';
import { toPasskeyList } from '@/lib/server/passkeys';
import { arePasskeysOffered, getRelyingParty } from '@/lib/server/http';
import { countUsablePasskeys, getUsablePasskeys } from '@/lib/server/identity';
import { listPasskeys } from '@/lib/server/storage';
import { readRecords } from './read-records';

/** Null: this deployment, or this origin, has no passkeys. */
export type PasskeysState = PasskeyList | 'unavailable' | null;

type Loaded = { list: PasskeyList; usable: number };

/** The passkeys of the signed-in user; `usable`: how many of them sign in. */
export async function loadPasskeys(
  req: Pick<IncomingMessage, 'headers'>,
  { user, facts }: Account,
): Promise<Loaded | 'unavailable' | null> {
  const rp = getRelyingParty();
  if (rp === null || !arePasskeysOffered(req)) return null;
  return readRecords('the passkeys of an account cannot be read', async (records) => {
    const stored = await listPasskeys(records, user.uid);
    const usable = getUsablePasskeys(rp, facts, stored.passkeys).length;
    return { list: toPasskeyList(rp, user, stored), usable };
  });
}

/** How many passkeys sign in to the account; none while the database is away. */
export async function countOfferedPasskeys(facts: AccountFacts): Promise<number> {
  return (await nullOnProblem(countUsablePasskeys(facts))) ?? 0;
}
