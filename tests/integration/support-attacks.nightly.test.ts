// Threats: operator-token-abused
import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { afterEach, expect, test, vi } from 'vitest';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { getRecords } from '@/lib/server/storage/records';
import { exportEvents, hasAccountRecords, insertEvent } from '@/lib/server/storage/records/events';
import { LIMITS } from '@/lib/server/storage/rate-limits/table';
import { ACCOUNT_ACTIONS, type SupportAccount } from '@/lib/shared/support/desk';
import { createOperator, createOperatorsFile } from '../support/operators';
import { serveSessions } from '../support/session-app';
import { createTestUser, fetchIdToken } from '../support/test-users';

const { file, write: writeOperators } = createOperatorsFile();
const operators = {
  ada: createOperator('ada', ['read', 'unlock']),
  mute: createOperator('mute', ['unlock']),
  bo: createOperator('bo', ACCOUNT_ACTIONS),
  cy: createOperator('cy', ACCOUNT_ACTIONS),
};
writeOperators(operators);
const app = serveSessions();
// Calls of this file until its last test, which uses up the limit.
Object.assign(LIMITS.admin, { points: 200 });
afterEach(() => writeOperators(operators));

type Found = { status: number; code?: string; accounts: SupportAccount[] };

async function lookUp(query: string | Record<string, string>, token = 'token-of-ada'): Promise<Found> {
  const address = `${app.origin}/api/admin/accounts?${new URLSearchParams(query).toString()}`;
  const response = await fetch(address, { headers: { authorization: `Bearer ${token}` } });
  return { status: response.status, ...((await response.json()) as Omit<Found, 'status'>) };
}

test.each([
  ['an id with NUL', 'uid=a%00b'],
  ['a request id with NUL', 'requestId=abcdefgh%00'],
  ['an email with NUL', 'email=mia%00@campus.test'],
  // 65 characters, and 130 units of UTF-16.
  ['an id that the identity provider refuses', `uid=${encodeURIComponent('😀'.repeat(65))}`],
])('a look-up with %s is refused, and no service gets it', async (_, query) => {
  const { status, code } = await lookUp(query);
  expect([status, code]).toEqual([400, 'bad-request']);
});

test.each([
  ['is deleted', () => rmSync(file)],
  ['is not JSON, as after a wrong edit', () => writeFileSync(file, '{ "operators": { }, }')],
  ['has no operators', () => writeFileSync(file, '{}')],
])('no token gives access once the file of operators %s', async (_, change) => {
  const uid = randomUUID();
  await vi.waitUntil(async () => (await lookUp({ uid })).status === 200);
  change();
  await vi.waitUntil(async () => (await lookUp({ uid })).status === 403);
});

test('an intruder cannot push what they changed out of the sight of support', async () => {
  const { uid } = app.user;
  const records = await getRecords();
  await insertEvent(records, { uid, kind: 'password-changed', at: new Date(Date.now() - 60_000) });
  for (let count = 0; count < 105; count += 1) await insertEvent(records, { uid, kind: 'signed-in', at: new Date() });
  const { accounts } = await lookUp({ uid });
  const kinds = accounts[0]?.events.map(({ kind }) => kind) ?? [];
  expect(kinds).toHaveLength(101);
  expect([kinds[0], kinds.at(-1)]).toEqual(['support-viewed', 'password-changed']);
});

test('another learner who reads a support code cannot displace the account that had it first', async () => {
  const code = '8C1D-4E5F';
  const signInAs = async (user: Awaited<ReturnType<typeof createTestUser>>) => {
    const browser = app.newBrowser();
    browser.headers['x-support-code'] = code;
    expect((await app.open(browser, await fetchIdToken(user))).status).toBe(200);
  };
  await signInAs(app.user);
  for (let count = 0; count < 6; count += 1) await signInAs(await createTestUser());
  const { accounts } = await lookUp({ supportCode: code });
  expect(accounts).toHaveLength(5);
  expect(accounts[0]?.uid).toBe(app.user.uid);
});

