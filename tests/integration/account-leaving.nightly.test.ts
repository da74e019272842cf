// ASVS: 7.5.1
// Threats: forced-deletion
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { inspectDeletionLink } from '@/lib/server/accounts';
import { providerCalls } from '@/lib/server/accounts/deletion/deletion';
import { getRecords } from '@/lib/server/storage/records';
import { hasAccountRecords } from '@/lib/server/storage/records/events';
import { env } from '@/lib/server/runtime/config/env';
import { processWide } from '@/lib/server/runtime/process';
import type { Records } from '@/lib/server/storage/records/engines';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { createAccountsClient } from '../support/accounts-client';
import { nextSecond, openSession, post } from '../support/client';
import { letPass, schedule, work } from '../support/deletions';
import { linksIn, mailsTo } from '../support/mail';
import { interceptChanges, unavailable } from '../support/provider-changes';
import { serveRoutes, type RunningRoutes } from '../support/routes';
import { createTestUser, fetchIdToken, type TestUser } from '../support/test-users';
import { startWebhookReceiver, WEBHOOK_SECRET } from '../support/webhook-receiver';

const mailbox = { mailboxUrl: inject('mailboxUrl') };
const provider = createAccountsClient({ emulatorHost: inject('emulatorHost'), projectId: 'demo-campus' });
let app: RunningRoutes;
let receiver: Awaited<ReturnType<typeof startWebhookReceiver>>;

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  Object.assign(process.env, { WEBHOOK_URL: receiver.url, WEBHOOK_SECRET });
});
beforeAll(async () => {
  app = await serveRoutes();
});
afterAll(async () => {
  await app.close();
  await receiver.stop();
});

/** Each user has one browser. */
const device = `device=${'d'.repeat(43)}`;
const open = (token: string) => openSession(app.origin, token, { cookie: device });

async function signedIn() {
  const user = await createTestUser();
  const token = await fetchIdToken(user);
  return { user, token, cookie: await open(token) };
}

const call = (route: string, cookie: string, body?: object) =>
  post(app.origin + route, { body, headers: { cookie: `_secure-user-session=${cookie}; ${device}` } });
/** Returns the emails about the deletion. A second sign-in comes from a new browser, so it is announced, too. */
const mailsAbout = async ({ email }: TestUser, count: number) => {
  const read = async () =>
    (await mailsTo(mailbox, email, 0)).filter(({ subject }) => !subject.startsWith('New sign-in'));
  await expect.poll(async () => (await read()).length).toBeGreaterThanOrEqual(count);
  return read();
};
const getCode = async (user: TestUser, count: number) => {
  const [link = ''] = linksIn((await mailsAbout(user, count)).at(-1) ?? { text: '' });
  expect(new URL(link).searchParams.get('mode')).toBe('keepAccount');
  return new URL(link).searchParams.get('oobCode') ?? '';
};
const getSession = ({ cookies }: Awaited<ReturnType<typeof post>>) => cookies['_secure-user-session']?.value ?? '';
const keepByLink = (code: string) => post(`${app.origin}/api/actions/keep-account`, { body: { code } });
const readKinds = async (cookie: string) => {
  const { body } = await call('/api/account/activity', cookie, { before: null });
  return ((body?.events ?? []) as { kind: string }[]).map(({ kind }) => kind);
};

test('all data of the account is a file for its owner, without the password hash', async () => {
  const { user, token, cookie } = await signedIn();
  await expect.poll(() => readKinds(cookie)).toEqual(['signed-in']);
  const answer = await call('/api/account/data', cookie, { token });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-disposition')).toMatch(
    /^attachment; filename="account-data-\d{4}-\d\d-\d\d\.json"$/,
  );
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.body).toMatchObject({
    account: { accountId: user.uid, email: user.email, signInMethods: [{ method: 'password' }] },
    records: {
      account: [{ uid: user.uid }],
      events: [{ kind: 'signed-in' }],
      deletion: [],
      notices: [{ kind: 'new-sign-in' }],
    },
  });
  expect(JSON.stringify(answer.body)).not.toMatch(/hash|salt/i);
  await expect.poll(() => readKinds(cookie)).toEqual(['data-downloaded', 'signed-in']);
});

test.each(['data', 'delete'])('a stolen session cannot call %s: the proof must be of this account', async (name) => {
  const { user, cookie } = await signedIn();
  const stranger = await createTestUser();
  const other = await call(`/api/account/${name}`, cookie, { token: await fetchIdToken(stranger) });
  expect([other.status, other.body?.code]).toEqual([403, 'recent-login-required']);
  expect((await call(`/api/account/${name}`, cookie, { token: 'forged' })).body?.code).toBe('token-invalid');
  expect((await call(`/api/account/${name}`, cookie, {})).status).toBe(400);
  expect((await post(`${app.origin}/api/account/${name}`, { body: { token: await fetchIdToken(user) } })).status).toBe(
    401,
  );
  await work(await getRecords());
  await expect(mailsAbout(user, 0)).resolves.toEqual([]);
});

