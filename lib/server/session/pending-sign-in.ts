import { and, desc, eq, gt, isNull, notInArray } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { DecodedIdToken } from 'firebase-admin/auth';
import { randomBytes } from 'node:crypto';
import { EMAIL_METHOD } from '@/lib/shared/sign-in-methods';
import { reportError } from '@/lib/shared/error-reporting/report';
import { ApiProblem } from '@/lib/shared/problem';
import { type AccountFacts, type SecondFactorStep, isSecondFactorOffered } from '@/lib/server/policy';
import { digest, runOutsideOfRequest } from '@/lib/server/runtime';
import { buildSetCookie } from '@/lib/server/http';
import { toProviderTime } from '@/lib/server/identity';
import { toNoticeBrand } from '@/lib/server/notifications';
import {
  pendingSignIns,
  withRecords,
  withRecordsInTime,
  writeAboutAccount,
  type Records,
  type Tx,
} from '@/lib/server/storage';
import { countInNetwork } from './request';
import { readFirstFactor, type FirstFactor } from './tokens';
import type { SessionRequest } from './types';

// Sign-ins that wait for their second factor.

const SECRET_BYTES = 32;
/** How long one waits, in milliseconds. */
const PENDING_SIGN_IN_MS = 10 * 60_000;
/** The same while the second factor has to be set up first. */
const PENDING_SET_UP_MS = 30 * 60_000;
/** Open ones of one account and one kind of browser in one network: the oldest goes. Of other clients none does. */
const MAX_OPEN = 10;

export type PendingSignIn = typeof pendingSignIns.$inferSelect;
type NewPendingSignIn = Omit<PendingSignIn, 'tries' | 'passedAt' | 'since' | 'expiresAt'>;

/** `unverifiedPasskey`: the first factor, if the second makes its user verification count. */
type Request = Pick<SessionRequest, 'client' | 'countKnownBrowser' | 'emailContext' | 'pendingSignIn'> & {
  unverifiedPasskey?: string | null;
};

/**
 * Keeps a sign-in whose second factor is missing: for ten minutes, or 30 while the account has none to show.
 * @param decoded the verified ID token of the first factor
 * @returns the problem to throw, with the cookie by which the browser goes on
 * @throws ApiProblem `too-many-requests`; `records-unavailable`: without the database there is no second factor, nor where none is offered
 */
export function requireSecondFactor(
  decoded: DecodedIdToken,
  account: AccountFacts,
  step: SecondFactorStep,
  request: Request,
): Promise<ApiProblem> {
  return keep(account, step, readFirstFactor(decoded), request);
}

/** The same for a user who has just proved the mailbox to our server: no custom token is minted. */
export function requireSecondFactorAfterMail(
  account: AccountFacts,
  step: SecondFactorStep,
  request: Request,
): Promise<ApiProblem> {
  const authenticatedAt = new Date(Math.floor(toProviderTime() / 1000) * 1000);
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
  // What is required must not be skipped where it cannot be had.
  if (isSetUp && !isSecondFactorOffered()) throw new ApiProblem('records-unavailable');
  // One ID token begins as many as its owner asks for.
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
  let writing: Promise<boolean> | null = null;
  const hasOne = await withRecordsInTime(
    (records) => (writing = insertPendingSignIn(records, pending, { isSetUp, replaces })),
  ).catch((error: unknown) => {
    if (writing !== null) forgetLate(writing, pending);
    throw error;
  });
  const cookies = [buildSetCookie('pendingSignIn', secret)];
  return new ApiProblem(hasOne ? 'second-factor-required' : step, { cookies });
}

/** One that the database has written too late is in no browser: its user, who signs in once more, would be told of it. */
function forgetLate(writing: Promise<boolean>, { uid, digest, createdAt }: NewPendingSignIn): void {
  // One with an earlier time stands for another one, which its owner is still told of.
  const isThisAlone = and(isOwn(uid, digest), eq(pendingSignIns.since, createdAt));
  const forget = () => withRecords((records) => records.query((tx) => tx.delete(pendingSignIns).where(isThisAlone)));
  runOutsideOfRequest(() => writing.then(forget, () => undefined)).catch((cause: unknown) =>
    reportError(cause, { during: 'forgetting a sign-in that was written too late' }),
  );
}

/**
 * @param how `isSetUp`: the account has no second factor, as its claim says; `replaces`: the one that this browser has, if it is of this
 *   account: its user signs in once more, and is told of one sign-in, with the time of the first
 * @returns whether the account has a second factor by its records: its claim can be missing
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
 * Uses one up: its second factor was shown, or its user has signed in otherwise, as with a passkey. Within a transaction.
 * @returns false when it is already
 */
export async function passPendingSignIn(
  tx: Tx,
  { uid, at }: { uid: string; at: Date },
  digest: string,
): Promise<boolean> {
  const isOpen = and(isOwn(uid, digest), isNull(pendingSignIns.passedAt));
  return (await tx.update(pendingSignIns).set({ passedAt: at }).where(isOpen).returning()).length > 0;
}

/** Undoes it, when no session could be created: its user shows another code, or the same one if that was given back. */
export async function reopenPendingSignIn(
  tx: Tx,
  { uid, at }: { uid: string; at: Date },
  digest: string,
): Promise<void> {
  const isPassed = and(isOwn(uid, digest), eq(pendingSignIns.passedAt, at));
  await tx.update(pendingSignIns).set({ passedAt: null }).where(isPassed);
}

const isOwn = (uid: string, digest: string) => and(eq(pendingSignIns.uid, uid), eq(pendingSignIns.digest, digest));
