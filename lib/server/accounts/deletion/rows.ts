import { and, isNull, sql } from 'drizzle-orm';
import { randomUUID } from 'node:crypto';
import type { ClientDescription } from '@/lib/server/runtime';
import { addNotice, deleteNotices, readSent, type NoticeEmail } from '@/lib/server/notifications';
import {
  addEvent,
  addWebhookEvent,
  deleteAccountRow,
  writeAboutAccount,
  afterLease,
  isRow,
  notBefore,
  postpone,
  readRecoveryEmail,
  readScheduled,
  removeScheduled,
  startScheduled,
  now,
  deletions,
  type ByOperator,
  type LockedAccount,
  type NoticeBrand,
  type Pause,
  type Records,
  type Tx,
} from '@/lib/server/storage';
import { GRACE_DAYS, REMINDER_HOURS } from '@/lib/server/policy';

// The rows of requested deletions, and their emails.

/** A requested deletion. */
export type Deletion = typeof deletions.$inferSelect;

const afterDays = (days: number) => sql`now() + make_interval(days => ${days})`;
const own = (deletion: Pick<Deletion, 'uid' | 'id'>) => isRow(deletions, deletion);

export type NewDeletion = { email: string | null; brand: NoticeBrand; client: ClientDescription };

/**
 * Schedules the deletion of an account, with its event and its email. It does not change a deletion that is already
 * scheduled.
 */
export function insertDeletion(
  records: Records,
  locked: LockedAccount,
  { email, brand, client }: NewDeletion,
): Promise<Deletion> {
  const { uid } = locked;
  const at = new Date();
  return writeAboutAccount(records, { uid, at }, async (tx) => {
    await locked.assertHeld(tx);
    const recovery = await readRecoveryEmail(tx, uid);
    const emails = [email, recovery?.email ?? null].filter((each) => each !== null);
    const times = { requestedAt: now, effectiveAt: afterDays(GRACE_DAYS), dueAt: afterLease };
    const [deletion] = await tx
      .insert(deletions)
      .values({ uid, id: randomUUID(), emails, brand, ...times })
      .onConflictDoNothing()
      .returning();
    if (!deletion) return readOwn(tx, uid);
    await addEvent(tx, { uid, kind: 'deletion-requested', at, client });
    await addEmails(tx, deletion, toScheduleEmail('deletion-requested', deletion));
    return deletion;
  });
}

async function readOwn(tx: Tx, uid: string): Promise<Deletion> {
  const row = await readScheduled(tx, deletions, uid);
  if (!row) throw new Error('The account of a deletion was not locked');
  return row;
}

/** Reads the scheduled deletion of an account. Null if there is none, or if it has another `id`. */
export function readDeletion(records: Records, uid: string, id?: string): Promise<Deletion | null> {
  return records.query((tx) => readScheduled(tx, deletions, uid, id));
}

/**
 * Cancels a deletion that has not begun, with its event and an email.
 * @param id limits it to this request; by default it is the current one
 * @returns whether there was one
 */
export function cancelDeletion(
  records: Records,
  { uid, id, ...by }: { uid: string; id?: string; client?: ClientDescription } & Partial<ByOperator>,
): Promise<boolean> {
  const at = new Date();
  // Do not use `writeAboutAccount`, which would create records of an account that was deleted meanwhile.
  return records.transact(async (tx) => {
    const row = await removeScheduled(tx, deletions, { uid, id });
    if (!row) return false;
    await addEvent(tx, { uid, kind: 'deletion-cancelled', at, ...by });
    // A waiting email of the canceled request would offer a link that does nothing.
    await deleteNotices(tx, uid, ['deletion-requested', 'deletion-reminder']);
    await addEmails(tx, row, { kind: 'deletion-cancelled' });
    return true;
  });
}

/** Records that the request has ended the account's sessions. */
export async function markSignedOut(records: Records, deletion: Deletion): Promise<void> {
  await records.query((tx) => tx.update(deletions).set({ signedOutAt: now, dueAt: now }).where(own(deletion)));
}

