// Threats: dependency-failure
import { eq } from 'drizzle-orm';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { drainBehindResponses } from '@/lib/server/http';
import { getOwnBrand } from '@/lib/server/notifications';
import { emailJobs } from '@/lib/server/notifications/outbox/send-due';
import { notifyOwner } from '@/lib/server/session/prove-mailbox';
import { getRecords } from '@/lib/server/storage/records';
import { RecordsError } from '@/lib/server/storage/records/errors';
import { jobs } from '@/lib/server/storage/records/schema';
import { runJobs } from '@/lib/server/storage/records/jobs';
import { makeGate } from '../../scripts/lib/gate.mjs';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { callProvider } from '../support/accounts-client';
import { CookieJar } from '../support/client';
import { letPass } from '../support/deletions';
import { codeIn, mailsBesidesAlerts, mailsTo, readMailbox } from '../support/mail';
import { serveRoutes, type RunningRoutes } from '../support/routes';
import { createTestUser, fetchIdToken, type TestUser } from '../support/test-users';

let app: RunningRoutes;
let line: ReturnType<typeof makeGate>;
beforeAll(async () => {
  const [port = 0] = await freePorts(1);
  line = makeGate({ port, target: Number(new URL(process.env.SMTP_URL ?? '').port) });
  await line.open();
  process.env.SMTP_URL = `smtp://127.0.0.1:${port}`;
});
beforeAll(async () => {
  app = await serveRoutes();
});
afterAll(async () => {
  await app.close();
  await line.close();
});

const mailbox = { mailboxUrl: inject('mailboxUrl') };

/** Makes a change while the mail server is away. @returns the emails to its owner after the server's return */
async function changeInOutage({ uid, email }: TestUser, change: () => Promise<{ status: number }>) {
  await line.close();
  expect((await change()).status).toBe(200);
  const records = await getRecords();
  await runJobs(records, emailJobs);
  const read = await readMailbox(mailbox, email);
  expect(read.filter(({ subject }) => !subject.startsWith('New sign-in'))).toEqual([]);
  await line.open();
  await letPass(records, uid, '1 minute');
  await runJobs(records, emailJobs);
  return (await mailsBesidesAlerts(mailbox, email)).map(({ subject }) => subject);
}

test('the owner is told of a new password once the mail server is back', async () => {
  const user = await createTestUser();
  const browser = new CookieJar();
  const token = await fetchIdToken(user);
  expect((await browser.post(`${app.origin}/api/create-user-session`, { token })).status).toBe(200);
  const passwords = { current: user.password, password: 'quiet-lantern-42' };
  const told = await changeInOutage(user, () => browser.post(`${app.origin}/api/account/password`, passwords));
  expect(told).toEqual(['Your Campus password was changed']);
});

test('the first email is told of another one once the mail server is back', async () => {
  const user = await createTestUser();
  const email = `${randomUUID()}@campus.test`;
  const emulator = { emulatorHost: inject('emulatorHost'), projectId: 'demo-campus' };
  await callProvider(emulator, 'accounts:update', { idToken: await fetchIdToken(user), email });
  const browser = new CookieJar();
  const token = await fetchIdToken({ ...user, email });
  expect((await browser.post(`${app.origin}/api/email-confirmation`, { token })).status).toBe(200);
  const code = codeIn((await mailsTo(mailbox, email)).at(-1) ?? { text: '' });
  const told = await changeInOutage(user, () => browser.post(`${app.origin}/api/registration/confirm`, { code }));
  expect(told).toEqual(['The email address of your Campus account was changed']);
});

test.each([1, 2])(
  'the owner is told once of a change whose COMMIT is not answered, with %i of two writes failing',
  async (failing) => {
    const { uid, email } = await createTestUser();
    const records = await getRecords();
    const prompt = { ...records };
    const away = new RecordsError('CONNECTION');
    const lossy = vi.spyOn(records, 'transact').mockImplementationOnce(async (work) => {
      await prompt.transact(work);
      throw away;
    });
    if (failing === 2) lossy.mockRejectedValueOnce(away);
    const user = { uid, email } as Parameters<typeof notifyOwner>[0];
    await notifyOwner(user, { notice: 'password-changed', keep: [], remove: [] }, getOwnBrand());
    lossy.mockRestore();
    const written = await records.transact((tx) => tx.select().from(jobs).where(eq(jobs.uid, uid)));
    await runJobs(records, emailJobs);
    const mails = await mailsTo(mailbox, email);
    expect(mails.map(({ headers }) => headers['message-id'])).toEqual(written.map(({ id }) => `<${id}@localhost>`));
  },
);

test('the owner is told once of a change that a slow database writes late', async () => {
  const { uid, email } = await createTestUser();
  const records = await getRecords();
  const prompt = { ...records };
  let answer = () => {};
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const slow = vi.spyOn(records, 'transact').mockImplementation((work) => answered.then(() => prompt.transact(work)));
  const user = { uid, email } as Parameters<typeof notifyOwner>[0];
  await notifyOwner(user, { notice: 'password-changed', keep: [], remove: [] }, getOwnBrand());
  answer();
  await Promise.all(slow.mock.results.map(({ value }) => value as Promise<unknown>));
  slow.mockRestore();
  await drainBehindResponses();
  await runJobs(records, emailJobs);
  const subjects = (await mailsTo(mailbox, email)).map(({ subject }) => subject);
  expect(subjects).toEqual(['Your Campus password was changed']);
});
