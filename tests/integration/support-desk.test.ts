// Threats: operator-token-abused
import { randomUUID } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { readTables } from '@/lib/server/accounts/data-tables';
import { drainBehindResponses } from '@/lib/server/http';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { env } from '@/lib/server/runtime/config/env';
import { getRecords } from '@/lib/server/storage/records';
import { listEvents } from '@/lib/server/storage/records/events';
import type { lookUpAccounts } from '@/lib/server/support';
import type { SupportAccount } from '@/lib/shared/support/desk';
import { createOperator, createOperatorsFile } from '../support/operators';
import { serveSessions } from '../support/session-app';
import { fetchOrganizationIdToken } from '../support/test-users';

const { file, hash, write: writeOperators } = createOperatorsFile();
const ada = createOperator('ada', ['read']);
const old = createOperator('old', ['read'], '2026-01-01');
writeOperators({ ada, old });

const app = serveSessions();
const REASON = 'Ticket 4711';

async function lookUp(query: Record<string, string>, authorization: string | null = 'Bearer token-of-ada') {
  const headers: Record<string, string> = authorization === null ? {} : { authorization };
  const parameters = new URLSearchParams({ reason: REASON, ...query }).toString();
  const response = await fetch(`${app.origin}/api/admin/accounts?${parameters}`, { headers });
  return {
    status: response.status,
    response,
    body: (await response.json()) as Awaited<ReturnType<typeof lookUpAccounts>>,
  };
}

async function find(query: Record<string, string>): Promise<SupportAccount> {
  const { status, body } = await lookUp(query);
  expect(status).toBe(200);
  const [account] = body.accounts;
  if (!account) throw new Error('Not found');
  return account;
}

const listRules = ({ state }: SupportAccount) => state.map(({ rule }) => rule);

test('support sees why an email did not arrive', async () => {
  expect((await app.call(app.newBrowser(), 'password-reset', { email: app.user.email })).status).toBe(200);
  await drainBehindResponses();
  await vi.waitUntil(async () => (await find({ email: app.user.email.toUpperCase() })).emails.length > 0);
  const { emails } = await find({ email: app.user.email });
  expect(emails).toMatchObject([{ kind: 'reset', result: 'sent', answer: expect.stringMatching(/^250/) as string }]);
});

test('support sees the emails to an address without an account, and no others', async () => {
  const email = `${randomUUID()}@campus.test`;
  expect((await app.call(app.newBrowser(), 'password-reset', { email })).status).toBe(200);
  await drainBehindResponses();
  await vi.waitUntil(async () => (await lookUp({ email })).body.emails.length > 0);
  const { body } = await lookUp({ email: email.toUpperCase() });
  expect(body).toMatchObject({ accounts: [], emails: [{ kind: 'no-account', result: 'sent' }] });
  expect((await lookUp({ email: app.user.email })).body.emails).toEqual([]);
});

test('support sees the rule that refused, the sessions, and why each ended', async () => {
  const browser = app.newBrowser('phone');
  await app.signIn(browser);
  expect((await app.call(browser, 'initiate-logout')).status).toBe(200);
  const { uid } = app.user;
  // Acme may not sign in addresses of this domain.
  const refused = await app.open(app.newBrowser(), await fetchOrganizationIdToken('saml.acme', app.user.email));
  expect(refused.body?.code).toBe('invalid-enterprise-domain');
  await vi.waitUntil(async () => (await app.kinds()).includes('refused'));
  const account = await find({ uid });
  expect(account.events).toContainEqual(
    expect.objectContaining({ kind: 'refused', rule: 'provider-outside-its-domains', method: 'saml.acme' }),
  );
  expect(account.sessions).toMatchObject([{ browser: 'Chrome', system: 'Android', endedBy: 'sign-out' }]);
  const text = JSON.stringify(account);
  for (const secret of ['cookieDigest', 'sealedKey', 'passwordHash', 'disavow', 'token'])
    expect(text).not.toContain(secret);
  expect(text).not.toMatch(/\b127\.0\.0\.1\b/);
});

test('support sees a disabled account, and one whose email is not confirmed', async () => {
  const admin = getIdentityAdmin();
  await admin.updateUser(app.user.uid, { disabled: true, emailVerified: false });
  expect(listRules(await find({ uid: app.user.uid }))).toEqual(['disabled-account', 'unverified-email']);
});

