import { randomUUID } from 'node:crypto';
import { and, count, eq, gt, inArray, isNotNull, isNull, lt, lte, or, sql, type SQL } from 'drizzle-orm';
import type { SignInRef } from '@/lib/server/codes';
import { processWide } from '@/lib/server/runtime';
import {
  afterSeconds,
  claimNext,
  notices,
  readLanguage,
  WEBHOOK_KINDS,
  type NoticeBrand,
  type oidcLogouts,
  type Records,
  type Tx,
  type WebhookEvent,
} from '@/lib/server/storage';
import {
  EMAIL_KINDS,
  type ChangeEmail,
  type EmailKind,
  type PasskeyEmail,
  type ResetNotice,
  type SecondFactorEmail,
  type UndoneSignInEmail,
  type UnfinishedSignInEmail,
} from '../email/email-contents';

/** Before the second attempt, the third, and so on; the last one repeats. */
const RETRY_DELAYS_SECONDS = [10, 60, 300, 900, 3_600] as const;
/** Since the notice was written. Mail servers are repaired on a Monday. */
export const GIVE_UP_AFTER_SECONDS = 3 * 86_400;

export type Attempt = {
  /** Attempts so far, the failed one included. */
  attempts: number;
  /** Since the notice was written. */
  ageSeconds: number;
  /** The receiver refused it for good, such as a mailbox that does not exist. */
  isPermanent: boolean;
};

/**
 * When a failed notice is sent again, in seconds from now; null when it is given up.
 * @param giveUpAfter since it was written, in seconds
 */
export function decideRetry(
  { attempts, ageSeconds, isPermanent }: Attempt,
  giveUpAfter = GIVE_UP_AFTER_SECONDS,
): number | null {
  const delay = RETRY_DELAYS_SECONDS[attempts - 1] ?? RETRY_DELAYS_SECONDS.at(-1) ?? 0;
  return isPermanent || ageSeconds + delay > giveUpAfter ? null : delay;
}

const place = () => processWide('outbox-wake', () => ({ wake: () => {} }));

/** Sends what was just written without waiting for the next round; another process does if this one cannot. */
export function wakeOutbox(): void {
  place().wake();
}

/** @param wake looks for work at once */
export function onWake(wake: () => void): void {
  place().wake = wake;
}

/** The emails that the outbox sends. Those with a link name what it is about: the link is made when they are sent. */
export type NoticeEmail =
  | ({ kind: 'new-sign-in' | 'disavowal-link'; browser: string | null; system: string | null } & Pick<
      SignInRef,
      'uid' | 'session' | 'at'
    >)
  | { kind: 'deletion-requested' | 'deletion-reminder'; uid: string; deletion: string; effectiveAt: string }
  | { kind: ResetNotice; uid: string; reset: string; effectiveAt: string }
  | { kind: 'deletion-cancelled' | 'account-deleted' | 'factor-reset-cancelled' }
  | PasskeyEmail
  | UnfinishedSignInEmail
  | SecondFactorEmail
  | UndoneSignInEmail
  | ChangeEmail;

type EmailBody = { channel: 'email'; to: string; email: NoticeEmail; brand: NoticeBrand };
type NoticeBody = EmailBody | { channel: 'webhook'; event: WebhookEvent };

export type NewNotice = {
  /** Where it is known elsewhere, too. */
  id?: string;
  uid: string;
  /** What it announces: of one account and kind it is written once. */
  key: string;
  body: EmailBody;
};

/** A notice that this process may send until its lease ends. */
export type Notice = {
  id: string;
  uid: string;
  body: NoticeBody;
  /** Of a webhook; null for that of `WEBHOOK_URL`. */
  receiver: string | null;
  /** This one included. */
  attempts: number;
  createdAt: Date;
  /** By the clock of the database. */
  claimedAt: Date;
  /** Of the account; null when it is not known. */
  language: string | null;
};

/** For the log and the metrics. */
export function getNoticeKind(body: NoticeBody): string {
  return body.channel === 'email' ? body.email.kind : body.event.type;
}

/** What is stored of the brand of a request: not who has made that. */
export function toNoticeBrand({ origin, brandName, accent, hasOwnLogo, support, language }: NoticeBrand): NoticeBrand {
  return { origin, brandName, accent, hasOwnLogo, support, language };
}

const isOpen = and(isNull(notices.sentAt), isNull(notices.failedAt));
const isDue = and(isOpen, lte(notices.dueAt, sql`now()`));
const isWebhook = inArray(notices.kind, [...WEBHOOK_KINDS]);

export const isEmail = and(isNull(notices.receiver), inArray(notices.kind, [...EMAIL_KINDS]));
/** @param receiver null for that of `WEBHOOK_URL` */
export const isForReceiver = (receiver: string | null) =>
  and(receiver === null ? isNull(notices.receiver) : eq(notices.receiver, receiver), isWebhook);

/**
 * Writes a notice in the transaction of what it announces: both are there, or neither. Of one account, kind and key there
 * is only one.
 */
export async function addNotice(tx: Tx, { id = randomUUID(), uid, key, body }: NewNotice): Promise<void> {
  const at = sql`now()`;
  await tx
    .insert(notices)
    .values({ id, uid, kind: body.email.kind, key, body, createdAt: at, dueAt: at })
    .onConflictDoNothing();
}

/** Records that an email was due and is not sent: its account gets no more of them now. Whatever asks for a notice finds it. */
export async function addUnsentNotice(
  tx: Tx,
  { uid, key, kind }: { uid: string; key: string; kind: EmailKind },
): Promise<void> {
  const at = sql`now()`;
  await tx
    .insert(notices)
    .values({ id: randomUUID(), uid, kind, key, createdAt: at, dueAt: at, sentAt: at })
    .onConflictDoNothing();
}

