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
import { digest, getSealingKeys } from '@/lib/server/runtime/keys';
import { env } from '@/lib/server/runtime/config/env';
import { seal } from '@/lib/server/codes/token';
import type { RequestedEmail } from '@/lib/server/accounts/requested-email';
import { getOwnBrand } from '@/lib/server/notifications/email';
import { drainBehindResponses } from '@/lib/server/http/behind-response';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { findById } from '@/lib/server/identity/find';
import { PROVED_ADDRESS_CLAIM, UNPROVED_REGISTRATION_CLAIM } from '@/lib/server/policy/account';
import { readMetrics } from '@/lib/server/runtime/observability/metrics';
import { LIMITS } from '@/lib/server/storage/rate-limits/table';
import { getRecords, recordFailedRecords, recordUsableRecords } from '@/lib/server/storage/records';
import { RecordsError } from '@/lib/server/storage/records/errors';
import { exportEvents } from '@/lib/server/storage/records/events';
import { countWaiting, runJobs } from '@/lib/server/storage/records/jobs';
import { jobs } from '@/lib/server/storage/records/schema';
import { breakLocks, endLock, takeLock } from '../support/account-lock';
import { CookieJar } from '../support/client';
import { codeIn, mailsTo, readMailbox } from '../support/mail';
import { oobCodeIn } from '../support/recovery';
import { takeRecordsAway, takeTableAway } from '../support/records-away';
import {
  buildRegistration,
  holdLookups,
  letLeasesEnd,
  letTriesPass,
  readRequestedEmails,
} from '../support/requested-emails';
import { serveSessions } from '../support/session-app';
import { createTestUser, fetchIdToken } from '../support/test-users';
import { setProductionLimits } from '../support/time-limits';

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
  // The third registration of an email within a minute would wait beyond its test.
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
  await readMails(next.account.email);
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

