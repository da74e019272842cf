// Threats: operator-token-abused
import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { afterEach, expect, test, vi } from 'vitest';
import { getRecords } from '@/lib/server/storage/records';
import { insertEvent } from '@/lib/server/storage/records/events';
import { LIMITS } from '@/lib/server/storage/rate-limits/table';
import type { SupportAccount } from '@/lib/shared/support/desk';
import { createOperator, createOperatorsFile } from '../support/operators';
import { serveSessions } from '../support/session-app';
import { createTestUser, fetchIdToken } from '../support/test-users';

const { file, write: writeOperators } = createOperatorsFile();
const operators = { ada: createOperator('ada', ['read', 'unlock']), mute: createOperator('mute', ['unlock']) };
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

test('no one in the network of operators can lock them out', async () => {
  const uid = randomUUID();
  const fill = Array.from({ length: LIMITS.admin.points }, () => lookUp({ uid }, 'wrong'));
  await Promise.all(fill);
  expect((await lookUp({ uid }, 'wrong')).status).toBe(429);
  expect((await lookUp({ uid })).status).toBe(200);
  expect((await lookUp({ uid }, 'token-of-mute')).status).toBe(403);
});
