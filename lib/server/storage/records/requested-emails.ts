import { and, count, eq, inArray, lte } from 'drizzle-orm';
import { afterLease, afterSeconds, claimNext, now } from './scheduled';
import { requestedEmails } from './schema';
import type { Records } from './engines';

// Emails that a response has promised. All times are those of the database.

/** One that this process may send until its lease ends. */
export type ClaimedEmail = {
  id: string;
  kind: string;
  sealed: string;
  /** This one included. */
  attempts: number;
  createdAt: Date;
  ageSeconds: number;
};

/** Writes one, and leaves it to this process for the time of a lease. */
export async function insertRequestedEmail(
  records: Records,
  given: { id: string; kind: string; sealed: string },
): Promise<void> {
  await records.transact((tx) =>
    tx.insert(requestedEmails).values({ ...given, createdAt: now, dueAt: afterLease, attempts: 0 }),
  );
}

/** Takes the one that this process has written. @returns null when another process has taken it meanwhile */
export function claimOwnEmail(records: Records, id: string): Promise<ClaimedEmail | null> {
  return claim(records, and(eq(requestedEmails.id, id), eq(requestedEmails.attempts, 0)));
}

/** Takes the one that has been due for longest, for this process alone. @returns null when none is due */
export function claimDueEmail(records: Records, kinds: readonly string[]): Promise<ClaimedEmail | null> {
  return claim(records, and(lte(requestedEmails.dueAt, now), inArray(requestedEmails.kind, [...kinds])));
}

function claim(records: Records, condition: ReturnType<typeof and>): Promise<ClaimedEmail | null> {
  return records.transact(async (tx) => {
    const claimed = await claimNext(tx, requestedEmails, condition);
    if (claimed === null) return null;
    const { row, now } = claimed;
    return { ...row, ageSeconds: (now.getTime() - row.createdAt.getTime()) / 1000 };
  });
}

/** Deletes one that was sent, or given up. */
export async function deleteRequestedEmail(records: Records, id: string): Promise<void> {
  await records.transact((tx) => tx.delete(requestedEmails).where(eq(requestedEmails.id, id)));
}

/** Lets one be sent again after a failure, unless another process has taken it. */
export async function postponeRequestedEmail(
  records: Records,
  { id, attempts }: ClaimedEmail,
  delaySeconds: number,
): Promise<void> {
  const own = and(eq(requestedEmails.id, id), eq(requestedEmails.attempts, attempts));
  await records.transact((tx) =>
    tx
      .update(requestedEmails)
      .set({ dueAt: afterSeconds(delaySeconds) })
      .where(own),
  );
}

/** How many wait for a process to send them: those whose lease has ended, or whose next attempt is due. */
export function countDueEmails(records: Records): Promise<number> {
  return records.transact(async (tx) => {
    const [row] = await tx.select({ due: count() }).from(requestedEmails).where(lte(requestedEmails.dueAt, now));
    return row?.due ?? 0;
  });
}