describe('a registration that an earlier attempt has begun', () => {
  const failDelivery = async (request: RequestedEmail) => {
    await leave(request);
    const create = vi.spyOn(getIdentityAdmin(), 'createUser').mockRejectedValue(new Error('out of order'));
    await sendLeft();
    create.mockRestore();
  };

  test('neither deletes nor emails an account that its owner has confirmed meanwhile', async () => {
    const request = buildRegistration();
    await failDelivery(request);
    const { uid, name: displayName, email } = request.account;
    await getIdentityAdmin().createUser({ uid, displayName, email, password: PASSWORD, emailVerified: true });
    const customClaims = { [PROVED_ADDRESS_CLAIM]: email };
    await getIdentityAdmin().setCustomUserClaims(uid, customClaims);
    await sendLeft();
    expect(await readRows()).toEqual([]);
    expect(await getIdentityAdmin().getUser(uid)).toMatchObject({ emailVerified: true, customClaims });
    expect(await readAllMails(email)).toEqual([]);
  });

  test.each([
    ['nothing', []],
    ['a provider of another email', ['github.com']],
    ['a provider of its email', ['google.com']],
  ])('marks an account that was left without the mark, with %s linked since', async (_what, linked) => {
    const request = buildRegistration();
    await failDelivery(request);
    const { uid, name: displayName, email } = request.account;
    await getIdentityAdmin().createUser({ uid, displayName, email, password: PASSWORD });
    for (const providerId of linked) {
      const isSame = providerId === 'google.com';
      const providerToLink = { providerId, uid: email, email: isSame ? email : `other-${email}` };
      await getIdentityAdmin().updateUser(uid, { providerToLink, emailVerified: isSame });
    }
    await sendLeft();
    expect(await readRows()).toEqual([]);
    const { customClaims } = await getIdentityAdmin().getUser(uid);
    expect(customClaims).toEqual({ [UNPROVED_REGISTRATION_CLAIM]: true });
    expect((await findById(uid))?.facts.emailVerified).toBe(false);
    expect(await readAllMails(email)).toHaveLength(linked.length === 0 ? 1 : 0);
  });

  test('replaces an account, and finds its own that was created too late', async () => {
    const previous = await createTestUser({ emailVerified: false });
    const request = buildRegistration(previous.email);
    const admin = getIdentityAdmin();
    const createUser = admin.createUser.bind(admin);
    const create = vi.spyOn(admin, 'createUser').mockRejectedValueOnce(new Error('timeout!'));
    create.mockImplementationOnce(async (values) => {
      await createUser(values);
      return createUser(values);
    });
    await leave(request);
    await sendLeft();
    expect(create).toHaveBeenCalledTimes(2);
    expect(await readRows()).toEqual([]);
    const customClaims = { [UNPROVED_REGISTRATION_CLAIM]: true };
    expect(await admin.getUserByEmail(previous.email)).toMatchObject({ uid: request.account.uid, customClaims });
    await expect(admin.getUser(previous.uid)).rejects.toMatchObject({ code: 'auth/user-not-found' });
    const [mail, ...others] = await readMails(previous.email);
    expect(mail?.text).toContain(request.code);
    expect(others).toEqual([]);
  });

  test('is waited for by "Resend code", which never says that there is no account', async () => {
    const { pending, ...registration } = buildRegistration();
    await leave({ ...registration, pending });
    await leave({ kind: 'registration-again', pending, code: 'DEF567' });
    const records = await getRecords();
    const [first, again] = await readRows();
    await letLeasesEnd(records, again?.id);
    await runJobs(records, requestedEmailJobs);
    expect(await readMailbox({ mailboxUrl: inject('mailboxUrl') }, pending.email)).toEqual([]);
    await letLeasesEnd(records, first?.id);
    await runJobs(records, requestedEmailJobs);
    await sendLeft();
    expect(await readRows()).toEqual([]);
    const [one, other] = await readMails(pending.email, 2);
    expect(one?.text).toContain(registration.code);
    expect(other?.text).toContain('DEF567');
    expect(reports).toEqual([]);
  });

  test('keeps its code when "Resend code" is refused without a database', async () => {
    const { pending, ...registration } = buildRegistration();
    await leave({ ...registration, pending }, 'one-flow-0005');
    const bringBack = await takeRecordsAway();
    const again = send({ kind: 'registration-again', pending, code: 'DEF567' }, 'one-flow-0005');
    await expect(again).rejects.toMatchObject({ code: 'records-unavailable' });
    bringBack();
    expect((await readAllMails(pending.email)).map(codeIn)).toEqual([registration.code]);
  });

  test('does not send its code after that of "Resend code"', async () => {
    const { pending, ...registration } = buildRegistration();
    const { uid, name: displayName, email } = registration.account;
    await getIdentityAdmin().createUser({ uid, displayName, email, password: PASSWORD });
    await leave({ ...registration, pending }, 'one-flow-0003');
    await send({ kind: 'registration-again', pending, code: 'DEF567' }, 'one-flow-0003');
    await sendLeft();
    expect(await readRows()).toEqual([]);
    const [mail, ...others] = await readAllMails(email);
    expect(mail?.text).toContain('DEF567');
    expect(others).toEqual([]);
  });

  test('creates its account without an email when "Resend code" has a later one, as after an outage', async () => {
    const { pending, ...registration } = buildRegistration();
    await leave({ ...registration, pending }, 'one-flow-0004');
    await send({ kind: 'registration-again', pending, code: 'DEF567' }, 'one-flow-0004');
    await sendLeft();
    await sendLeft();
    expect(await readRows()).toEqual([]);
    const mails = await readAllMails(pending.email);
    expect(mails.map(codeIn)).toEqual(['DEF567']);
    const records = await getRecords();
    expect((await exportEvents(records, pending.uid)).map(({ kind }) => kind)).toEqual(['registered']);
  });

  test('that another one has replaced is told by "Resend code": its link confirms with a new password', async () => {
    const { uid, email } = await createTestUser({ emailVerified: false });
    await send({ kind: 'registration-again', pending: buildRegistration(email).pending, code: 'DEF567' });
    const [mail] = await readMails(email);
    if (!mail) throw new Error('No email');
    expect(mail.subject).toBe('Confirm your email for Campus');
    const body = { code: oobCodeIn(mail), password: 'another-lantern-7' };
    expect((await new CookieJar().post(`${app.origin}/api/actions/verify-email`, body)).status).toBe(200);
    expect((await getIdentityAdmin().getUser(uid)).emailVerified).toBe(true);
    expect(await fetchIdToken({ email, password: body.password })).toEqual(expect.any(String));
  });

  test('that was given up is told by "Resend code" in its last attempt', async () => {
    const { pending } = buildRegistration();
    await leave({ kind: 'registration-again', pending, code: 'DEF567' });
    await letTriesPass(await getRecords());
    await sendLeft();
    expect(await readRows()).toEqual([]);
    expect((await readMails(pending.email))[0]?.subject).toBe("There's no Campus account for this email address");
    expect(reports).toEqual([]);
  });

  test('is not followed by a late "Resend code" once its owner has confirmed it', async () => {
    const user = await createTestUser();
    const { pending } = buildRegistration(user.email);
    await leave({ kind: 'registration-again', pending: { ...pending, uid: user.uid }, code: 'DEF567' });
    await sendLeft();
    expect(await readRows()).toEqual([]);
    expect(await readAllMails(user.email)).toEqual([]);
  });

  test('keeps the account that it replaces when the lock of that one was lost', async () => {
    const previous = await createTestUser({ emailVerified: false });
    const request = buildRegistration(previous.email);
    const keepLocks = await breakLocks('update');
    await leave(request);
    await sendLeft();
    expect((await getIdentityAdmin().getUserByEmail(previous.email)).uid).toBe(previous.uid);
    await keepLocks();
    await sendLeft();
    expect((await getIdentityAdmin().getUserByEmail(previous.email)).uid).toBe(request.account.uid);
  });

  test('does not replace a later one', async () => {
    const first = buildRegistration();
    const later = buildRegistration(first.account.email);
    await failDelivery(first);
    // The identity provider tells the time of an account in seconds.
    await expect.poll(() => Date.now() % 1000, { interval: 20 }).toBeLessThan(100);
    await leave(later);
    const records = await getRecords();
    await letLeasesEnd(records, (await readRows()).at(-1)?.id);
    await runJobs(records, requestedEmailJobs);
    expect(await readRows()).toHaveLength(1);
    await sendLeft();
    expect(await readRows()).toEqual([]);
    expect((await getIdentityAdmin().getUserByEmail(first.account.email)).uid).toBe(later.account.uid);
    expect(await readMails(first.account.email)).toHaveLength(1);
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

describe('registrations of one address from many networks', () => {
  const register = (
    email: string,
    network: number,
    jar = new CookieJar({ 'x-forwarded-for': `203.0.113.${network}` }),
  ) => jar.post(`${app.origin}/api/registration`, { name: 'Mia Moreau', email, password: PASSWORD });

  /** None waits any more, and the code of the last of `count` emails is the owner's. */
  async function expectLastWorks(email: string, count: number, owner: CookieJar): Promise<void> {
    expect(await readRows()).toEqual([]);
    const mails = await readAllMails(email);
    expect(mails).toHaveLength(count);
    const code = codeIn(mails.at(-1) ?? { text: '' });
    expect((await owner.post(`${app.origin}/api/registration/confirm`, { code })).status).toBe(200);
  }

  test('that overlap make two emails, and that of the newest is the last, and works', async () => {
    const email = newEmail();
    const { release, lookups } = holdLookups();
    const others = await Promise.all(Array.from({ length: 5 }, (_, network) => register(email, network)));
    await expect.poll(() => lookups.length).toBe(1);
    const owner = new CookieJar({ 'x-forwarded-for': '198.51.100.7' });
    const answers = [...others, await register(email, 0, owner)];
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    release();
    await drainBehindResponses();
    // On a slow machine, some have waited for the lock for too long, and are tried again.
    await sendLeft();
    await expectLastWorks(email, 2, owner);
  });

  test('that follow each other make two emails in a minute; then the newest is carried out', async () => {
    const email = newEmail();
    const owner = new CookieJar({ 'x-forwarded-for': '198.51.100.7' });
    for (let network = 0; network < 4; network += 1) {
      await register(email, network);
      await drainBehindResponses();
    }
    await register(email, 0, owner);
    await drainBehindResponses();
    expect(await readAllMails(email)).toHaveLength(2);
    await sendLeft();
    expect(await readRows()).toHaveLength(1);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
    await sendLeft();
    vi.useRealTimers();
    await expectLastWorks(email, 3, owner);
  });

  test('that wait for their turn are waited for by "Resend code"', async () => {
    const email = newEmail();
    for (let network = 0; network < 2; network += 1) {
      await register(email, network);
      await drainBehindResponses();
    }
    const owner = new CookieJar({ 'x-forwarded-for': '198.51.100.7' });
    await register(email, 0, owner);
    await drainBehindResponses();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
    expect((await owner.post(`${app.origin}/api/registration/resend`)).status).toBe(200);
    await drainBehindResponses();
    expect(await readRows()).toHaveLength(2);
    expect(await readMails(email, 2)).toHaveLength(2);
    await sendLeft();
    await sendLeft();
    vi.useRealTimers();
    await expectLastWorks(email, 3, owner);
  });

  test('of which another process carries out one for long wait, but for those that were overtaken: no outage', async () => {
    const email = newEmail();
    const lock = `registering:${digest(email)}`;
    await takeLock(lock);
    const newest = { ...buildRegistration(email), code: 'DEF567' };
    for (const each of [buildRegistration(email), newest]) await leave(each);
    const restoreLimits = setProductionLimits();
    await sendLeft();
    restoreLimits();
    expect(await readRows()).toMatchObject([{ attempts: 1 }]);
    expect(reports).toEqual([]);
    await endLock(lock);
    await sendLeft();
    expect(await readRows()).toEqual([]);
    expect((await readMails(email)).map(codeIn)).toEqual(['DEF567']);
  });
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
