// Threats: half-deletion
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { openRecords } from '@/lib/server/storage/records';
import type { Records, RecordsChoice } from '@/lib/server/storage/records/engines';
import { accounts, jobs } from '@/lib/server/storage/records/schema';
import { UNHURRIED } from '../support/client';
import { createAccountsClient } from '../support/accounts-client';
import { engines, useDatabase } from '../support/databases';
import { letPass, schedule, work } from '../support/deletions';
import { bundleKilledProcess, prepareKilledProcess } from '../support/killed-process';
import { mailsTo, type Mail } from '../support/mail';
import { createTestUser, type TestUser } from '../support/test-users';
import { startWebhookReceiver, WEBHOOK_SECRET } from '../support/webhook-receiver';

vi.setConfig(UNHURRIED);

const mailbox = { mailboxUrl: inject('mailboxUrl') };
const provider = createAccountsClient({ emulatorHost: inject('emulatorHost'), projectId: 'demo-campus' });
let program: string;
let receiver: Awaited<ReturnType<typeof startWebhookReceiver>>;

beforeAll(async () => {
  program = await bundleKilledProcess('outbox-process');
  receiver = await startWebhookReceiver();
  Object.assign(process.env, { WEBHOOK_URL: receiver.url, WEBHOOK_SECRET });
});
afterAll(() => receiver.stop());

const prepareProcess = (choice: RecordsChoice, step: number) =>
  prepareKilledProcess(program, [JSON.stringify(choice), String(step)]);

const readIds = (mails: Mail[]) => mails.map(({ headers }) => headers['message-id']);

/** Creates a user whose deletion is due, because the reminder was sent a day ago. */
async function createDueDeletion(records: Records): Promise<TestUser> {
  const user = await createTestUser();
  await schedule(records, user);
  await letPass(records, user.uid, '6 days 1 minute');
  await work(records);
  await letPass(records, user.uid, '1 day');
  return user;
}

/** The process is killed at least once after each of these kinds of steps. */
const STEPS = ['a transaction', 'readAccount', 'endSessions', 'deleteAccount', 'handing over a notice'];

describe.each(engines)('a process killed between any two steps, on %s', (kind) => {
  const database = useDatabase(kind);

  /** The embedded database serves one process at a time. */
  async function withRecords<T>(use: (records: Records) => Promise<T>): Promise<T> {
    const records = await openRecords(database.choice);
    try {
      return await use(records);
    } finally {
      await records.close();
    }
  }

  test('deletes the account once, and announces it once', async () => {
    const ends: string[] = [];
    const isKilledAfterAll = () => STEPS.every((name) => ends.includes(`killed after ${name}`));
    let next = prepareProcess(database.choice, 1);
    let due = await withRecords(createDueDeletion);
    let step = 1;
    while (ends.at(-1) !== 'done' || !isKilledAfterAll()) {
      const user = due;
      const end = await next.run('begin');
      ends.push(end);
      expect(ends.length, ends.join()).toBeLessThan(200);
      // On a busy machine a call can fail, so the step is repeated. Processes then have different steps, and a kind can
      // be skipped. After `done`, it starts again.
      if (end === 'done') step = 1;
      else if (end !== 'a call failed') step += 1;
      next = prepareProcess(database.choice, step);
      const left = await withRecords(async (records) => {
        // Ends the killed process's leases of the deletion and of each notice.
        for (let leases = 0; leases < 2; leases += 1) {
          await letPass(records, user.uid, '1 minute');
          await work(records);
        }
        due = await createDueDeletion(records);
        return records.transact(async (tx) => ({
          accounts: await tx.select().from(accounts).where(eq(accounts.uid, user.uid)),
          notices: await tx.select().from(jobs).where(eq(jobs.uid, user.uid)),
        }));
      });
      expect(left.accounts, end).toEqual([]);
      expect(left.notices.map((notice) => [notice.kind, notice.sentAt !== null, notice.body]).sort(), end).toEqual([
        ['account-deleted', true, null],
        ['account.deleted', true, null],
      ]);
      expect(await provider.read(user.uid), end).toBeNull();
      const mails = await mailsTo(mailbox, user.email, 3);
      const webhooks = receiver.of(user.uid);
      const ids = [...readIds(mails), ...webhooks.map(({ headers }) => headers['webhook-id'])];
      expect(new Set(ids).size, end).toBe(4);
      // If it was killed between acceptance and the record of it, a notice is sent again with the same id.
      expect(ids.length, end).toBe(end === 'killed after handing over a notice' ? 5 : 4);
    }
    next.stop();
  });
});