test('a request ends all sessions and emails a link; two at once are one', async () => {
  const { user, token, cookie } = await signedIn();
  const other = await openSession(app.origin, await fetchIdToken(user));
  const answers = await Promise.all([1, 2].map(() => call('/api/account/delete', cookie, { token })));
  const [first] = answers;
  expect(answers.map(({ status }) => status)).toContain(200);
  // This browser continues in a new session, in which its owner can still keep the account.
  expect(answers.filter(({ cookies }) => cookies['_secure-user-session']?.value)).not.toEqual([]);
  const days =
    (Date.parse(String(first?.body?.effectiveAt ?? answers[1]?.body?.effectiveAt)) - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(6.99);
  expect(days).toBeLessThan(7.01);
  for (const session of [cookie, other]) expect((await call('/api/check-auth-status', session)).status).toBe(401);
  await work(await getRecords());
  const mails = await mailsAbout(user, 1);
  expect(mails.map(({ subject }) => subject)).toEqual([
    expect.stringMatching(/^Your Campus account will be deleted on \w+ \d+, \d{4}$/),
  ]);
});

/** The identity provider accepts no changes in the meantime, so no session can be ended. */
async function requestDuringOutage({ cookie, token }: { cookie: string; token: string }) {
  const changes = interceptChanges(() => Promise.resolve(unavailable()));
  const requested = await call('/api/account/delete', cookie, { token });
  changes.mockRestore();
  return requested;
}

test('until a request has ended the sessions, none keeps the account; the link of the email ends them first', async () => {
  const { user, token, cookie } = await signedIn();
  const expectRefused = async (session: string) => {
    const refused = await call('/api/account/keep', session);
    expect([refused.status, refused.body?.code]).toEqual([503, 'provider-unavailable']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  };
  expect((await requestDuringOutage({ cookie, token })).status).toBe(200);
  await expectRefused(cookie);
  await nextSecond();
  await expectRefused(await open(await fetchIdToken(user)));
  await work(await getRecords());
  const code = await getCode(user, 1);
  const changes = interceptChanges(() => Promise.resolve(unavailable()));
  expect((await keepByLink(code)).status).toBe(503);
  changes.mockRestore();
  const ends = vi.spyOn(providerCalls, 'endSessions');
  const presses = await Promise.all(Array.from({ length: 6 }, () => keepByLink(code)));
  expect(presses.map(({ status }) => status)).toContain(200);
  // Each further press would end sessions that the owner has opened since the previous press. If a second passes, an
  // end makes two calls to the provider.
  expect(ends).toHaveBeenCalledOnce();
  ends.mockRestore();
  expect((await call('/api/check-auth-status', cookie)).status).toBe(401);
  await nextSecond();
  const later = await open(await fetchIdToken(user));
  expect((await readKinds(later)).filter((kind) => kind === 'deletion-cancelled')).toHaveLength(1);
});

test('a request is made although the sessions cannot be ended, which is done later', async () => {
  const { user, token, cookie } = await signedIn();
  const requested = await requestDuringOutage({ cookie, token });
  expect([requested.status, requested.body]).toEqual([200, { effectiveAt: expect.any(String) as string }]);
  expect(requested.cookies['_secure-user-session']?.value).toBe('');
  expect((await call('/api/check-auth-status', cookie)).status).toBe(200);
  const records = await getRecords();
  await records.transact((tx) => tx.execute(sql`update deletions set due_at = now() where uid = ${user.uid}`));
  await work(records);
  expect((await call('/api/check-auth-status', cookie)).status).toBe(401);
});

test('the browser of the request stays signed in, and can keep the account', async () => {
  const { user, token, cookie } = await signedIn();
  const requested = await call('/api/account/delete', cookie, { token });
  const own = getSession(requested);
  expect(own).not.toBe(cookie);
  expect((await call('/api/check-auth-status', own)).status).toBe(200);
  expect(requested.body?.customToken).toEqual(expect.any(String));
  await work(await getRecords());
  expect((await call('/api/check-auth-status', own)).status).toBe(200);
  await nextSecond();
  // Each sign-in reports it in a field of its response, and nowhere else.
  const signIn = async () =>
    post(`${app.origin}/api/create-user-session`, { body: { token: await fetchIdToken(user) } });
  const told = await signIn();
  expect([told.status, told.body?.deletionAt]).toEqual([200, requested.body?.effectiveAt]);
  expect((await call('/api/check-auth-status', getSession(told))).status).toBe(200);
  expect((await call('/api/account/keep', own)).status).toBe(200);
  expect((await signIn()).body).not.toHaveProperty('deletionAt');
});

test('the first password of a legacy account says so with its session', async () => {
  const user = await createTestUser();
  const { effectiveAt } = await schedule(await getRecords(), user);
  await provider.markLegacy(user);
  const { NEXT_PUBLIC_ROLLOUT_MODE } = env();
  Object.assign(env(), { NEXT_PUBLIC_ROLLOUT_MODE: 'V3FirstLogin' });
  try {
    const body = { token: await fetchIdToken(user), password: 'quiet-lantern-42' };
    const set = await post(`${app.origin}/api/account/first-password`, { body });
    expect(set.body).toEqual({ signedIn: true, deletionAt: effectiveAt.toISOString() });
  } finally {
    Object.assign(env(), { NEXT_PUBLIC_ROLLOUT_MODE });
  }
});

test('signing in again does not cancel it; the session that does needs no other proof', async () => {
  const { user, token, cookie } = await signedIn();
  expect((await call('/api/account/delete', cookie, { token })).status).toBe(200);
  await nextSecond();
  const again = await openSession(app.origin, await fetchIdToken(user));
  await work(await getRecords());
  expect((await call('/api/account/keep', again)).status).toBe(200);
  expect((await call('/api/account/keep', again)).status).toBe(200);
  await work(await getRecords());
  const subjects = (await mailsAbout(user, 2)).map(({ subject }) => subject);
  expect(subjects[1]).toBe("Your Campus account won't be deleted");
  expect((await readKinds(again)).filter((kind) => kind.startsWith('deletion-'))).toEqual([
    'deletion-cancelled',
    'deletion-requested',
  ]);
  await letPass(await getRecords(), user.uid, '9 days');
  await work(await getRecords());
  expect(await provider.read(user.uid)).not.toBeNull();
  expect(await mailsAbout(user, 2)).toHaveLength(2);
});

test('the link of the email cancels it once, without a session; forged and used ones do nothing', async () => {
  const { user, token, cookie } = await signedIn();
  expect((await call('/api/account/delete', cookie, { token })).status).toBe(200);
  await work(await getRecords());
  const code = await getCode(user, 1);
  for (const forged of ['x', 'a.b.c.d.e', `${code.slice(0, -4)}AAAA`])
    expect([(await keepByLink(forged)).body?.code, await inspectDeletionLink(forged)]).toEqual([
      'action-code-invalid',
      { state: 'invalid', effectiveAt: null },
    ]);
  const answers = await Promise.all([1, 2, 3].map(() => keepByLink(code)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410]);
  expect(Object.keys(answers[0]?.cookies ?? {})).toEqual([]);
  expect(await inspectDeletionLink(code)).toEqual({ state: 'canceled', effectiveAt: null });
  // The link of the earlier request does not cancel a later request.
  await nextSecond();
  const next = await fetchIdToken(user);
  expect((await call('/api/account/delete', await open(next), { token: next })).status).toBe(200);
  expect((await keepByLink(code)).body?.code).toBe('action-code-invalid');
});

test('after the grace period account, records and sessions are gone, and the platform is told', async () => {
  const { user, token, cookie } = await signedIn();
  expect((await call('/api/account/delete', cookie, { token })).status).toBe(200);
  await nextSecond();
  const session = await openSession(app.origin, await fetchIdToken(user));
  const records = await getRecords();
  await work(records);
  const code = await getCode(user, 1);
  await letPass(records, user.uid, '6 days 1 minute');
  await work(records);
  expect((await mailsAbout(user, 2))[1]?.subject).toMatch(/^Reminder: your Campus account will be deleted on/);
  expect(await provider.read(user.uid)).not.toBeNull();
  await letPass(records, user.uid, '1 day');
  await work(records);
  expect(await provider.read(user.uid)).toBeNull();
  expect((await mailsAbout(user, 3))[2]?.subject).toBe('Your Campus account was deleted');
  expect((await call('/api/check-auth-status', session)).status).toBe(401);
  // A browser that still has the cookie signs out. This creates no records again.
  expect((await call('/api/initiate-logout', session)).status).toBe(200);
  await expect(hasAccountRecords(records, user.uid)).resolves.toBe(false);
  const [webhook, ...more] = receiver.of(user.uid);
  expect(more).toEqual([]);
  expect(JSON.parse(webhook?.body ?? '{}')).toEqual({
    type: 'account.deleted',
    timestamp: expect.any(String) as string,
    data: { uid: user.uid },
  });
  expect((await keepByLink(code)).body?.code).toBe('action-code-invalid');
});

test('while the database is away, every call says 503 with Retry-After, and nothing is changed', async () => {
  const { user, token, cookie } = await signedIn();
  const [port = 0] = await freePorts(1);
  const place = processWide('records', () => ({ opening: null as Promise<Records> | null }));
  const { opening } = place;
  const { DATABASE_URL } = env();
  Object.assign(env(), { DATABASE_URL: `postgres://app@127.0.0.1:${String(port)}/app` });
  place.opening = null;
  try {
    for (const [route, body] of [
      ['data', { token }],
      ['delete', { token }],
      ['keep', undefined],
    ] as const) {
      const answer = await call(`/api/account/${route}`, cookie, body);
      expect([route, answer.status, answer.body?.code]).toEqual([route, 503, 'records-unavailable']);
      expect(answer.headers.get('retry-after')).toBe('5');
    }
    expect((await keepByLink('a.b.c.d.e')).status).toBe(503);
  } finally {
    Object.assign(env(), { DATABASE_URL });
    place.opening = opening;
  }
  expect((await call('/api/check-auth-status', cookie)).status).toBe(200);
  await work(await getRecords());
  expect(await mailsAbout(user, 0)).toEqual([]);
});
