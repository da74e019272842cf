import { and, asc, eq, gt, inArray, isNotNull, isNull } from 'drizzle-orm';
import { env } from '@/lib/server/runtime';
import { getIdentityAdmin } from '@/lib/server/identity';
import { getOwnBrand } from '@/lib/server/notifications';
import {
  accounts,
  deletions,
  endAndMark,
  endRevokedSessions,
  factorResets,
  getStore,
  hasEndMark,
  hasLeftOver,
  markAllEnded,
  now,
  sessionCookies,
  sessions,
  type Records,
} from '@/lib/server/storage';
import { finishDeletion } from './deletion/deletion';
import { orderDeletion } from './deletion/rows';

/** Accounts that the identity provider looks up in a call. */
const PAGE = 100;
/** If more accounts are unknown to the provider, the records probably belong to another project. */
const MAX_GONE = { count: 10, part: 0.1 };

/** The differences between a restored database and the identity provider with the shared state. */
export type Differences = {
  accounts: number;
  /** Ids of accounts that the identity provider does not have. */
  gone: string[];
  /** Accounts with sessions older than a revocation at the identity provider. */
  revoked: { uid: string; validSince: Date }[];
  /** Live sessions that a process has marked as ended since, with one of their cookies. */
  ended: { uid: string; sid: string }[];
  /** Accounts whose deletion may have been canceled since, and whose owners would get no further reminder. */
  deletions: string[];
  /** Accounts whose reset of a second factor may have been canceled since. */
  resets: string[];
};

/** Tests whether the marks of ended sessions can be read. They are in Redis, which may have lost them. */
export const canReadEnds = async (): Promise<boolean> =>
  env().REDIS_URL !== undefined && (await getStore().hasAny(['reconcile'])) !== null;

/**
 * Compares the records with the events after their backup was made. It changes no data.
 * @param options `endsSessions`: treats all sessions as revoked
 * @throws RecordsError, or the error of the identity provider
 */
export async function findDifferences(records: Records, { endsSessions = false } = {}): Promise<Differences> {
  const found: Differences = { accounts: 0, gone: [], revoked: [], ended: [], deletions: [], resets: [] };
  for (let last = ''; ;) {
    const ids = await listAccounts(records, last);
    if (ids.length === 0) break;
    found.accounts += ids.length;
    last = ids.at(-1) ?? '';
    const { users } = await getIdentityAdmin().getUsers(ids.map((uid) => ({ uid })));
    const present = new Map(users.map((user) => [user.uid, Date.parse(user.tokensValidAfterTime ?? '') || 0]));
    found.gone.push(...ids.filter((uid) => !present.has(uid)));
    for (const [uid, time] of present) {
      const validSince = endsSessions ? new Date() : new Date(time);
      const isLeft = await records.query((tx) => hasLeftOver(tx, { uid, validSince }));
      if (isLeft) found.revoked.push({ uid, validSince });
    }
    await addEnded(records, [...present.keys()], found);
  }
  const open = await records.query(async (tx) => ({
    // Bounded: the accounts that wait for a deletion.
    deletions: await tx
      .select({ uid: deletions.uid })
      .from(deletions)
      .where(and(isNull(deletions.startedAt), isNotNull(deletions.remindedAt))),
    // Bounded: the accounts that wait for a reset.
    resets: await tx.select({ uid: factorResets.uid }).from(factorResets).where(isNull(factorResets.startedAt)),
  }));
  const gone = new Set(found.gone);
  for (const name of ['deletions', 'resets'] as const)
    found[name] = open[name].map(({ uid }) => uid).filter((uid) => !gone.has(uid));
  return found;
}

function listAccounts(records: Records, after: string): Promise<string[]> {
  return records.query(async (tx) => {
    const found = await tx
      .select({ uid: accounts.uid })
      .from(accounts)
      .where(gt(accounts.uid, after))
      .orderBy(asc(accounts.uid))
      .limit(PAGE);
    return found.map(({ uid }) => uid);
  });
}

/** Adds the live sessions of these accounts that have a mark. */
async function addEnded(records: Records, ids: string[], found: Differences): Promise<void> {
  const cookies = await records.query((tx) =>
    // Bounded: the sessions of a page of accounts.
    tx
      .select({ uid: sessions.uid, sid: sessionCookies.sid })
      .from(sessions)
      .innerJoin(sessionCookies, eq(sessionCookies.sessionId, sessions.id))
      .where(and(inArray(sessions.uid, ids), isNull(sessions.endedAt))),
  );
  for (const cookie of cookies) if (await hasEndMark([cookie.sid])) found.ended.push(cookie);
}

/** Decides whether so many accounts are missing that the records are probably from another project. */
export function isOtherProject({ accounts: all, gone }: Pick<Differences, 'accounts' | 'gone'>): boolean {
  return gone.length > MAX_GONE.count && gone.length > all * MAX_GONE.part;
}

/** Ends, deletes and announces what differs. It can be repeated. @throws ApiProblem, RecordsError */
export async function reconcile(records: Records, found: Differences): Promise<void> {
  const at = new Date();
  for (const uid of found.gone) await finishDeletion(records, await orderDeletion(records, uid, getOwnBrand()));
  for (const { uid, validSince } of found.revoked)
    await markAllEnded(await endRevokedSessions(records, { uid, at, by: 'revoked-since-proof', validSince }));
  for (const { uid, sid } of found.ended) await endAndMark(records, { uid, at, by: 'sign-out', sids: [sid] });
  for (const uid of found.deletions)
    await records.query((tx) =>
      tx
        .update(deletions)
        .set({ remindedAt: null, dueAt: now })
        .where(and(eq(deletions.uid, uid), isNull(deletions.startedAt))),
    );
  for (const uid of found.resets)
    await records.query((tx) =>
      tx.delete(factorResets).where(and(eq(factorResets.uid, uid), isNull(factorResets.startedAt))),
    );
}
