// Threats: dependency-failure, email-change-abused
import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeEach, expect, inject, test, vi } from 'vitest';
import { findById } from '@/lib/server/identity/find';
import { getRecords } from '@/lib/server/storage/records';
import { makeGate } from '../../scripts/lib/gate.mjs';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { nextSecond, UNHURRIED, type Answer, type CookieJar } from '../support/client';
import { work } from '../support/deletions';
import { codeIn, mailsTo } from '../support/mail';
import { emailAfter, enterByMailbox, readEmail } from '../support/mailbox-owner';
import { takeRecordsAway } from '../support/records-away';
import { serveSessions } from '../support/session-app';
import { createTestUser } from '../support/test-users';

// The mail server and the database go away in the middle of a change of the email.

const [port = 0] = await freePorts(1);
const mail = makeGate({ port, target: Number(new URL(inject('smtpUrl')).port) });
process.env.SMTP_URL = `smtp://${mail.url}`;
afterAll(() => mail.close());
process.env.TRUSTED_PROXY_HOPS = '1';
const app = serveSessions();
vi.setConfig(UNHURRIED);
const mailbox = { mailboxUrl: inject('mailboxUrl') };

// A test may have closed it.
beforeEach(() => mail.setMode('healthy'));

let network = 0;
async function signInOwner() {
  const browser = app.newBrowser();
  browser.headers['x-forwarded-for'] = `203.1.${String((network += 1))}.7`;
  await app.signIn(browser);
  await nextSecond();
  return browser;
}
const ask = (browser: CookieJar, email: string) => app.call(browser, 'account/email', { email });
const confirm = (browser: CookieJar, code: string) => app.call(browser, 'account/email/confirm', { code });
const undo = (code: string | null) => app.call(app.newBrowser(), 'actions/undo-email-change', { code });
const result = ({ status, body }: Answer) => [status, body?.code];
const readAccountEmail = async () => (await findById(app.user.uid))?.facts.email;
const newEmail = () => `${randomUUID()}@new.test`;

/** Sends all that waits, as later rounds do. */
async function deliver(): Promise<void> {
  const records = await getRecords();
  await records.transact((tx) =>
    tx.execute(sql`update jobs set due_at = now() where uid = ${app.user.uid} and sent_at is null`),
  );
  await work(records);
}
const readUndo = async () => {
  await deliver();
  const mails = (await mailsTo(mailbox, app.user.email, 0)).filter(({ text }) => text.includes('undoEmailChange'));
  return mails.map((one) => readEmail(one).oobCode);
};

test('a request without a mail server is answered as for every email, and can be repeated', async () => {
  const laptop = await signInOwner();
  await mail.close();
  const [free, taken] = [newEmail(), (await createTestUser()).email];
  const answers = [await ask(laptop, free), await ask(laptop, taken)].map(result);
  expect(answers[0]).toEqual(answers[1]);
  expect(await readAccountEmail()).toBe(app.user.email);
  await mail.setMode('healthy');
  const [code] = [codeIn(await emailAfter(free, () => ask(laptop, free)))];
  expect(await confirm(laptop, code)).toMatchObject({ status: 200 });
  expect(await readAccountEmail()).toBe(free);
});

test('a change without a mail server is made, and its emails wait for the mail server', async () => {
  const laptop = await signInOwner();
  const to = newEmail();
  const code = codeIn(await emailAfter(to, () => ask(laptop, to)));
  await readUndo();
  await mail.close();
  expect(await confirm(laptop, code)).toMatchObject({ status: 200 });
  await deliver();
  await mail.setMode('healthy');
  const links = await readUndo();
  expect(links).toHaveLength(2);
  expect(await undo(links[1] ?? null)).toMatchObject({ status: 200 });
  expect(await readAccountEmail()).toBe(app.user.email);
  expect(await enterByMailbox(app, app.user.email)).toBe(app.user.uid);
});

test('a request, a change and an undo without a database change nothing, and can be repeated', async () => {
  const laptop = await signInOwner();
  const to = newEmail();
  const withoutRecords = async (call: () => Promise<Answer>) => {
    const bringBack = await takeRecordsAway();
    const answer = await call();
    bringBack();
    return result(answer);
  };
  const away = [503, 'records-unavailable'];
  expect(await withoutRecords(() => ask(laptop, to))).toEqual(away);
  const letter = await emailAfter(to, () => ask(laptop, to));
  expect(await withoutRecords(() => confirm(laptop, codeIn(letter)))).toEqual(away);
  expect(await readAccountEmail()).toBe(app.user.email);
  expect(await confirm(laptop, codeIn(letter))).toMatchObject({ status: 200 });
  const [link = null] = await readUndo();
  expect(await withoutRecords(() => undo(link))).toEqual(away);
  expect(await readAccountEmail()).toBe(to);
  expect(await undo(link)).toMatchObject({ status: 200 });
  expect(await readAccountEmail()).toBe(app.user.email);
  expect((await mailsTo(mailbox, to, 0)).filter(({ text }) => /^[0-9A-Z]{6}$/m.test(text))).toHaveLength(1);
});
