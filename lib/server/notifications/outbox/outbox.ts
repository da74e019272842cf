import { randomUUID } from 'node:crypto';
import { and, count, eq, gt, inArray, isNotNull, isNull, or, sql, type SQL } from 'drizzle-orm';
import type { SignInRef } from '@/lib/server/codes';
import {
  afterSeconds,
  isOpen,
  jobs,
  type NoticeBrand,
  type Records,
  type Tx,
  readRecoveryEmail,
  wantRound,
  type WebhookEvent,
} from '@/lib/server/storage';
import {
  EMAIL_KINDS,
  type ChangeEmail,
  type EmailChangeNotice,
  type EmailKind,
  type PasskeyEmail,
  type ResetNotice,
  type SecondFactorEmail,
  type UndoneSignInEmail,
  type UnfinishedSignInEmail,
} from '../email/email-contents';

/** Sends new notices without waiting for the next round. If this process cannot, another process sends them. */
export function wakeOutbox(): void {
  wantRound('outbox');
}

/**
 * The emails that the outbox sends. An email with a link stores the link's subject, because the link is made when the
 * email is sent.
 */
export type NoticeEmail =
  | ({ kind: 'new-sign-in' | 'disavowal-link'; browser: string | null; system: string | null } & Pick<
      SignInRef,
      'uid' | 'session' | 'at'
    >)
  | { kind: 'deletion-requested' | 'deletion-reminder'; uid: string; deletion: string; effectiveAt: string }
  | { kind: ResetNotice; uid: string; reset: string; effectiveAt: string }
  | { kind: EmailChangeNotice; uid: string; change: string; at: string }
  | { kind: 'recovery-email-added'; uid: string; change: string; at: string }
  | { kind: 'email-change-here' | 'recovery-email-removed' | 'recovery-email-gone' }
  | { kind: 'deletion-cancelled' | 'account-deleted' | 'factor-reset-cancelled' }
  | PasskeyEmail
  | UnfinishedSignInEmail
  | SecondFactorEmail
  | UndoneSignInEmail
  | ChangeEmail;

type EmailBody = { channel: 'email'; to: string; email: NoticeEmail; brand: NoticeBrand };
export type NoticeBody = EmailBody | { channel: 'webhook'; event: WebhookEvent };

export type NewNotice = {
  /** Given if the id is also used elsewhere. */
  id?: string;
  uid: string;
  /** Identifies the announced change. For an account and kind, each key is written once. */
  key: string;
  body: EmailBody;
  /** A mailbox that gets no copy, because it gets an email of its own about the change. */
  notTo?: string;
};

/** Returns the kind of a notice, for the log and the metrics. */
export function getNoticeKind(body: NoticeBody): string {
  return body.channel === 'email' ? body.email.kind : body.event.type;
}

/** Selects the part of a request's brand that is stored. It omits the requester. */
export function toNoticeBrand({ origin, brandName, accent, hasOwnLogo, support, language }: NoticeBrand): NoticeBrand {
  return { origin, brandName, accent, hasOwnLogo, support, language };
}

/**
 * Kind of a notice in `jobs` that copies another one to the account's recovery email (docs/adr/0051). With a kind of its
 * own, a copy counts against no limit, and nothing waits until it is sent.
 */
export const COPY_KIND = 'copy-to-recovery-email';

/**
 * These emails are for one mailbox: they prove it, or tell it about a recovery email. Scheduled deletions keep a list of
 * all their mailboxes.
 */
const FOR_ONE_MAILBOX: readonly EmailKind[] = [
  'disavowal-link',
  'email-change-here',
  'recovery-email-added',
  'recovery-email-removed',
  'recovery-email-gone',
  'deletion-requested',
  'deletion-reminder',
  'deletion-cancelled',
  'account-deleted',
];

/**
 * Writes a notice in the transaction of the announced change, so that both exist or neither. For an account and kind,
 * each key is written once. The account's recovery email gets a copy.
 */
export async function addNotice(tx: Tx, notice: NewNotice): Promise<void> {
  const at = sql`now()`;
  await insertNotice(tx, notice, { createdAt: at, dueAt: at });
}

async function insertNotice(
  tx: Tx,
  { id = randomUUID(), uid, key, body, notTo }: NewNotice,
  times: { createdAt: SQL; dueAt: SQL },
): Promise<void> {
  const { kind } = body.email;
  const notice = { id, uid, kind: kind as string, key, body, ...times };
  const recovery = FOR_ONE_MAILBOX.includes(kind) ? null : await readRecoveryEmail(tx, uid);
  const isCopied = recovery !== null && ![body.to.toLowerCase(), notTo].includes(recovery.email);
  const copy = {
    id: randomUUID(),
    kind: COPY_KIND,
    key: `${kind}/${key}`,
    body: { ...body, to: recovery?.email ?? '' },
  };
  const rows = isCopied ? [notice, { ...notice, ...copy }] : [notice];
  await tx.insert(jobs).values(rows).onConflictDoNothing();
}

/** Writes an email about the end of a recovery email in its transaction. */
export function tellOfRecoveryEmail(
  tx: Tx,
  uid: string,
  { kind, to }: { kind: 'recovery-email-removed' | 'recovery-email-gone'; to: string },
  brand: NoticeBrand,
): Promise<void> {
  return addNotice(tx, { uid, key: randomUUID(), body: { channel: 'email', to, email: { kind }, brand } });
}

