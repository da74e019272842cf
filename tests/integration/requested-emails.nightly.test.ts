// Threats: enumeration, dependency-failure, requested-emails-read
import { randomUUID } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { isNull } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { connectErrorSink } from '@/lib/shared/error-reporting/report';
import { ApiProblem } from '@/lib/shared/problem';
import {
  requestedEmailJobs,
  insertRequestedEmail,
  sendBehindResponse,
  storeOrder,
} from '@/lib/server/accounts/email-queue';
import { startBackgroundWork } from '@/lib/server/launch/background';
import { getSealingKeys } from '@/lib/server/runtime/keys';
import { env } from '@/lib/server/runtime/config/env';
import { seal } from '@/lib/server/codes/token';
import type { RequestedEmail } from '@/lib/server/accounts/requested-email';
import { getOwnBrand } from '@/lib/server/notifications/email';
import { drainBehindResponses } from '@/lib/server/http/behind-response';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { readMetrics } from '@/lib/server/runtime/observability/metrics';
import { LIMITS } from '@/lib/server/storage/rate-limits/table';
import { getRecords, recordFailedRecords, recordUsableRecords } from '@/lib/server/storage/records';
import { RecordsError } from '@/lib/server/storage/records/errors';
import { countWaiting, runJobs } from '@/lib/server/storage/records/jobs';
import { jobs } from '@/lib/server/storage/records/schema';
import { CookieJar } from '../support/client';
import { codeIn, mailsTo, readMailbox } from '../support/mail';
import { takeRecordsAway, takeTableAway } from '../support/records-away';
import { buildRegistration, holdLookups, letLeasesEnd, readRequestedEmails } from '../support/requested-emails';
import { serveSessions } from '../support/session-app';
import { createTestUser, fetchIdToken } from '../support/test-users';

process.env.TRUSTED_PROXY_HOPS = '1';
const app = serveSessions();
let reports: { error: unknown; context: unknown }[] = [];

beforeEach(() => {
  reports = [];
  connectErrorSink((report) => reports.push(report));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await drainBehindResponses();
  await (await getRecords()).query((tx) => tx.delete(jobs).where(isNull(jobs.uid)));
});

const readRows = async () => readRequestedEmails(await getRecords());
const readMails = (email: string, count = 1) => mailsTo({ mailboxUrl: inject('mailboxUrl') }, email, count);
const newEmail = () => `${randomUUID()}@campus.test`;

const buildContext = (flow?: string) => ({
  ...getOwnBrand(),
  callback: undefined,
  ...(flow !== undefined && { flow }),
});

/** Writes a request as a process does that is killed right after its response. */
async function leave(email: RequestedEmail, flow?: string): Promise<void> {
  const order = { id: randomUUID(), at: Date.now(), email, context: buildContext(flow) };
  expect(await storeOrder(order)).not.toBeNull();
}

/** Sends one as a process does that goes on. */
async function send(email: RequestedEmail, flow?: string): Promise<void> {
  const res = new ServerResponse(new IncomingMessage(new Socket()));
  await sendBehindResponse(res, email, buildContext(flow));
  res.emit('close');
  await drainBehindResponses();
}

/** Works as a process that finds what others have left. */
async function sendLeft(): Promise<void> {
  const records = await getRecords();
  await letLeasesEnd(records);
  await runJobs(records, requestedEmailJobs);
}

/** All emails of an address. One that is sent later has arrived. */
async function readAllMails(email: string) {
  const next = buildRegistration();
  await leave(next);
  await sendLeft();
  await readMails(next.pending.email);
  return readMailbox({ mailboxUrl: inject('mailboxUrl') }, email);
}

const PASSWORD = 'quiet-lantern-42';
test('no response is sent before the row is written', async () => {
  const records = await getRecords();
  const query = records.query.bind(records);
  let write = () => {};
  const held = new Promise<void>((resolve) => (write = resolve));
  const writes = vi.spyOn(records, 'query').mockImplementationOnce(async (work) => {
    await held;
    return query(work);
  });
  const answered = vi.fn();
  const call = new CookieJar().post(`${app.origin}/api/password-reset`, { email: app.user.email }).then(answered);
  await expect.poll(() => writes.mock.calls.length).toBe(1);
  // A response that does not wait for the write comes within these turns.
  await new CookieJar().post(`${app.origin}/api/check-auth-status`);
  expect(answered).not.toHaveBeenCalled();
  write();
  await call;
  expect(answered).toHaveBeenCalledTimes(1);
});

test('without its database the app promises no email, and sends none', async () => {
  const bringBack = await takeRecordsAway();
  for (const call of ['password-reset', 'sign-in-help'])
    app.expectCode(
      await new CookieJar().post(`${app.origin}/api/${call}`, { email: app.user.email }),
      503,
      'records-unavailable',
    );
  bringBack();
  expect(await readAllMails(app.user.email)).toEqual([]);
});

