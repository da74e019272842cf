// Threats: dependency-failure, email-change-abused
import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeEach, expect, inject, test, vi } from 'vitest';
import { findById } from '@/lib/server/identity/find';
import { emailChangeJobs } from '@/lib/server/accounts/email-change';
import { getRecords } from '@/lib/server/storage/records';
import { runJobs } from '@/lib/server/storage/records/jobs';
import { listPasskeys } from '@/lib/server/storage/records/passkeys';
import { passkeys } from '@/lib/server/storage/records/schema';
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

/** Changes of the email. Each is prepared, and made by the returned function. */
const WAYS: Record<string, (laptop: CookieJar, to: string) => Promise<() => Promise<Answer>>> = {
  'by a code': async (laptop, to) => {
    const code = codeIn(await emailAfter(to, () => ask(laptop, to)));
    return () => confirm(laptop, code);
  },
  'to the recovery email': async (laptop, to) => {
    const mail = await emailAfter(to, () => app.call(laptop, 'account/email', { email: to, use: 'recovery' }));
    expect((await confirm(laptop, codeIn(mail))).status).toBe(200);
    return () => app.call(laptop, 'account/recovery-email', { change: 'use' });
  },
};
const cases = Object.keys(WAYS).flatMap((way) => [true, false].map((isMade) => [way, isMade] as const));

test.each(cases)(
  'a change %s is finished if the database goes away, once the provider has made it: %s',
  async (way, isMade) => {
    const laptop = await signInOwner();
    const to = newEmail();
    const { uid, email } = app.user;
    const run = (await WAYS[way]?.(laptop, to)) ?? expect.unreachable(way);
    const records = await getRecords();
    const row = {
      ...{ id: randomUUID(), uid, credentialId: randomUUID(), publicKey: 'key', algorithm: -7, counter: 0 },
      ...{ transports: [], aaguid: randomUUID(), backupEligible: true, backedUp: true, userVerified: true },
      ...{ rpId: 'localhost', email, name: null, source: 'settings' as const, createdAt: new Date() },
    };
    await records.transact((tx) => tx.insert(passkeys).values(row));
    await deliver();
    const real = globalThis.fetch;
    let bringBack: (() => void) | null = null;
    const spy = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      const isUpdate = (input instanceof Request ? input.url : String(input)).includes('accounts:update');
      if (!isUpdate) return real(input, init);
      bringBack ??= await takeRecordsAway();
      if (!isMade) throw new TypeError('The connection was closed');
      return real(input, init);
    });
    const answer = await run();
    spy.mockRestore();
    (bringBack as (() => void) | null)?.();
    expect(answer.status).toBe(503);
    expect(await app.kinds()).not.toContain('email-changed');

    for (let round = 0; round < 2; round += 1) {
      await records.transact((tx) => tx.execute(sql`update jobs set due_at = now() where uid = ${uid}`));
      await runJobs(records, emailChangeJobs);
      await deliver();
    }
    const present = isMade ? to : email;
    expect(await readAccountEmail()).toBe(present);
    const { passkeys: own } = await listPasskeys(records, uid);
    expect(own.map((passkey) => passkey.email)).toEqual([present]);
    expect((await app.kinds()).filter((kind) => kind === 'email-changed')).toHaveLength(isMade ? 1 : 0);
    const count = async (of: string, title: string) =>
      (await mailsTo(mailbox, of, 0)).filter(({ subject }) => subject === title).length;
    expect(await count(email, 'The email address of your Campus account was changed')).toBe(isMade ? 1 : 0);
    expect(await count(to, 'Your Campus account has this email address now')).toBe(isMade ? 1 : 0);
  },
);