/** How long an email beyond the limit waits for further changes that it can report. */
const LATER_SECONDS = 3_600;

/**
 * Writes an email about a removal that is sent in an hour, or adds the removal to a waiting email of its kind. A single
 * email then lists all removals.
 */
export async function addNoticeForLater(tx: Tx, notice: NewNotice): Promise<void> {
  const { uid, body } = notice;
  const { kind } = body.email;
  const ofKind = and(eq(jobs.uid, uid), eq(jobs.kind, kind));
  // This excludes an email that a process has begun to send, which has an attempt and is due at the end of its lease.
  const waits = and(ofKind, isOpen, eq(jobs.attempts, 0), gt(jobs.dueAt, sql`now()`));
  const columns = { id: jobs.id, key: jobs.key, body: jobs.body };
  const [waiting] = await tx.select(columns).from(jobs).where(waits).limit(1).for('update');
  if (waiting) {
    const earlier = waiting.body as EmailBody;
    // Keep the first recipient. Someone who changes the account's email in the meantime must not get the owner's
    // notices.
    const all = { ...earlier, email: addRemoved(body.email, earlier.email) };
    await tx.update(jobs).set({ body: all }).where(eq(jobs.id, waiting.id));
    const isCopy = and(eq(jobs.uid, uid), eq(jobs.kind, COPY_KIND), eq(jobs.key, `${kind}/${waiting.key ?? ''}`));
    const copy = sql`jsonb_set(${jobs.body}, '{email}', ${JSON.stringify(all.email)}::jsonb)`;
    await tx
      .update(jobs)
      .set({ body: copy })
      .where(and(isCopy, isNotNull(jobs.body)));
    return;
  }
  await insertNotice(tx, notice, { createdAt: sql`now()`, dueAt: afterSeconds(LATER_SECONDS) });
}

/** @returns the email with the removals of an earlier email added */
function addRemoved(email: NoticeEmail, earlier: NoticeEmail): NoticeEmail {
  if (!('removed' in email) || !('removed' in earlier)) return email;
  const removed = [...email.removed];
  for (const each of earlier.removed) if (!removed.some(({ method }) => method === each.method)) removed.push(each);
  return { ...email, removed };
}

/**
 * Records that an email was due but is not sent, because the account has reached its limit. Other code can then find
 * the notice.
 */
export async function addUnsentNotice(
  tx: Tx,
  { uid, key, kind }: { uid: string; key: string; kind: EmailKind },
): Promise<void> {
  const at = sql`now()`;
  await tx
    .insert(jobs)
    .values({ id: randomUUID(), uid, kind, key, createdAt: at, dueAt: at, sentAt: at })
    .onConflictDoNothing();
}

/** Condition of `jobs`: the notice was sent or will be sent. */
export const isSendable = or(isNotNull(jobs.body), gt(jobs.attempts, 0));

/** Condition of `jobs`: the notice was never meant to be sent and only records a possible announcement. */
export const isUnsent = and(isNull(jobs.body), eq(jobs.attempts, 0));

/**
 * Maximum number of emails of a kind to an account within an hour, if others than its owner can cause them. It protects
 * the owner's mailbox.
 */
export const MAX_IN_AN_HOUR = 5;

/**
 * Counts the emails of a kind that an account has got within the last hour or is about to get.
 * @param since excludes earlier emails; null counts the whole hour
 */
export async function countInAnHour(
  tx: Tx,
  { uid, kind, since = null }: { uid: string; kind: EmailKind; since?: Date | null },
): Promise<number> {
  const ofKind = and(eq(jobs.uid, uid), eq(jobs.kind, kind), isSendable);
  const isRecent = gt(jobs.createdAt, sql`now() - interval '1 hour'`);
  const [found] = await tx
    .select({ count: count() })
    .from(jobs)
    .where(and(ofKind, isRecent, since === null ? undefined : gt(jobs.createdAt, since)));
  return found?.count ?? 0;
}

/** Deletes the emails to an account, sent or not, with their copies. @param kinds all kinds by default */
export async function deleteNotices(tx: Tx, uid: string, kinds: readonly EmailKind[] = EMAIL_KINDS): Promise<void> {
  const isCopy = and(eq(jobs.kind, COPY_KIND), inArray(sql`split_part(${jobs.key}, '/', 1)`, [...kinds]));
  await tx.delete(jobs).where(and(eq(jobs.uid, uid), or(inArray(jobs.kind, [...kinds]), isCopy)));
}

/**
 * Returns when the last email of a kind to an account was sent or given up. Null while an email waits, or if none was
 * written.
 * @param writtenAt when the emails were written
 */
export async function readSent(
  records: Records,
  { uid, kind, writtenAt }: { uid: string; kind: EmailKind; writtenAt: Date | null },
): Promise<Date | null> {
  if (writtenAt === null) return null;
  const [last] = await records.query((tx) =>
    tx
      .select({ sentAt: jobs.sentAt, failedAt: jobs.failedAt })
      .from(jobs)
      .where(and(eq(jobs.uid, uid), eq(jobs.kind, kind)))
      // A waiting email has neither time and comes first.
      .orderBy(sql`coalesce(${jobs.sentAt}, ${jobs.failedAt}) desc nulls first`)
      .limit(1),
  );
  // A missing row was sent, because sent notices are deleted after a while (retention.ts).
  return last ? (last.sentAt ?? last.failedAt) : writtenAt;
}