test('a database that is known to be away leaves what a mailbox may get', async () => {
  const email = newEmail();
  const ask = () => new CookieJar().post(`${app.origin}/api/sign-in-help`, { email });
  recordFailedRecords(new RecordsError('CONNECTION'), 'a test');
  for (let calls = 0; calls < LIMITS['email-to-address'].points; calls += 1)
    app.expectCode(await ask(), 503, 'records-unavailable');
  recordUsableRecords();
  expect((await ask()).status).toBe(200);
});

test('a client network that asks for many emails neither delays nor refuses those of others', async () => {
  const { release, lookups } = holdLookups();
  const ask = (email: string, client: string) =>
    new CookieJar({ 'x-forwarded-for': client }).post(`${app.origin}/api/sign-in-help`, { email });
  const asked = await Promise.all(Array.from({ length: 110 }, () => ask(newEmail(), '198.51.100.7')));
  expect(asked.filter(({ status }) => status === 200)).toHaveLength(100);
  const refused = asked.filter(({ status }) => status !== 200);
  for (const answer of refused) app.expectCode(answer, 429, 'too-many-requests');
  const refusedEmail = newEmail();
  for (let calls = 0; calls < LIMITS['email-to-address'].points; calls += 1)
    expect((await ask(refusedEmail, '198.51.100.7')).status).toBe(429);
  // The eight that run; on a busy machine the time of the first ones is over, and the next have begun.
  await expect.poll(() => lookups.length).toBeGreaterThanOrEqual(8);
  const begun = lookups.length;
  const email = newEmail();
  expect((await ask(email, '203.0.113.7')).status).toBe(200);
  release();
  await drainBehindResponses();
  await expect.poll(() => new Set(lookups).size).toBe(101);
  // Two turns, and as many as can begin before it is handed over.
  expect(lookups.indexOf(email)).toBeLessThan(begun + 10);
  // What was refused has used nothing up of the mailbox.
  expect((await ask(refusedEmail, '198.51.100.7')).status).toBe(200);
});

describe('an email that a killed process has left', () => {
  test('is sent by one of two others, when the lease has ended', async () => {
    await leave({ kind: 'reset', email: app.user.email, code: 'ABC234' });
    await runJobs(await getRecords(), requestedEmailJobs);
    expect(await readRows()).toHaveLength(1);
    await letLeasesEnd(await getRecords());
    await Promise.all([
      runJobs(await getRecords(), requestedEmailJobs),
      runJobs(await getRecords(), requestedEmailJobs),
    ]);
    expect(await readRows()).toEqual([]);
    expect(await readMails(app.user.email)).toHaveLength(1);
  });

  test('is tried again after a failure, which is reported without the address', async () => {
    await leave({ kind: 'reset', email: app.user.email, code: 'ABC234' });
    const lookup = vi.spyOn(getIdentityAdmin(), 'getUserByEmail').mockRejectedValue(new Error('out of order'));
    await sendLeft();
    expect(reports).toHaveLength(1);
    expect(JSON.stringify(reports)).not.toContain(app.user.email);
    expect(await readRows()).toMatchObject([{ attempts: 1 }]);
    lookup.mockRestore();
    await sendLeft();
    expect(await readRows()).toEqual([]);
    expect(await readMails(app.user.email)).toHaveLength(1);
  });

  test('is not begun by another process while the first still works on it, however long that takes', async () => {
    const { release, lookups } = holdLookups();
    const records = await getRecords();
    await leave({ kind: 'reset', email: app.user.email, code: 'ABC234' });
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const first = sendLeft();
    await expect.poll(() => lookups.length).toBe(1);
    await letLeasesEnd(records);
    await vi.advanceTimersByTimeAsync(20_000);
    vi.useRealTimers();
    await expect.poll(() => countWaiting(records, [requestedEmailJobs])).toBe(0);
    await runJobs(records, requestedEmailJobs);
    expect(lookups).toHaveLength(1);
    release();
    await first;
    expect(await readRows()).toEqual([]);
    expect(await readMails(app.user.email)).toHaveLength(1);
  });

  test('is postponed after a failure without a cause', async () => {
    await leave({ kind: 'reset', email: app.user.email, code: 'ABC234' });
    const lookup = vi.spyOn(getIdentityAdmin(), 'getUserByEmail');
    lookup.mockRejectedValue(new ApiProblem('provider-unavailable'));
    await sendLeft();
    expect(await countWaiting(await getRecords(), [requestedEmailJobs])).toBe(0);
    expect(await readRows()).toMatchObject([{ attempts: 1 }]);
    lookup.mockRestore();
    await sendLeft();
    expect(await readMails(app.user.email)).toHaveLength(1);
  });

  test('is not sent after a later code of its flow, which alone works', async () => {
    const records = await getRecords();
    for (const code of ['ABC234', 'DEF567'])
      await leave({ kind: 'reset', email: app.user.email, code }, 'one-flow-0001');
    const [, later] = await readRows();
    await letLeasesEnd(records, later?.id);
    await runJobs(records, requestedEmailJobs);
    await sendLeft();
    expect(await readRows()).toEqual([]);
    const [mail, ...others] = await readAllMails(app.user.email);
    expect(mail?.text).toContain('DEF567');
    expect(others).toEqual([]);
  });

  test('is not sent once its code has expired, which is reported', async () => {
    const lookup = vi.spyOn(getIdentityAdmin(), 'getUserByEmail');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 16 * 60_000 });
    await leave({ kind: 'reset', email: app.user.email, code: 'ABC234' });
    vi.useRealTimers();
    await sendLeft();
    expect(await readRows()).toEqual([]);
    expect(lookup).not.toHaveBeenCalled();
    expect(reports.map(({ error }) => (error instanceof ApiProblem ? error.code : error))).toEqual(['code-expired']);
  });
});

