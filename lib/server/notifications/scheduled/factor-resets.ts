import { and, eq, gt, isNull } from 'drizzle-orm';
import { randomUUID } from 'node:crypto';
import type { ClientDescription } from '@/lib/server/runtime';
import { RESET_NOTICES, type ResetNotice } from '../email/email-contents';
import { addNotice, deleteNotices, readSent, type NoticeEmail } from '../outbox/outbox';
import {
  addEvent,
  writeAboutAccount,
  now,
  afterSeconds,
  isRow,
  notBefore,
  postpone,
  readScheduled,
  removeScheduled,
  startScheduled,
  accounts,
  events,
  factorResets,
  pendingSignIns,
  type LockedAccount,
  type NoticeBrand,
  type Pause,
  type Records,
  type Tx,
} from '@/lib/server/storage';
import { WARNING_HOURS } from '@/lib/server/policy';

// Queries about resets of a lost second factor. lib/server/second-factor/reset.ts decides what is allowed.

/** A requested reset. */
export type FactorReset = typeof factorResets.$inferSelect;

const own = (reset: Pick<FactorReset, 'uid' | 'id'>) => isRow(factorResets, reset);

/** The facts for the decision about a reset request. */
export type ResetRequestState = {
  /** Whether the sign-in still waits. */
  isOpen: boolean;
  /** Whether the account has a second factor according to the records. */
  hasSecondFactor: boolean;
  running: FactorReset | null;
  /** Times of the resets that began within the last day. */
  begun: Date[];
};

export type NewReset = {
  uid: string;
  /** Digest of the waiting sign-in. */
  digest: string;
  email: string;
  brand: NoticeBrand;
  client: ClientDescription;
  hours: number;
};

export function readResetRequest(
  records: Records,
  given: Pick<NewReset, 'uid' | 'digest'>,
): Promise<ResetRequestState> {
  return records.transact((tx) => readState(tx, given, new Date()));
}

async function readState(
  tx: Tx,
  { uid, digest }: Pick<NewReset, 'uid' | 'digest'>,
  at: Date,
): Promise<ResetRequestState> {
  const isWaiting = and(
    eq(pendingSignIns.digest, digest),
    eq(pendingSignIns.uid, uid),
    gt(pendingSignIns.expiresAt, at),
    isNull(pendingSignIns.passedAt),
  );
  const waiting = await tx.select({ uid: pendingSignIns.uid }).from(pendingSignIns).where(isWaiting);
  const [account] = await tx.select({ since: accounts.secondFactorSince }).from(accounts).where(eq(accounts.uid, uid));
  const aDayAgo = new Date(at.getTime() - 24 * 3_600_000);
  const isBegun = and(eq(events.uid, uid), eq(events.kind, 'factor-reset-requested'), gt(events.at, aDayAgo));
  // Bounded: `MAX_RESETS` a day.
  const begun = await tx.select({ at: events.at }).from(events).where(isBegun);
  return {
    isOpen: waiting.length > 0,
    hasSecondFactor: (account?.since ?? null) !== null,
    running: await readScheduled(tx, factorResets, uid),
    begun: begun.map((event) => event.at),
  };
}

/**
 * Decides about a reset request and schedules the reset, with its event and its email, in one transaction.
 * @param judge returns false to write nothing
 * @returns the scheduled reset, or null if there is none
 */
export function requestFactorReset(
  records: Records,
  locked: LockedAccount,
  { digest, email, brand, client, hours }: Omit<NewReset, 'uid'>,
  judge: (state: ResetRequestState) => boolean,
): Promise<FactorReset | null> {
  const { uid } = locked;
  const at = new Date();
  return writeAboutAccount(records, { uid, at }, async (tx) => {
    const state = await readState(tx, { uid, digest }, at);
    if (!judge(state)) return state.running;
    await locked.assertHeld(tx);
    const effectiveAt = afterSeconds(hours * 3_600);
    const [reset] = await tx
      .insert(factorResets)
      .values({ uid, id: randomUUID(), email, brand, requestedAt: now, effectiveAt, dueAt: now })
      .returning();
    if (!reset) throw new Error('The reset was not written');
    await addEvent(tx, { uid, kind: 'factor-reset-requested', at, client });
    await addEmail(tx, reset, toScheduleEmail('factor-reset-requested', reset));
    return reset;
  });
}

