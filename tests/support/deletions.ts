import { and, gt, isNull, sql } from 'drizzle-orm';
import { expect } from 'vitest';
import { advanceDeletions } from '@/lib/server/accounts/deletion/deletion';
import { insertDeletion, markSignedOut, type Deletion } from '@/lib/server/accounts/deletion/rows';
import { advanceFactorResets } from '@/lib/server/second-factor/reset';
import { emailJobs, webhookJobs } from '@/lib/server/notifications/outbox/send-due';
import type { Records } from '@/lib/server/storage/records/engines';
import { type LockedAccount, withAccountLock } from '@/lib/server/storage/account-lock';
import { copyLock } from './account-lock';
import { isOpen, runJobs } from '@/lib/server/storage/records/jobs';
import { jobs } from '@/lib/server/storage/records/schema';

const BRAND = { origin: 'http://localhost:3000', brandName: 'Campus', accent: '#1f5f5b', support: 'help@campus.test' };
const CLIENT = { network: null, browser: null, system: null };

/** Schedules a deletion as the request does, but without a session. @param held the account, if the test has locked it */
export async function schedule(
  records: Records,
  { uid, email }: { uid: string; email: string },
  held?: LockedAccount,
): Promise<Deletion> {
  const deletion = await withAccountLock(held ?? uid, async (locked) => {
    await copyLock(uid, records);
    return insertDeletion(records, locked, { email, brand: BRAND, client: CLIENT });
  });
  await markSignedOut(records, deletion);
  return deletion;
}

/** Moves everything about an account into the past, because only the database's clock counts. */
export async function letPass(records: Records, uid: string, interval: string): Promise<void> {
  await records.transact(async (tx) => {
    await tx.execute(sql`update deletions set requested_at = requested_at - ${interval}::interval,
      effective_at = effective_at - ${interval}::interval, signed_out_at = signed_out_at - ${interval}::interval,
      reminded_at = reminded_at - ${interval}::interval, due_at = due_at - ${interval}::interval where uid = ${uid}`);
    await tx.execute(sql`update jobs set created_at = created_at - ${interval}::interval,
      due_at = due_at - ${interval}::interval, sent_at = sent_at - ${interval}::interval where uid = ${uid}`);
  });
}

/** Performs due work, as the app does every few seconds. Emails that the app itself has begun to send are sent, too. */
export async function work(records: Records): Promise<void> {
  await advanceDeletions(records);
  await advanceFactorResets(records);
  await runJobs(records, emailJobs);
  await runJobs(records, webhookJobs);
  // A failed attempt has an error.
  const isFirstAttempt = and(emailJobs.isOwn, isOpen, gt(jobs.attempts, 0), isNull(jobs.lastError));
  const readSending = () => records.query((tx) => tx.select({ kind: jobs.kind }).from(jobs).where(isFirstAttempt));
  await expect.poll(readSending).toEqual([]);
}
