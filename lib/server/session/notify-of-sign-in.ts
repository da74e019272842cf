import { and, count, eq, gt, isNotNull, notExists, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { type EmailContext, addNotice, addUnsentNotice, isSendable, toNoticeBrand } from '@/lib/server/notifications';
import type { ClientDescription } from '@/lib/server/runtime';
import { notices, sessions, type Tx } from '@/lib/server/storage';

export type Announcement = {
  uid: string;
  email: string;
  at: Date;
  client: ClientDescription;
  emailContext: EmailContext;
};

/** In an hour, for each account, and of those that were not disavowed: who signs in more often than that must not fill its mailbox. */
const MAX_IN_AN_HOUR = 5;

/**
 * Writes the email about a sign-in on a browser that the account has not been used on, in the transaction that records the
 * session (docs/adr/0029). After five in an hour that were not disavowed none is sent; the browser is in question all the same.
 * @param session its id in the records
 */
export async function notifyOfSignIn(
  tx: Tx,
  session: string,
  { uid, email: to, at, client: { browser, system }, emailContext }: Announcement,
): Promise<void> {
  const email = { kind: 'new-sign-in', uid, session, at: at.toISOString(), browser, system } as const;
  if ((await countRecentAnnouncements(tx, uid)) >= MAX_IN_AN_HOUR)
    return addUnsentNotice(tx, { uid, key: session, kind: email.kind });
  await addNotice(tx, { uid, key: session, body: { channel: 'email', to, email, brand: toNoticeBrand(emailContext) } });
}

/**
 * How many sign-ins of an account were emailed within the last hour and not disavowed: after a disavowal the next ones are, however many
 * an intruder had made before.
 */
async function countRecentAnnouncements(tx: Tx, uid: string): Promise<number> {
  const isRecent = gt(notices.createdAt, sql`now() - interval '1 hour'`);
  const disavowed = tx
    .select({ id: sessions.id })
    .from(sessions)
    .where(and(eq(sessions.uid, uid), isNotNull(sessions.disavowedAt), isAbout(sessions.id)));
  const [found] = await tx
    .select({ count: count() })
    .from(notices)
    .where(and(isAnnouncement(uid), isRecent, isSendable, notExists(disavowed)));
  return found?.count ?? 0;
}

/** Condition of `notices`: those about sign-ins of an account on new browsers, emailed or not. */
export const isAnnouncement = (uid: string) => and(eq(notices.uid, uid), eq(notices.kind, 'new-sign-in'));
/** Condition of `notices`: those about a session. @param id column with its id */
export const isAbout = (id: PgColumn) => eq(notices.key, sql`${id}::text`);