test('an email that the previous release has left is sent: its order states no time', async () => {
  const records = await getRecords();
  const id = randomUUID();
  const order = JSON.stringify({
    email: { kind: 'reset', email: app.user.email, code: 'ABC234' },
    context: buildContext(),
  });
  const exp = Math.floor(Date.now() / 1000) + 900;
  const keys = getSealingKeys(env().TOKEN_ENCRYPTION_SECRET, 'requested-email');
  const sealed = await seal({ jti: id, mark: '', payload: { order }, exp }, keys);
  await insertRequestedEmail(records, { id, kind: 'reset', sealed });
  await sendLeft();
  expect(await readRows()).toEqual([]);
  expect(await readMails(app.user.email)).toHaveLength(1);
});

test.each(['registration', 'registration-again'])(
  'a %s that the previous release has left is answered by email: there is no account',
  async (kind) => {
    const { pending, code } = buildRegistration();
    const { isRegistration: _, ...former } = pending;
    const account = { uid: pending.uid, name: 'Mia Moreau', email: pending.email, password: PASSWORD };
    await leave({ kind, account, pending: former, code } as unknown as RequestedEmail);
    await sendLeft();
    expect(await readRows()).toEqual([]);
    const subjects = (await readMails(pending.email)).map(({ subject }) => subject);
    expect(subjects).toEqual(["There's no Campus account for this email address"]);
  },
);

test('an email whose attempts fail before the mail server counts as failed, and not as due between two attempts', async () => {
  const readFailed = async () =>
    /^emails_total\{kind="reset",result="failed"\} (\d+)$/m.exec((await readMetrics()).text)?.[1];
  const records = await getRecords();
  const before = Number((await readFailed()) ?? 0);
  await leave({ kind: 'reset', email: app.user.email, code: 'ABC234' });
  const lookup = vi.spyOn(getIdentityAdmin(), 'getUserByEmail').mockRejectedValue(new Error('out of order'));
  await sendLeft();
  await sendLeft();
  expect(Number(await readFailed())).toBe(before + 2);
  expect(await countWaiting(records, [requestedEmailJobs])).toBe(0);
  lookup.mockRestore();
  await sendLeft();
  expect(await readMails(app.user.email)).toHaveLength(1);
});

describe('the code of a registration', () => {
  test('is emailed once, also after a failure', async () => {
    const request = buildRegistration();
    await leave(request);
    const lookup = vi.spyOn(getIdentityAdmin(), 'getUserByEmail').mockRejectedValue(new Error('out of order'));
    await sendLeft();
    lookup.mockRestore();
    await sendLeft();
    expect(await readRows()).toEqual([]);
    expect((await readAllMails(request.pending.email)).map(codeIn)).toEqual([request.code]);
  });

  test('is not emailed late to a learner who has confirmed the registration meanwhile', async () => {
    const user = await createTestUser();
    const { pending, ...request } = buildRegistration(user.email);
    await leave({ ...request, pending: { ...pending, uid: user.uid } });
    await sendLeft();
    expect(await readRows()).toEqual([]);
    expect(await readAllMails(user.email)).toEqual([]);
  });

  test('stays valid when "Resend code" is refused without a database', async () => {
    const { pending, ...registration } = buildRegistration();
    await leave({ ...registration, pending }, 'one-flow-0005');
    const bringBack = await takeRecordsAway();
    const again = send({ kind: 'confirmation', pending, code: 'DEF567' }, 'one-flow-0005');
    await expect(again).rejects.toMatchObject({ code: 'records-unavailable' });
    bringBack();
    expect((await readAllMails(pending.email)).map(codeIn)).toEqual([registration.code]);
  });

  test('is not emailed after that of "Resend code"', async () => {
    const { pending, ...registration } = buildRegistration();
    await leave({ ...registration, pending }, 'one-flow-0003');
    await send({ kind: 'confirmation', pending, code: 'DEF567' }, 'one-flow-0003');
    await sendLeft();
    expect(await readRows()).toEqual([]);
    expect((await readAllMails(pending.email)).map(codeIn)).toEqual(['DEF567']);
  });

  test('is emailed for an unverified account of others, and leaves it as it is', async () => {
    const user = await createTestUser({ emailVerified: false });
    const request = buildRegistration(user.email);
    await send(request);
    expect((await readMails(user.email)).map(codeIn)).toEqual([request.code]);
    expect((await getIdentityAdmin().getUser(user.uid)).emailVerified).toBe(false);
    expect(await fetchIdToken(user)).toEqual(expect.any(String));
  });
});

