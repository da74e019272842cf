import { sql } from 'drizzle-orm';
import { advanceDeletions } from '@/lib/server/accounts/deletion';
import { insertDeletion, markSignedOut, type Deletion } from '@/lib/server/notifications/scheduled/deletions';
import { advanceFactorResets } from '@/lib/server/second-factor/reset';
import { sendDueNotices, sendDueWebhooks } from '@/lib/server/notifications/outbox/send-due';
import type { Records } from '@/lib/server/storage/records/engines';

const BRAND = { origin: 'http://localhost:3000', brandName: 'Campus', accent: '#1f5f5b', support: 'help@campus.test' };
const CLIENT = { network: null, browser: null, system: null };

/** Schedules a deletion as the request does, without its session. */
export async function schedule(records: Records, { uid, email }: { uid: string; email: string }): Promise<Deletion> {
  const deletion = await insertDeletion(records, { uid, email, brand: BRAND, client: CLIENT });
  await markSignedOut(records, deletion);
  return deletion;
}

/** Moves everything about an account into the past: the database has the only clock that counts. */
export async function letPass(records: Records, uid: string, interval: string): Promise<void> {
  await records.transact(async (tx) => {
    await tx.execute(sql`update deletions set requested_at = requested_at - ${interval}::interval,
      effective_at = effective_at - ${interval}::interval, signed_out_at = signed_out_at - ${interval}::interval,
      reminded_at = reminded_at - ${interval}::interval, due_at = due_at - ${interval}::interval where uid = ${uid}`);
    await tx.execute(sql`update notices set created_at = created_at - ${interval}::interval,
      due_at = due_at - ${interval}::interval, sent_at = sent_at - ${interval}::interval where uid = ${uid}`);
  });
}

/** Does what is due, as the app does it every few seconds. */
export async function work(records: Records): Promise<void> {
  await advanceDeletions(records);
  await advanceFactorResets(records);
  await sendDueNotices(records);
  await sendDueWebhooks(records);
}