const ORDER = { reason: 'Ticket 4711' };
async function act(action: string, uid: string, token = 'token-of-bo') {
  const response = await fetch(`${app.origin}/api/admin/accounts/actions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...ORDER, action, uid }),
  });
  const { status } = response;
  return { status, text: await response.text() };
}

test('a token without "read" causes no work that depends on an account', async () => {
  const records = await getRecords();
  const admin = getIdentityAdmin();
  const spies = [
    vi.spyOn(records, 'query'),
    vi.spyOn(records, 'transact'),
    vi.spyOn(admin, 'getUser'),
    vi.spyOn(admin, 'getUserByEmail'),
  ];
  const countWork = () => spies.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  await app.signIn(app.newBrowser());
  await vi.waitUntil(async () => (await app.kinds()).includes('signed-in'));
  const before = countWork();
  const lookUps: Record<string, string>[] = [
    { email: app.user.email },
    { email: `${randomUUID()}@campus.test` },
    { uid: app.user.uid },
    { uid: randomUUID() },
  ];
  for (const query of lookUps) {
    expect((await lookUp(query, 'token-of-mute')).status).toBe(403);
    expect((await lookUp(query, 'wrong')).status).toBe(403);
  }
  for (const uid of [app.user.uid, randomUUID()]) expect((await act('disable', uid, 'token-of-mute')).status).toBe(403);
  expect(countWork()).toBe(before);
  // The same call of another operator is counted, so the spies see the work.
  await lookUp({ uid: app.user.uid });
  expect(countWork()).toBeGreaterThan(before);
  for (const spy of spies) spy.mockRestore();
});

test('a refused action is a look, which its owner can read', async () => {
  const { uid } = app.user;
  expect((await act('unlock', uid, 'token-of-mute')).status).toBe(409);
  const events = await exportEvents(await getRecords(), uid);
  expect(events).toMatchObject([{ kind: 'support-viewed', operator: 'mute', ...ORDER }]);
});

const GONE = [404, 409];
test.each([
  ['disable', 'enable', [200, 409]],
  ['sign-out', 'delete', [200, ...GONE]],
  ['unlock', 'delete', GONE],
  ['export', 'delete', [200, ...GONE]],
  ['send-reset', 'delete', [200, ...GONE]],
  ['delete', 'delete', GONE],
])('of %s and %s at once, each is done or refused', async (first, second, ofFirst) => {
  await app.signIn(app.newBrowser());
  const { uid } = app.user;
  const [one, two] = await Promise.all([act(first, uid), act(second, uid, 'token-of-cy')]);
  const statuses = [one.status, two.status];
  if (second !== 'delete') return expect(statuses[0]).toBe(200);
  expect(statuses).toContain(200);
  expect(ofFirst).toContain(first === 'delete' ? Math.max(...statuses) : statuses[0]);
  expect(await hasAccountRecords(await getRecords(), uid)).toBe(false);
  await expect(getIdentityAdmin().getUser(uid)).rejects.toThrow('no user record');
});

test('of a deletion and its cancellation at once, the deletion wins whole or comes last', async () => {
  const browser = app.newBrowser();
  await app.signIn(browser);
  const { uid } = app.user;
  const scheduled = await app.call(browser, 'account/delete', { token: await fetchIdToken(app.user) });
  expect(scheduled.status).toBe(200);
  const [deleted, kept] = await Promise.all([act('delete', uid), act('cancel-deletion', uid, 'token-of-cy')]);
  expect(deleted.status).toBe(200);
  expect([200, ...GONE]).toContain(kept.status);
  expect(await hasAccountRecords(await getRecords(), uid)).toBe(false);
  await expect(getIdentityAdmin().getUser(uid)).rejects.toThrow('no user record');
});

test('no one in the network of operators can lock them out', async () => {
  const uid = randomUUID();
  const fill = Array.from({ length: LIMITS.admin.points }, () => lookUp({ uid }, 'wrong'));
  await Promise.all(fill);
  expect((await lookUp({ uid }, 'wrong')).status).toBe(429);
  expect((await lookUp({ uid })).status).toBe(200);
  expect((await lookUp({ uid }, 'token-of-mute')).status).toBe(403);
});
