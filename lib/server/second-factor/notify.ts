import { and, asc, eq, gt, isNotNull, isNull, lte, notExists, notInArray, sql } from 'drizzle-orm';
import { EMAIL_METHOD, toOwnMethod } from '@/lib/shared/sign-in-methods';
import { isApiProblem } from '@/lib/shared/problem';
import { addNotice, type SecondFactorNotice, toNoticeBrand } from '@/lib/server/notifications';
import type { PendingSignIn } from '@/lib/server/session';
import {
  addEvent,
  jobs,
  pendingSignIns,
  writeAboutKnownAccount,
  type NoticeBrand,
  type Records,
  type Tx,
} from '@/lib/server/storage';

type Addressee = { uid: string; to: string; at: Date; brand: NoticeBrand };

/**
 * Writes the email about a change of the second factor, in the transaction of the change. @param to the account's email
 */
export function notifyOfSecondFactor(kind: SecondFactorNotice, { uid, to, at, brand }: Addressee) {
  return (tx: Tx): Promise<void> => {
    const body = { channel: 'email', to, email: { kind }, brand: toNoticeBrand(brand) } as const;
    return addNotice(tx, { uid, key: at.toISOString(), body });
  };
}

/** Time after which the owner is notified, in milliseconds. */
const UNFINISHED_AFTER_MS = 5 * 60_000;
/** Maximum number of unfinished sign-ins that one email reports and that are recorded as events. */
const MAX_REPORTED = 20;
/** Maximum number of an account's unfinished sign-ins that are read at a time. */
const MAX_UNFINISHED = 200;
/** Maximum number of sign-ins that one email lists. */
const MAX_LISTED = 5;

/**
 * Notifies owners of sign-ins whose second factor was not shown within 5 minutes, because another user may know the
 * password. Each account gets at most one email an hour, about all sign-ins since the previous email.
 * @throws RecordsError
 */
export async function reportUnfinishedSignIns(records: Records, now = new Date()): Promise<void> {
  const busy: string[] = [];
  for (;;) {
    const uid = await findUnfinished(records, now, busy);
    if (uid === null) return;
    try {
      await reportUnfinished(records, uid, now);
    } catch (error) {
      // Too many writes of this account wait. Continue with other accounts.
      if (!isApiProblem(error)) throw error;
      busy.push(uid);
    }
  }
}

/** Condition: the second factor was not shown, and the owner was not notified yet. */
const isUnfinished = (now: Date) =>
  and(
    isNull(pendingSignIns.passedAt),
    isNotNull(pendingSignIns.brand),
    lte(pendingSignIns.since, new Date(now.getTime() - UNFINISHED_AFTER_MS)),
  );

/**
 * Finds an account with unfinished sign-ins to report, or null. After an email, an account is not found for an hour.
 * @param except accounts to skip
 */
function findUnfinished(records: Records, now: Date, except: readonly string[]): Promise<string | null> {
  return records.transact(async (tx) => {
    const isTold = tx
      .select({ id: jobs.id })
      .from(jobs)
      .where(
        and(
          eq(jobs.uid, pendingSignIns.uid),
          eq(jobs.kind, 'sign-in-unfinished'),
          gt(jobs.createdAt, sql`now() - interval '1 hour'`),
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

/** Records an account's unfinished sign-ins as events and notifies its owner once. */
async function reportUnfinished(records: Records, uid: string, now: Date): Promise<void> {
  const matches = and(eq(pendingSignIns.uid, uid), isUnfinished(now));
  await writeAboutKnownAccount(records, uid, async (tx) => {
    const found = await tx
      .select()
      .from(pendingSignIns)
      .where(matches)
      .orderBy(asc(pendingSignIns.since))
      .limit(MAX_UNFINISHED);
    if (found.length === 0) return;
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

/**
 * Omit sign-ins that began with a proof of the mailbox, because anyone who can read the mailbox would also read this
 * email.
 */
async function announce(tx: Tx, unfinished: readonly PendingSignIn[]): Promise<void> {
  const told = unfinished.filter(({ method, email }) => method !== EMAIL_METHOD && email !== null);
  const last = told.at(-1);
  if (!last?.email || !last.brand) return;
  const email = {
    kind: 'sign-in-unfinished',
    isPassword: told.every(({ provider }) => provider === 'password'),
    total: told.length,
    attempts: told
      .slice(-MAX_LISTED)
      .map(({ since, createdAt, browser, system }) => ({ at: (since ?? createdAt).toISOString(), browser, system })),
  } as const;
  const body = { channel: 'email', to: last.email, email, brand: last.brand } as const;
  await addNotice(tx, { uid: last.uid, key: last.digest, body });
}