describe('the confirmation of an account that a sign-in has found unverified', () => {
  const confirm = async (user: { uid: string; email: string }) => {
    const { pending, ...email } = buildRegistration(user.email);
    return send({ ...email, pending: { ...pending, uid: user.uid, isRegistration: false } });
  };

  test('gets a code', async () => {
    const user = await createTestUser({ emailVerified: false });
    await confirm(user);
    expect((await readMails(user.email)).map(codeIn)).toEqual(['ABC234']);
  });

  test.each([
    ['that its owner has verified meanwhile', (uid: string) => ({ uid, emailVerified: true })],
    ['that another one has replaced', () => ({ uid: randomUUID() })],
  ])('gets none for an account %s', async (_, change) => {
    const user = await createTestUser({ emailVerified: false });
    const { uid, ...values } = { emailVerified: false, ...change(user.uid) };
    await getIdentityAdmin().updateUser(user.uid, values);
    await confirm({ ...user, uid });
    expect((await readMails(user.email)).map(({ subject }) => subject)).toEqual(['You already have a Campus account']);
  });
});

test.each([
  ['of a free address', () => Promise.resolve(newEmail())],
  ['of a taken one', async () => (await createTestUser()).email],
])('registrations at the same time %s say at most once that it is taken', async (_, getEmail) => {
  const email = await getEmail();
  const { release, lookups } = holdLookups();
  const register = () =>
    new CookieJar().post(`${app.origin}/api/registration`, { name: 'Mia Moreau', email, password: PASSWORD });
  const answers = await Promise.all(Array.from({ length: 5 }, register));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  await expect.poll(() => lookups.length).toBeGreaterThan(0);
  release();
  await drainBehindResponses();
  const subjects = (await readMails(email)).map(({ subject }) => subject);
  expect(subjects.filter((subject) => subject === 'You already have a Campus account').length).toBeLessThanOrEqual(1);
});

test('registrations of one address from many networks leave the code of each valid, until one has created the account', async () => {
  const email = newEmail();
  const jars = Array.from({ length: 4 }, (_, network) => new CookieJar({ 'x-forwarded-for': `203.0.113.${network}` }));
  const codes: string[] = [];
  for (const [count, jar] of jars.entries()) {
    const values = { name: 'Mia Moreau', email, password: `${PASSWORD}-${count}` };
    expect((await jar.post(`${app.origin}/api/registration`, values)).status).toBe(200);
    codes.push(codeIn((await readMails(email, count + 1)).at(-1) ?? { text: '' }));
  }
  const [, , owner] = jars;
  const confirm = (at: number) => jars[at]?.post(`${app.origin}/api/registration/confirm`, { code: codes[at] });
  expect(owner).toBeDefined();
  expect(await confirm(2)).toMatchObject({ status: 200 });
  for (const at of [0, 1, 3]) expect(await confirm(at)).toMatchObject({ status: 409, body: { code: 'email-taken' } });
  expect(await fetchIdToken({ email, password: `${PASSWORD}-2` })).toEqual(expect.any(String));
});

test('emails that no process has taken are a metric, also while work fails: those of a newer version stay', async () => {
  const records = await getRecords();
  await takeTableAway('devices');
  await insertRequestedEmail(records, { id: randomUUID(), kind: 'of-a-newer-version', sealed: 'sealed' });
  expect(await countWaiting(records, [requestedEmailJobs])).toBe(0);
  await letLeasesEnd(records);
  startBackgroundWork();
  await expect.poll(async () => (await readMetrics()).text).toMatch(/^requested_emails_due 1$/m);
});