/** Condition of `notices`: it was sent, or is to be. */
export const isSendable = or(isNotNull(notices.body), gt(notices.attempts, 0));

/** The opposite: it only says what could have been told. */
export const isUnsent = and(isNull(notices.body), eq(notices.attempts, 0));

/** How many emails of a kind an account gets within an hour, if others than its owner can cause them: they must not fill its mailbox. */
export const MAX_IN_AN_HOUR = 5;

/**
 * How many emails of a kind an account has got within the last hour, or is about to get.
 * @param since earlier ones do not count; null: all of the hour do
 */
export async function countInAnHour(
  tx: Tx,
  { uid, kind, since = null }: { uid: string; kind: EmailKind; since?: Date | null },
): Promise<number> {
  const ofKind = and(eq(notices.uid, uid), eq(notices.kind, kind), isSendable);
  const isRecent = gt(notices.createdAt, sql`now() - interval '1 hour'`);
  const [found] = await tx
    .select({ count: count() })
    .from(notices)
    .where(and(ofKind, isRecent, since === null ? undefined : gt(notices.createdAt, since)));
  return found?.count ?? 0;
}

/** Deletes the emails to an account, sent or not. @param kinds all by default */
export async function deleteNotices(tx: Tx, uid: string, kinds: readonly EmailKind[] = EMAIL_KINDS): Promise<void> {
  await tx.delete(notices).where(and(eq(notices.uid, uid), inArray(notices.kind, [...kinds])));
}

/**
 * When the last of the emails of a kind to an account was sent or given up; null while one waits, or they are not written.
 * @param writtenAt when they were written
 */
export async function readSent(
  records: Records,
  { uid, kind, writtenAt }: { uid: string; kind: EmailKind; writtenAt: Date | null },
): Promise<Date | null> {
  if (writtenAt === null) return null;
  const [last] = await records.query((tx) =>
    tx
      .select({ sentAt: notices.sentAt, failedAt: notices.failedAt })
      .from(notices)
      .where(and(eq(notices.uid, uid), eq(notices.kind, kind)))
      // One that waits has neither time and comes first.
      .orderBy(sql`coalesce(${notices.sentAt}, ${notices.failedAt}) desc nulls first`)
      .limit(1),
  );
  // Sent notices are deleted after a while (retention.ts).
  return last ? (last.sentAt ?? last.failedAt) : writtenAt;
}

/** The receivers of webhooks that are due; null for that of `WEBHOOK_URL`. */
export function listDueReceivers(records: Records): Promise<(string | null)[]> {
  return records.query(async (tx) => {
    // Bounded: a row for each receiver that was configured.
    const due = await tx.selectDistinct({ receiver: notices.receiver }).from(notices).where(and(isDue, isWebhook));
    return due.map(({ receiver }) => receiver);
  });
}

/**
 * Takes the notice that has been due for longest, for this process alone.
 * @param which `isEmail`, or of a receiver
 * @returns null when none is due
 */
export function claimNotice(records: Records, which: SQL | undefined): Promise<Notice | null> {
  return records.transact(async (tx) => {
    const claimed = await claimNext(tx, notices, and(isDue, which));
    if (claimed === null) return null;
    const { row, now } = claimed;
    const { id, uid, receiver, attempts, createdAt } = row;
    const body = row.body as NoticeBody;
    const language = body.channel === 'email' ? await readLanguage(tx, uid) : null;
    return { id, uid, body, receiver, attempts, createdAt, claimedAt: now, language };
  });
}

/** Records that a notice was sent, and forgets to whom. */
export async function settleNotice(records: Records, { id }: Notice): Promise<void> {
  await records.query((tx) =>
    tx
      .update(notices)
      .set({ sentAt: sql`now()`, body: null, lastError: null })
      .where(eq(notices.id, id)),
  );
}

/**
 * Records a failed attempt at what this process has claimed.
 * @param failure `code` without data; `isPermanent`: trying again is no use
 * @returns whether it was given up
 */
export function failAttempt(
  records: Records,
  table: typeof notices | typeof oidcLogouts,
  { id, attempts }: { id: string; attempts: number },
  { code, isPermanent }: { code: string; isPermanent: boolean },
): Promise<boolean> {
  // They have these columns in common; a union of tables is not one to the query builder.
  const common = table as typeof oidcLogouts;
  const isUnsent = 'sentAt' in table ? isNull(table.sentAt) : undefined;
  return records.transact(async (tx) => {
    const own = and(eq(common.id, id), eq(common.attempts, attempts), isNull(common.failedAt), isUnsent);
    const ageSeconds = sql<number>`extract(epoch from now() - ${common.createdAt})::float8`;
    const [row] = await tx.select({ ageSeconds }).from(common).where(own).limit(1).for('update');
    // Its lease has ended, and another process has taken it.
    if (!row) return false;
    const delay = decideRetry({ attempts, ageSeconds: row.ageSeconds, isPermanent });
    const givenUp = { failedAt: sql`now()`, ...('body' in table && { body: null }) };
    const outcome = delay === null ? givenUp : { dueAt: afterSeconds(delay) };
    await tx
      .update(common)
      .set({ ...outcome, lastError: code })
      .where(own);
    return delay === null;
  });
}

/** A webhook that was not accepted for so long is told as one that waits, though it is tried again later. */
const LATE_SECONDS = 900;

/** How many notices wait for a process to send them, or for a receiver that refuses them. */
export function countDueNotices(records: Records): Promise<number> {
  return records.query(async (tx) => {
    const isLate = and(isOpen, isWebhook, lt(notices.createdAt, afterSeconds(-LATE_SECONDS)));
    const [row] = await tx.select({ due: count() }).from(notices).where(or(isDue, isLate));
    return row?.due ?? 0;
  });
}