/**
 * Writes the reminder once, to every email that the account had since the request. The deletion is not earlier than it
 * says.
 */
export async function remindOfDeletion(records: Records, deletion: Deletion, emails: string[]): Promise<void> {
  await records.transact(async (tx) => {
    const [row] = await tx
      .update(deletions)
      .set({ remindedAt: now, dueAt: now, emails, effectiveAt: notBefore(deletions, REMINDER_HOURS) })
      .where(and(own(deletion), isNull(deletions.remindedAt)))
      .returning();
    if (!row) return;
    // The account may have been disabled for a time, with an earlier reminder.
    await deleteNotices(tx, deletion.uid, ['deletion-reminder']);
    await addEmails(tx, row, toScheduleEmail('deletion-reminder', row));
  });
}

/** Postpones a deletion while the account is disabled. A waiting reminder would state a wrong day, so it is replaced. */
export function holdDeletion(records: Records, deletion: Deletion, pause: Pause): Promise<void> {
  return postpone(records, deletions, deletion, pause, (tx) => deleteNotices(tx, deletion.uid, ['deletion-reminder']));
}

/** Reads when the reminders to all emails were sent or given up. Null while one waits or is not written. */
export function readReminderSent(records: Records, { uid, remindedAt }: Deletion): Promise<Date | null> {
  return readSent(records, { uid, kind: 'deletion-reminder', writtenAt: remindedAt });
}

/** Starts a deletion, which cannot be canceled from then on. @returns false if it was already canceled */
export function startDeletion(records: Records, deletion: Deletion, emails: string[]): Promise<boolean> {
  return records.query((tx) => startScheduled(tx, deletions, deletion, { emails }));
}

/** Starts a deletion without a grace period, by order of an operator. Emails are sent if the owner had asked for it. */
export function orderDeletion(records: Records, uid: string, brand: NoticeBrand): Promise<Deletion> {
  return writeAboutAccount(records, { uid, at: new Date() }, async (tx) => {
    const begun = { startedAt: now, dueAt: afterLease };
    const times = { requestedAt: now, effectiveAt: now, signedOutAt: now, ...begun };
    const [row] = await tx
      .insert(deletions)
      .values({ uid, id: randomUUID(), emails: [], brand, ...times })
      .onConflictDoUpdate({ target: deletions.uid, set: begun })
      .returning();
    if (!row) throw new Error('The deletion was not written');
    return row;
  });
}

/**
 * Deletes all records about an account and writes its last notices, in one transaction. After a crash, either all of it
 * is done or nothing.
 */
export async function deleteAccountWithNotices(records: Records, deletion: Deletion): Promise<void> {
  const { uid, id } = deletion;
  await records.transact(async (tx) => {
    // Bounded: one row, by its id.
    const found = await tx.select({ emails: deletions.emails }).from(deletions).where(own(deletion)).for('update');
    // Another process has already completed the deletion.
    if (found.length === 0) return;
    await deleteAccountRow(tx, uid, found[0]?.emails);
    await deleteNotices(tx, uid);
    await addEmails(tx, { ...deletion, emails: found[0]?.emails ?? [] }, { kind: 'account-deleted' });
    await addWebhookEvent(tx, { type: 'account.deleted', data: { uid } }, id);
  });
}

function toScheduleEmail(kind: 'deletion-requested' | 'deletion-reminder', { uid, id, effectiveAt }: Deletion) {
  return { kind, uid, deletion: id, effectiveAt: effectiveAt.toISOString() } as const;
}

/** Writes a notice for each address. An email that fails must not repeat the others. */
async function addEmails(tx: Tx, { uid, id, emails, brand }: Deletion, email: NoticeEmail): Promise<void> {
  for (const [index, to] of emails.entries())
    await addNotice(tx, { uid, key: `${id}/${String(index)}`, body: { channel: 'email', to, email, brand } });
}
