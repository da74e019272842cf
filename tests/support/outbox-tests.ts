import { eq, sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { advanceDeletions } from '@/lib/server/accounts/deletion/deletion';
import { readDeletionLink } from '@/lib/server/codes/links';
import { cancelDeletion, readDeletion } from '@/lib/server/accounts/deletion/rows';
import { formatDay } from '@/lib/server/notifications/email/brand';
import { webhookJobs } from '@/lib/server/notifications/outbox/send-due';
import { openRecords } from '@/lib/server/storage/records';
import { countOverdue, postpone } from '@/lib/server/storage/records/scheduled';
import { deletions, jobs } from '@/lib/server/storage/records/schema';
import type { Records, Tx } from '@/lib/server/storage/records/engines';
import { addWebhookEvent } from '@/lib/server/storage/records/announcements';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { countWaiting, runJobs } from '@/lib/server/storage/records/jobs';
import { readWebhook } from '../../examples/express/webhooks.mjs';
import { countChanges, holdAccountLock } from './account-lock';
import { createAccountsClient } from './accounts-client';
import { mainEngine, startDatabases, type Engine } from './databases';
import { letPass, schedule, work } from './deletions';
import { linksIn, mailsTo } from './mail';
import { createTestUser, type TestUser } from './test-users';
import { startWebhookReceiver, WEBHOOK_SECRET } from './webhook-receiver';

const mailbox = { mailboxUrl: inject('mailboxUrl') };
const provider = createAccountsClient({ emulatorHost: inject('emulatorHost'), projectId: 'demo-campus' });
const CLIENT = { network: null, browser: null, system: null };
const addEvent = (tx: Tx, uid: string) => addWebhookEvent(tx, { type: 'account.deleted', data: { uid } }, '1');

/** Tests of the outbox and deletions on an engine. */
export function testOutbox(kind: Engine = mainEngine): void {
  let receiver: Awaited<ReturnType<typeof startWebhookReceiver>>;
  beforeAll(async () => {
    receiver = await startWebhookReceiver();
    Object.assign(process.env, { WEBHOOK_URL: receiver.url, WEBHOOK_SECRET });
  });
  afterEach(() => receiver.answer(204));
  afterAll(() => receiver.stop());

  let databases: Awaited<ReturnType<typeof startDatabases>>;
  let records: Records;
  beforeAll(async () => {
    databases = await startDatabases(kind);
    records = await openRecords(await databases.create());
  });
  afterAll(async () => {
    await records.close();
    await databases.stop();
  });

  let user: TestUser;
  beforeEach(async () => {
    user = await createTestUser();
  });
  const tell = (uid: string) => records.transact((tx) => addEvent(tx, uid));
  const read = async (uid: string) => {
    const [row] = await records.transact((tx) => tx.select().from(jobs).where(eq(jobs.uid, uid)));
    return row;
  };

  test('a notice that is written several times is sent once, by whichever of several processes', async () => {
    const ids = Array.from({ length: 12 }, (_, i) => `${user.uid}-${String(i)}`);
    await Promise.all([...ids, ...ids].map(tell));
    expect(await countWaiting(records, [webhookJobs])).toBe(12);
    await Promise.all([1, 2, 3].map(() => runJobs({ ...records }, webhookJobs)));
    expect(ids.map((uid) => receiver.of(uid).length)).toEqual(ids.map(() => 1));
    expect(await countWaiting(records, [webhookJobs])).toBe(0);
  });

  test('a notice of a transaction that fails is not sent', async () => {
    const failed = records.transact(async (tx) => {
      await addEvent(tx, user.uid);
      await tx.execute(sql`select 1 / 0`);
    });
    await expect(failed).rejects.toThrow();
    await runJobs(records, webhookJobs);
    expect(receiver.of(user.uid)).toEqual([]);
  });

  test.each([500, 302, 400])(
    'status %i of the platform is tried again later, with the same id, and can be verified',
    async (status) => {
      receiver.answer(status);
      await tell(user.uid);
      await runJobs(records, webhookJobs);
      await runJobs(records, webhookJobs);
      expect(await read(user.uid)).toMatchObject({ attempts: 1, sentAt: null, lastError: `HTTP ${String(status)}` });
      receiver.answer(204);
      await letPass(records, user.uid, '10 seconds');
      await runJobs(records, webhookJobs);
      const [first, second, ...more] = receiver.of(user.uid);
      expect(more).toEqual([]);
      expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
      expect(await read(user.uid)).toMatchObject({ attempts: 2, body: null, lastError: null });
      const event = await readWebhook(second?.headers ?? {}, second?.body ?? '', {
        secret: WEBHOOK_SECRET,
        isKnown: () => false,
      });
      expect(event).toMatchObject({ type: 'account.deleted', data: { uid: user.uid } });
    },
  );

  test('what a receiver refuses counts as waiting after 15 minutes, though it is tried again later', async () => {
    const before = await countWaiting(records, [webhookJobs]);
    receiver.answer(401);
    await tell(user.uid);
    await runJobs(records, webhookJobs);
    expect(await countWaiting(records, [webhookJobs])).toBe(before);
    await letPass(records, user.uid, '16 minutes');
    await runJobs(records, webhookJobs);
    expect(await countWaiting(records, [webhookJobs])).toBe(before + 1);
    receiver.answer(204);
    await letPass(records, user.uid, '1 minute');
    await runJobs(records, webhookJobs);
    expect(await countWaiting(records, [webhookJobs])).toBe(before);
  });

  test('a notice is given up after three days, and its content deleted', async () => {
    receiver.answer(500);
    await tell(user.uid);
    await runJobs(records, webhookJobs);
    await letPass(records, user.uid, '3 days');
    await runJobs(records, webhookJobs);
    await letPass(records, user.uid, '1 day');
    await runJobs(records, webhookJobs);
    expect(receiver.of(user.uid)).toHaveLength(2);
    const row = await read(user.uid);
    expect(row).toMatchObject({ attempts: 2, sentAt: null, body: null, lastError: 'HTTP 500' });
    expect(row?.failedAt).not.toBeNull();
  });

  test('reminder and last email go to the email of the request and the present one', async () => {
    await schedule(records, user);
    const changed = `changed-${user.email}`;
    await getIdentityAdmin().updateUser(user.uid, { email: changed });
    await letPass(records, user.uid, '6 days 1 minute');
    await work(records);
    await letPass(records, user.uid, '1 day');
    await work(records);
    // Several emails are sent at the same time.
    const readFirstWords = async (email: string, count: number) =>
      (await mailsTo(mailbox, email, count)).map(({ subject }) => subject.split(' ')[0]).sort();
    expect(await readFirstWords(user.email, 3)).toEqual(['Reminder:', 'Your', 'Your']);
    expect(await readFirstWords(changed, 2)).toEqual(['Reminder:', 'Your']);
  });

  /** Expects that the reminder and its link state a future day, and that pages show the same day. */
  const expectReminder = async () => {
    const mails = await mailsTo(mailbox, user.email, 2);
    const reminder = mails.filter(({ subject }) => subject.startsWith('Reminder: ')).at(-1);
    const [link = ''] = linksIn(reminder ?? { text: '' });
    const { effectiveAt } = await readDeletionLink(new URL(link).searchParams.get('oobCode') ?? '');
    expect(reminder?.subject).toContain(formatDay(effectiveAt));
    const shown = (await readDeletion(records, user.uid))?.effectiveAt;
    for (const day of [Date.parse(effectiveAt), Number(shown)])
      expect(Math.abs(day - Date.now() - 86_400_000)).toBeLessThan(60_000);
  };

  test('an account whose reminder could not be sent has a day from when it is, which its owner is told', async () => {
    await schedule(records, user);
    await letPass(records, user.uid, '6 days 1 minute');
    await advanceDeletions(records);
    await letPass(records, user.uid, '2 days');
    await work(records);
    await expectReminder();
    expect(await provider.read(user.uid)).not.toBeNull();
    await letPass(records, user.uid, '1 day');
    await work(records);
    expect(await provider.read(user.uid)).toBeNull();
  });

  test('a deletion that became due while a process found that it must wait is looked at again', async () => {
    const deletion = await schedule(records, user);
    await letPass(records, user.uid, '6 days 1 minute');
    await postpone(records, deletions, deletion, { dueAt: new Date(Date.now() + 3_600_000) });
    await work(records);
    // Two emails are sent at a time, in any order.
    const subjects = (await mailsTo(mailbox, user.email, 2)).map(({ subject }) => subject);
    expect(subjects).toContainEqual(expect.stringMatching(/^Reminder: /));
  });

  test.each([
    ['before', 2],
    ['after', 3],
  ])('an account that is disabled %s its reminder is not deleted until it is enabled again', async (when, count) => {
    await schedule(records, user);
    if (when === 'after') await letPass(records, user.uid, '6 days 1 minute');
    await work(records);
    await provider.disable(user);
    await letPass(records, user.uid, '16 days');
    await work(records);
    expect(await provider.read(user.uid)).not.toBeNull();
    expect(await countOverdue(records, deletions)).toBe(1);
    await getIdentityAdmin().updateUser(user.uid, { disabled: false });
    // The owner is reminded first. The email's link works for another day.
    await letPass(records, user.uid, '1 hour');
    await work(records);
    await mailsTo(mailbox, user.email, count);
    await expectReminder();
    expect(await provider.read(user.uid)).not.toBeNull();
    await letPass(records, user.uid, '1 day');
    await work(records);
    expect(await provider.read(user.uid)).toBeNull();
    expect(await countOverdue(records, deletions)).toBe(0);
  });

  test('a reminder that could not be sent before its account was disabled is sent once it is enabled', async () => {
    await schedule(records, user);
    await letPass(records, user.uid, '6 days 1 minute');
    await advanceDeletions(records);
    await provider.disable(user);
    await letPass(records, user.uid, '10 minutes');
    await work(records);
    expect((await mailsTo(mailbox, user.email, 1)).map(({ subject }) => subject)).toEqual([
      expect.stringMatching(/^Your Campus account will be deleted/),
    ]);
    await letPass(records, user.uid, '2 days');
    await getIdentityAdmin().updateUser(user.uid, { disabled: false });
    await work(records);
    await expectReminder();
  });

  test('an account that is disabled while its deletion waits for another change is not deleted', async () => {
    await schedule(records, user);
    await letPass(records, user.uid, '6 days 1 minute');
    await work(records);
    await letPass(records, user.uid, '1 day');
    const endChange = await holdAccountLock(user.uid);
    const working = work(records);
    await expect.poll(() => countChanges(user.uid)).toBe(2);
    await provider.disable(user);
    await endChange();
    await working;
    expect(await provider.read(user.uid)).not.toBeNull();
    expect(await readDeletion(records, user.uid)).toMatchObject({ startedAt: null });
  });

  test('an account that is gone at the provider is finished on its day, and announced', async () => {
    await schedule(records, user);
    await provider.remove(user);
    await letPass(records, user.uid, '6 days');
    await work(records);
    expect(receiver.of(user.uid)).toEqual([]);
    await letPass(records, user.uid, '1 day 1 minute');
    await work(records);
    expect(receiver.of(user.uid)).toHaveLength(1);
    expect(await readDeletion(records, user.uid)).toBeNull();
  });

  test('a cancellation at the moment of the deletion either keeps the account or comes too late', async () => {
    const deletion = await schedule(records, user);
    await letPass(records, user.uid, '6 days 1 minute');
    await work(records);
    await letPass(records, user.uid, '1 day');
    const cancels = [1, 2, 3].map(() => cancelDeletion(records, { uid: user.uid, id: deletion.id, client: CLIENT }));
    const [, ...canceled] = await Promise.all([advanceDeletions(records), ...cancels]);
    const isKept = canceled.includes(true);
    expect(canceled.filter(Boolean).length).toBeLessThanOrEqual(1);
    expect((await provider.read(user.uid)) !== null).toBe(isKept);
    await runJobs(records, webhookJobs);
    expect(receiver.of(user.uid)).toHaveLength(isKept ? 0 : 1);
  });
}
