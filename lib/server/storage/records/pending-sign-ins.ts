import { and, asc, desc, eq, gt, isNotNull, isNull, lte, notExists, notInArray, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { toOwnMethod } from '@/lib/shared/sign-in-methods';
import { addEvent, writeAboutAccount, writeAboutKnownAccount } from './events';
import { notices, pendingSignIns } from './schema';
import type { Records, Tx } from './engines';

// Sign-ins that wait for their second factor.

/** How long one waits, in milliseconds. */
const PENDING_SIGN_IN_MS = 10 * 60_000;
/** The same while the second factor has to be set up first. */
const PENDING_SET_UP_MS = 30 * 60_000;
/** After this its owner is told, in milliseconds. */
const UNFINISHED_AFTER_MS = 5 * 60_000;
/** Of one email about unfinished sign-ins; their events too. */
const MAX_REPORTED = 20;
/** Unfinished sign-ins of an account that are read at a time. */
const MAX_UNFINISHED = 200;
/** Open ones of one account and one kind of browser in one network: the oldest goes. Of other clients none does. */
const MAX_OPEN = 10;

export type PendingSignIn = typeof pendingSignIns.$inferSelect;
export type NewPendingSignIn = Omit<PendingSignIn, 'tries' | 'passedAt' | 'since' | 'expiresAt'>;

/**
 * @param isSetUp the account has no second factor, as its claim says; `replaces`: the one that this browser has, if it is of this account: its user signs in once more, and is told of one sign-in, with
 *   the time of the first
 * @returns whether the account has a second factor by its records: its claim can be missing
 */
export function insertPendingSignIn(
  records: Records,
  pending: NewPendingSignIn,
  { isSetUp, replaces }: { isSetUp: boolean; replaces: string | null },
): Promise<boolean> {
  const { uid, createdAt } = pending;
  return writeAboutAccount(records, { uid, at: createdAt }, async (tx, account) => {
    const [replaced] =
      replaces === null
        ? []
        : await tx
            .delete(pendingSignIns)
            .where(and(isOwn(uid, replaces), isNull(pendingSignIns.passedAt)))
            .returning();
    const surplus = replaced ?? (await removeSurplus(tx, pending));
    const isUntold = surplus !== undefined && surplus.brand !== null;
    const hasOne = account.secondFactorSince !== null;
    const waitsForSetUp = isSetUp && !hasOne;
    const expiresAt = new Date(createdAt.getTime() + (waitsForSetUp ? PENDING_SET_UP_MS : PENDING_SIGN_IN_MS));
    // Without a second factor, the user of the first one counts as the owner: there is nothing to tell.
    const brand = waitsForSetUp ? null : pending.brand;
    const since = (isUntold ? surplus.since : null) ?? createdAt;
    await tx.insert(pendingSignIns).values({ ...pending, brand, expiresAt, since });
    return hasOne;
  });
}

/**
 * Makes room for one more of this client.
 * @returns the oldest one, if it had to go: the next one has its time, so that the owner is told however many follow
 */
async function removeSurplus(
  tx: Tx,
  { uid, network, browser, system }: NewPendingSignIn,
): Promise<PendingSignIn | undefined> {
  const isSame = (column: PgColumn, value: string | null) => (value === null ? isNull(column) : eq(column, value));
  const isOfClient = and(
    eq(pendingSignIns.uid, uid),
    isNull(pendingSignIns.passedAt),
    isSame(pendingSignIns.network, network),
    isSame(pendingSignIns.browser, browser),
    isSame(pendingSignIns.system, system),
  );
  const newest = tx
    .select({ digest: pendingSignIns.digest })
    .from(pendingSignIns)
    .where(isOfClient)
    .orderBy(desc(pendingSignIns.createdAt))
    .limit(MAX_OPEN - 1);
  const removed = await tx
    .delete(pendingSignIns)
    .where(and(isOfClient, notInArray(pendingSignIns.digest, newest)))
    .returning();
  return removed.toSorted((a, b) => Number(a.since ?? a.createdAt) - Number(b.since ?? b.createdAt))[0];
}

/** @returns null when there is none, it has expired, or it is used up */
export function findPendingSignIn(records: Records, digest: string, now: Date): Promise<PendingSignIn | null> {
  return records.transact(async (tx) => {
    const isOpen = and(
      eq(pendingSignIns.digest, digest),
      gt(pendingSignIns.expiresAt, now),
      isNull(pendingSignIns.passedAt),
    );
    const [found] = await tx.select().from(pendingSignIns).where(isOpen);
    return found ?? null;
  });
}

/** Uses up the one that the browser has, since its user has signed in otherwise, as with a passkey. Within a transaction. */
export async function passPendingSignIn(tx: Tx, { uid, at }: { uid: string; at: Date }, digest: string): Promise<void> {
  await tx
    .update(pendingSignIns)
    .set({ passedAt: at })
    .where(and(isOwn(uid, digest), isNull(pendingSignIns.passedAt)));
}

const isOwn = (uid: string, digest: string) => and(eq(pendingSignIns.uid, uid), eq(pendingSignIns.digest, digest));

/** Those whose second factor was not shown, and whose owner was not told yet. */
const isUnfinished = (now: Date) =>
  and(
    isNull(pendingSignIns.passedAt),
    isNotNull(pendingSignIns.brand),
    lte(pendingSignIns.since, new Date(now.getTime() - UNFINISHED_AFTER_MS)),
  );

/**
 * An account with unfinished sign-ins to tell of; null when there is none. After an email it is told again an hour later.
 * @param except these accounts
 */
export function findUnfinished(records: Records, now: Date, except: readonly string[]): Promise<string | null> {
  return records.transact(async (tx) => {
    const isTold = tx
      .select({ id: notices.id })
      .from(notices)
      .where(
        and(
          eq(notices.uid, pendingSignIns.uid),
          eq(notices.kind, 'sign-in-unfinished'),
          gt(notices.createdAt, sql`now() - interval '1 hour'`),
        ),
      );
    const [found] = await tx
      .select({ uid: pendingSignIns.uid })
      .from(pendingSignIns)
      .where(and(isUnfinished(now), notInArray(pendingSignIns.uid, [...except]), notExists(isTold)))
      .orderBy(asc(pendingSignIns.since))
      .limit(1);
    return found?.uid ?? null;
  });
}

/** Records the unfinished sign-ins of an account as events, and tells its owner, once. */
export async function reportUnfinished(
  records: Records,
  uid: string,
  now: Date,
  announce: (tx: Tx, unfinished: readonly PendingSignIn[]) => Promise<void>,
): Promise<void> {
  await writeAboutKnownAccount(records, uid, async (tx) => {
    const found = await tx
      .select()
      .from(pendingSignIns)
      .where(and(eq(pendingSignIns.uid, uid), isUnfinished(now)))
      .orderBy(asc(pendingSignIns.since))
      .limit(MAX_UNFINISHED);
    if (found.length === 0) return;
    const matches = and(eq(pendingSignIns.uid, uid), isUnfinished(now));
    await tx.update(pendingSignIns).set({ brand: null }).where(matches);
    for (const { since, createdAt, browser, system, network, method, provider } of found.slice(0, MAX_REPORTED)) {
      const client = { browser, system, network };
      await addEvent(tx, {
        uid,
        kind: 'sign-in-unfinished',
        at: since ?? createdAt,
        client,
        method: toOwnMethod(method) ?? provider,
      });
    }
    await announce(tx, found);
  });
}
