import { and, desc, eq, gt, isNull, notInArray } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { randomBytes } from 'node:crypto';
import { EMAIL_METHOD } from '@/lib/shared/sign-in-methods';
import { ApiProblem } from '@/lib/shared/problem';
import { type AccountFacts, type SecondFactorStep, isSecondFactorOffered } from '@/lib/server/policy';
import { digest } from '@/lib/server/runtime';
import { buildSetCookie } from '@/lib/server/http';
import { toProviderTime } from '@/lib/server/identity';
import { toNoticeBrand } from '@/lib/server/notifications';
import { pendingSignIns, withRecordsInTime, writeAboutAccount, type Records, type Tx } from '@/lib/server/storage';
import { countInNetwork } from './request';
import { toFirstFactor, type FirstFactor } from './tokens';
import type { SessionRequest, VerifiedToken } from './types';

// Sign-ins that wait for their second factor.

const SECRET_BYTES = 32;
/** How long a sign-in waits. */
const PENDING_SIGN_IN_MS = 10 * 60_000;
/** How long a sign-in waits if the second factor must be set up first. */
const PENDING_SET_UP_MS = 30 * 60_000;
/**
 * Maximum waiting sign-ins of an account from the same kind of browser and network. The oldest of these is removed, and
 * sign-ins of other clients stay.
 */
const MAX_OPEN = 10;

export type PendingSignIn = typeof pendingSignIns.$inferSelect;
type NewPendingSignIn = Omit<PendingSignIn, 'tries' | 'passedAt' | 'since' | 'expiresAt'>;

/** `unverifiedPasskey`: the first factor, if the second factor makes its user verification count. */
type Request = Pick<SessionRequest, 'client' | 'countKnownBrowser' | 'emailContext' | 'pendingSignIn'> & {
  unverifiedPasskey?: string | null;
};

/**
 * Stores a sign-in without its second factor: for ten minutes, or 30 if the account has no second factor yet.
 * @param token of the first factor
 * @returns the problem to throw, with the cookie that continues the sign-in
 * @throws ApiProblem `too-many-requests`; `records-unavailable` if the database is unavailable or second factors are
 *   not offered
 */
export function requireSecondFactor(
  token: VerifiedToken,
  account: AccountFacts,
  step: SecondFactorStep,
  request: Request,
): Promise<ApiProblem> {
  return keep(account, step, toFirstFactor(token), request);
}

/**
 * Stores a sign-in whose user has just proved the mailbox to our server. No custom token is minted.
 * @param provedAt when the mailbox was proved
 */
export function requireSecondFactorAfterMail(
  { account, provedAt }: { account: AccountFacts; provedAt: Date },
  step: SecondFactorStep,
  request: Request,
): Promise<ApiProblem> {
  const authenticatedAt = new Date(Math.floor(toProviderTime(provedAt.getTime()) / 1000) * 1000);
  return keep(account, step, { provider: 'custom', method: EMAIL_METHOD, root: null, authenticatedAt }, request);
}

async function keep(
  { uid, email }: AccountFacts,
  step: SecondFactorStep,
  firstFactor: FirstFactor,
  request: Request,
): Promise<ApiProblem> {
  const { client, emailContext, pendingSignIn, unverifiedPasskey = null } = request;
  const isSetUp = step === 'second-factor-setup-required';
  // If a required factor cannot be set up, it must not be skipped.
  if (isSetUp && !isSecondFactorOffered()) throw new ApiProblem('records-unavailable');
  // An ID token can begin any number of sign-ins.
  await countInNetwork('pending-sign-in', { uid, email }, request);
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const createdAt = new Date();
  const brand = toNoticeBrand(await emailContext());
  const replaces = pendingSignIn === null ? null : digest(pendingSignIn);
  const pending = {
    ...firstFactor,
    ...client(),
    digest: digest(secret),
    uid,
    email,
    createdAt,
    brand,
    unverifiedPasskey,
  };
  const hasOne = await withRecordsInTime((records) => insertPendingSignIn(records, pending, { isSetUp, replaces }));
  const cookies = [buildSetCookie('pendingSignIn', secret)];
  return new ApiProblem(hasOne ? 'second-factor-required' : step, { cookies });
}

/**
 * Inserts a waiting sign-in.
 * @param how `isSetUp`: the account has no second factor according to its claim; `replaces`: this browser's waiting
 *   sign-in, if it belongs to this account. The owner is then notified of a single sign-in, with the time of the first
 * @returns whether the account has a second factor in its records, because its claim can be missing
 */
function insertPendingSignIn(
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
    // Without a second factor, the user of the first factor counts as the owner, so there is no notification.
    const brand = waitsForSetUp ? null : pending.brand;
    const since = (isUntold ? surplus.since : null) ?? createdAt;
    await tx.insert(pendingSignIns).values({ ...pending, brand, expiresAt, since });
    return hasOne;
  });
}

/**
 * Makes room for another sign-in of this client.
 * @returns the oldest sign-in, if it was removed. The next sign-in keeps its time, so that the owner is notified
 *   however many follow
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

/** @returns null if there is none, or it has expired or was used */
export function findPendingSignIn(records: Records, digest: string, now: Date): Promise<PendingSignIn | null> {
  return records.query(async (tx) => {
    const isOpen = and(
      eq(pendingSignIns.digest, digest),
      gt(pendingSignIns.expiresAt, now),
      isNull(pendingSignIns.passedAt),
    );
    const [found] = await tx.select().from(pendingSignIns).where(isOpen);
    return found ?? null;
  });
}

/**
 * Marks a sign-in as used, because its second factor was shown or its user signed in otherwise, for example with a
 * passkey. Call it in a transaction.
 * @returns false if it was already used
 */
export async function passPendingSignIn(
  tx: Tx,
  { uid, at }: { uid: string; at: Date },
  digest: string,
): Promise<boolean> {
  const isOpen = and(isOwn(uid, digest), isNull(pendingSignIns.passedAt));
  return (await tx.update(pendingSignIns).set({ passedAt: at }).where(isOpen).returning()).length > 0;
}

/**
 * Reopens a sign-in whose session could not be created. Its user enters another code, or the same code if it was given
 * back.
 */
export async function reopenPendingSignIn(
  tx: Tx,
  { uid, at }: { uid: string; at: Date },
  digest: string,
): Promise<void> {
  const isPassed = and(isOwn(uid, digest), eq(pendingSignIns.passedAt, at));
  await tx.update(pendingSignIns).set({ passedAt: null }).where(isPassed);
}

const isOwn = (uid: string, digest: string) => and(eq(pendingSignIns.uid, uid), eq(pendingSignIns.digest, digest));