test('support finds the account by the support code of the tab, and by the id of the request', async () => {
  const [laptop, code] = [app.newBrowser(), '8C1D-4E5F'];
  laptop.headers['x-support-code'] = code;
  await app.signIn(laptop);
  const { events } = await find({ uid: app.user.uid });
  const [event] = events.filter(({ kind }) => kind === 'signed-in');
  expect(event).toMatchObject({ supportCode: code, requestId: expect.stringMatching(/^[\w-]{8,64}$/) as string });
  const known: Record<string, string>[] = [{ supportCode: ' 8c1d-4e5f' }, { requestId: event?.requestId ?? '' }];
  for (const query of known) expect((await find(query)).uid).toBe(app.user.uid);
  const unknown: Record<string, string>[] = [
    { supportCode: '0000-0000' },
    { supportCode: 'no-code-at' },
    { requestId: randomUUID() },
  ];
  for (const query of unknown) expect((await lookUp(query)).body).toEqual({ accounts: [], emails: [] });
});

test('the owner sees who looked and why in the data download, but not in the activity', async () => {
  const { uid } = app.user;
  await find({ uid });
  const records = await getRecords();
  const { events } = await records.transact((tx) => readTables(tx, uid));
  expect(events).toContainEqual(expect.objectContaining({ kind: 'support-viewed', operator: 'ada', reason: REASON }));
  expect((await listEvents(records, { uid, now: new Date(), before: null })).events).toEqual([]);
});

test('an unknown account is none, and nothing is recorded about it', async () => {
  const queries: Record<string, string>[] = [{ email: `${randomUUID()}@campus.test` }, { uid: randomUUID() }];
  for (const query of queries) {
    const { status, body } = await lookUp(query);
    expect([status, body]).toEqual([200, { accounts: [], emails: [] }]);
  }
});

test.each([
  ['neither email nor id', {}],
  ['email and id', { email: 'a@campus.test', uid: 'u' }],
  ['id and support code', { uid: 'u', supportCode: '8C1D-4E5F' }],
  ['an empty reason', { uid: 'u', reason: ' ' }],
  ['a reason of two lines', { uid: 'u', reason: 'one\ntwo' }],
])('a look-up with %s is refused', async (_name, query) => {
  expect((await lookUp(query)).status).toBe(400);
});

test('a wrong, an expired and a foreign token get one answer, with a known and an unknown address', async () => {
  const answers = [];
  for (const token of ['wrong', 'token-of-old', process.env.ADMIN_TOKEN ?? 'x', hash('token-of-ada')])
    for (const email of [app.user.email, `${randomUUID()}@campus.test`]) {
      const { status, response, body } = await lookUp({ email }, `Bearer ${token}`);
      answers.push(JSON.stringify([status, body, response.headers.get('content-length')]));
    }
  expect(new Set(answers).size).toBe(1);
  expect(answers[0]).toContain('admin-token-wrong');
  // Also a malformed look-up is refused for its token first.
  expect((await lookUp({ uid: app.user.uid }, null)).status).toBe(401);
  expect((await lookUp({}, null)).status).toBe(401);
});

test('an operator who was removed has no access at once', async () => {
  const bo = createOperator('bo', ['read']);
  writeOperators({ ada, old, bo });
  await vi.waitUntil(async () => (await lookUp({ uid: app.user.uid }, 'Bearer token-of-bo')).status === 200);
  writeOperators({ ada, old });
  await vi.waitUntil(async () => (await lookUp({ uid: app.user.uid }, 'Bearer token-of-bo')).status === 403);
});

test('there is no support desk without OPERATORS_FILE', async () => {
  Object.assign(env(), { OPERATORS_FILE: undefined });
  expect((await lookUp({ uid: app.user.uid })).status).toBe(404);
  Object.assign(env(), { OPERATORS_FILE: file });
});

test('a stolen token does not read out all addresses', async () => {
  const eve = createOperator('eve', ['read']);
  writeOperators({ ada, eve });
  const search = async () => (await lookUp({ email: `${randomUUID()}@campus.test` }, 'Bearer token-of-eve')).status;
  await vi.waitUntil(async () => (await search()) === 200);
  const statuses = [];
  for (let calls = 0; calls < 60; calls += 1) statuses.push(await search());
  expect(statuses.filter((status) => status === 200)).toHaveLength(59);
  expect(statuses.at(-1)).toBe(429);
  // Another operator goes on.
  expect((await lookUp({ uid: app.user.uid })).status).toBe(200);
});
