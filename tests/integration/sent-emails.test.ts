// Threats: requested-emails-read
import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { expect, inject, test, vi } from 'vitest';
import { readTables } from '@/lib/server/accounts/data-tables';
import { drainBehindResponses } from '@/lib/server/http';
import { getOwnBrand, sendEmail } from '@/lib/server/notifications/email';
import { emailJobs } from '@/lib/server/notifications/outbox/send-due';
import { runJobs } from '@/lib/server/storage/records/jobs';
import { getRecords } from '@/lib/server/storage/records';
import { deleteAccountRow } from '@/lib/server/storage/records/events';
import { deleteExpired } from '@/lib/server/storage/records/retention';
import { sentEmails } from '@/lib/server/storage/records/schema';
import { mailsTo } from '../support/mail';
import { serveSessions } from '../support/session-app';
import { fetchIdToken } from '../support/test-users';

const app = serveSessions();
const mailbox = { mailboxUrl: inject('mailboxUrl') };

/** Reads the records of emails about an account and to its address, once `count` are written. */
async function readEmails(uid: string, addresses: string[], count: number) {
  const records = await getRecords();
  return vi.waitUntil(async () => {
    const { emails = [] } = await records.transact((tx) => readTables(tx, uid, addresses));
    return emails.length === count && (emails as Record<string, unknown>[]);
  });
}

test('an email to an address is recorded with the answer of the mail server, whether or not it has an account', async () => {
  for (const email of [app.user.email, `${randomUUID()}@campus.test`]) {
    expect((await app.call(app.newBrowser(), 'password-reset', { email })).status).toBe(200);
    await drainBehindResponses();
    const [mail] = await mailsTo(mailbox, email);
    const [row = {}] = await readEmails('no-account', [email.toUpperCase()], 1);
    expect(row).toMatchObject({ uid: null, result: 'sent', answer: expect.stringMatching(/^250 /) as string });
    expect(row.kind).toBe(email === app.user.email ? 'reset' : 'no-account');
    expect(row.messageId).toMatch(/^[\da-f-]{36}$/);
    expect(mail?.subject).toBeTruthy();
    expect(JSON.stringify(row)).not.toContain(email);
  }
});

test('an email of the outbox is recorded with its account, and goes with the account', async () => {
  const { uid, email } = app.user;
  await app.signIn(app.newBrowser());
  expect((await app.open(app.newBrowser('phone'), await fetchIdToken(app.user))).status).toBe(200);
  const records = await getRecords();
  await vi.waitUntil(async () => {
    await runJobs(records, emailJobs);
    return (await mailsTo(mailbox, email)).length > 0;
  });
  const [row] = await readEmails(uid, [], 1);
  expect(row).toMatchObject({ uid, kind: 'new-sign-in', result: 'sent' });
  await records.transact((tx) => deleteAccountRow(tx, uid, [email]));
  expect(await readEmails(uid, [email], 0)).toEqual([]);
});

test('records of emails are deleted after 30 days', async () => {
  const records = await getRecords();
  const { uid, email } = app.user;
  await sendEmail(email, { kind: 'closed' }, { ...getOwnBrand(), uid });
  await readEmails(uid, [], 1);
  const age = async (days: number) => {
    const at = new Date(Date.now() - days * 86_400_000);
    await records.query((tx) => tx.update(sentEmails).set({ at }).where(eq(sentEmails.uid, uid)));
    await deleteExpired(records, new Date());
  };
  await age(29);
  await readEmails(uid, [], 1);
  await age(31);
  await readEmails(uid, [], 0);
});