/** Reads the scheduled reset of an account. Null if there is none, or if it has another `id`. */
export function readFactorReset(records: Records, uid: string, id?: string): Promise<FactorReset | null> {
  return records.query((tx) => readScheduled(tx, factorResets, uid, id));
}

/**
 * Cancels a reset that has not begun, with its event and an email. Call it within a transaction.
 * @param id limits it to this request; by default it is the current one
 * @returns whether there was one
 */
export async function cancelFactorReset(
  tx: Tx,
  { uid, id, at, client }: { uid: string; id?: string; at: Date; client?: ClientDescription | undefined },
): Promise<boolean> {
  const row = await removeScheduled(tx, factorResets, { uid, id });
  if (!row) return false;
  await addEvent(tx, { uid, kind: 'factor-reset-cancelled', at, ...(client && { client }) });
  // A waiting email of the canceled request would offer a link that does nothing.
  await deleteNotices(tx, uid, RESET_NOTICES);
  await addEmail(tx, row, { kind: 'factor-reset-cancelled' });
  return true;
}

/** Removes a reset together with the second factor, or with its account. @returns whether there was one */
export async function removeReset(tx: Tx, uid: string): Promise<boolean> {
  const removed = await tx.delete(factorResets).where(eq(factorResets.uid, uid)).returning({ uid: factorResets.uid });
  await deleteNotices(tx, uid, RESET_NOTICES);
  return removed.length > 0;
}

/**
 * Writes the email after a day or the last email an hour before, each once. The reset is not earlier than the last email
 * says.
 */
export async function emailAboutReset(records: Records, reset: FactorReset, email: 'reminder' | 'warning') {
  const column = email === 'reminder' ? 'remindedAt' : 'warnedAt';
  const kind = `factor-reset-${email}` as const;
  await records.transact(async (tx) => {
    const isUnsent = and(own(reset), isNull(factorResets[column]));
    const later = email === 'warning' && { effectiveAt: notBefore(factorResets, WARNING_HOURS) };
    const times = { [column]: now, dueAt: now, ...later };
    const [row] = await tx.update(factorResets).set(times).where(isUnsent).returning();
    if (!row) return;
    // The account may have been disabled for a time, with an earlier email of this kind.
    await deleteNotices(tx, reset.uid, [kind]);
    await addEmail(tx, reset, toScheduleEmail(kind, row));
  });
}

/** Postpones a reset while the account is disabled. A waiting last email would state a wrong time, so it is replaced. */
export function holdReset(records: Records, reset: FactorReset, pause: Pause): Promise<void> {
  return postpone(records, factorResets, reset, pause, (tx) => deleteNotices(tx, reset.uid, ['factor-reset-warning']));
}

/** Reads when the last email about a reset was sent or given up. Null while it waits or is not written. */
export function readWarningSent(records: Records, { uid, warnedAt }: FactorReset): Promise<Date | null> {
  return readSent(records, { uid, kind: 'factor-reset-warning', writtenAt: warnedAt });
}

/** Starts a reset, which cannot be canceled from then on. @returns false if it was already canceled or done */
export function startReset(records: Records, reset: FactorReset): Promise<boolean> {
  return records.query((tx) => startScheduled(tx, factorResets, reset));
}

function toScheduleEmail(kind: ResetNotice, { uid, id, effectiveAt }: FactorReset) {
  return { kind, uid, reset: id, effectiveAt: effectiveAt.toISOString() } as const;
}

function addEmail(tx: Tx, { uid, id, email: to, brand }: FactorReset, email: NoticeEmail): Promise<void> {
  return addNotice(tx, { uid, key: id, body: { channel: 'email', to, email, brand } });
}
