// ASVS: 3.4.2, 3.5.1, 7.6.2
// Threats: csrf
import { randomUUID } from 'node:crypto';
import { METHODS } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openCheckListener } from '@/lib/server/launch/listener/check-listener';
import { LIMITS } from '@/lib/server/storage/rate-limits/table';
import { checkCalls } from '@/lib/server/web';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { sessionStatusSchema } from '@/lib/shared/session-contract';
import { nextSecond, openSession } from '../support/client';
import { exchange } from '../support/raw-socket';
import { servedRoutes } from '../support/served-routes';
import { createTestUser, fetchIdToken } from '../support/test-users';

const PLATFORM = 'http://localhost:3001';
const ADMIN_TOKEN = 'an-admin-token-of-some-length';
const routes = servedRoutes();
let checks: Awaited<ReturnType<typeof openCheckListener>>;
const getPort = () => (checks.address() as AddressInfo).port;

beforeAll(async () => {
  process.env.ADMIN_TOKEN = ADMIN_TOKEN;
  checks = await openCheckListener(0, '127.0.0.1');
});
afterAll(() => new Promise((resolve) => checks.close(resolve)));

type Sent = { method?: string; headers?: Record<string, string>; body?: string };
const origins = { pages: () => routes.origin, checks: () => `http://localhost:${String(getPort())}` };

/** Headers that belong to a single response or to the connection. */
const OWN = ['date', 'x-request-id', 'connection', 'keep-alive', 'transfer-encoding'];

async function ask(listener: keyof typeof origins, path: string, { method = 'POST', headers = {}, body }: Sent = {}) {
  const response = await fetch(origins[listener]() + path, { method, headers, body: body ?? null });
  const text = await response.text();
  const shown = [...response.headers].filter(([name]) => !OWN.includes(name));
  return {
    status: response.status,
    headers: Object.fromEntries(shown),
    text,
    id: response.headers.get('x-request-id'),
  };
}
type Answer = Awaited<ReturnType<typeof ask>>;

const check = '/api/check-auth-status';
const named = (value: string) => ({ cookie: `_secure-user-session=${value}` });
const long = 'x'.repeat(20_000);
const probe = { method: 'GET' };
const admin = (token: string) => ({ ...probe, headers: { authorization: `Bearer ${token}` } });
const preflight = (origin: string) => ({
  method: 'OPTIONS',
  headers: { origin, 'access-control-request-method': 'POST' },
});

/** Requests that are sent to both listeners, with the status that both return. */
const CASES: [string, string, Sent, number][] = [
  ['no cookie', check, {}, 401],
  ['an empty cookie', check, { headers: named('') }, 401],
  ['a foreign cookie', check, { headers: named('abc.def.ghi') }, 401],
  ['a cookie in quotes', check, { headers: named('"abc.def.ghi"') }, 401],
  ['a cookie with a wrong encoding', check, { headers: named('%zz%41') }, 401],
  ['a query', `${check}?x=1`, {}, 401],
  ['the platform', check, { headers: { origin: PLATFORM } }, 401],
  ['a foreign page', check, { headers: { origin: 'https://evil.example' } }, 401],
  ['another account', check, { headers: { 'x-account-uid': 'another' } }, 401],
  ['a body', check, { headers: { 'content-type': 'application/json' }, body: '{}' }, 401],
  ['a body that is too large', check, { headers: { 'content-type': 'application/json' }, body: long }, 413],
  ['a preflight of the platform', check, preflight(PLATFORM), 204],
  ['a preflight of a foreign page', check, preflight('https://evil.example'), 403],
  ...['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH'].map((method): (typeof CASES)[number] => [
    method,
    check,
    { method },
    405,
  ]),
  ['a probe', '/api/health/live', probe, 200],
  ['a probe without a body', '/api/health/live', { method: 'HEAD' }, 200],
  ['a probe by POST', '/api/health/live', {}, 405],
  ['the readiness probe', '/api/health/ready', probe, 200],
  ['a scrape without a token', '/api/metrics', probe, 401],
  ['a scrape with another token', '/api/metrics', admin('another-token-of-that-length'), 403],
];

test.each(CASES)('both answer the same to %s', async (_name, path, sent, status) => {
  const [pages, own] = [await ask('pages', path, sent), await ask('checks', path, sent)];
  expect([pages.status, own.status]).toEqual([status, status]);
  expect(own.headers).toEqual(pages.headers);
  expect(own.text).toBe(pages.text);
  for (const { id } of [pages, own]) expect(id).toMatch(/^[\da-f-]{36}$/);
});

describe.each(['pages', 'checks'] as const)('the listener for %s', (listener) => {
  const askSession = (cookie: string) => ask(listener, check, { headers: named(cookie) });
  const getCode = ({ text }: Answer) => (JSON.parse(text) as { code: string }).code;
  const scrape = async () => (await ask(listener, '/api/metrics', admin(ADMIN_TOKEN))).text;
  const count = async (result: string) =>
    Number(
      new RegExp(`^http_requests_total\\{route="${check}",result="${result}"\\} (\\d+)$`, 'm').exec(
        await scrape(),
      )?.[1],
    );

  test('describes a live session, also beside other cookies, in quotes and encoded', async () => {
    const user = await createTestUser({ name: 'Lena' });
    const cookie = await openSession(routes.origin, await fetchIdToken(user));
    const answer = await askSession(cookie);
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(sessionStatusSchema.parse(JSON.parse(answer.text))).toMatchObject({ uid: user.uid, displayName: 'Lena' });
    for (const header of [`"${cookie}"`, `${cookie}; a=1`, cookie.replaceAll('.', '%2E')])
      expect([header, (await askSession(header)).text]).toEqual([header, answer.text]);
  });

  test('knows at once of a session that was ended, and within the window of an account that is disabled', async () => {
    const user = await createTestUser();
    const cookie = await openSession(routes.origin, await fetchIdToken(user));
    expect((await askSession(cookie)).status).toBe(200);
    await fetch(`${routes.origin}/api/initiate-logout`, {
      method: 'POST',
      headers: { ...named(cookie), origin: 'http://localhost:3000' },
    });
    expect(getCode(await askSession(cookie))).toBe('session-required');
    await nextSecond();
    const other = await openSession(routes.origin, await fetchIdToken(user));
    await getIdentityAdmin().updateUser(user.uid, { disabled: true });
    expect(getCode(await askSession(other))).toBe('user-disabled');
  });

  test('takes the hint from a browser whose session is over, and leaves its session cookie', async () => {
    const { headers } = await askSession('abc.def.ghi');
    expect(headers['set-cookie']).toMatch(/^kk_logged_in=0;/);
    expect((await ask(listener, check)).headers).not.toHaveProperty('set-cookie');
  });

  test('counts its answers by result, in the metrics of the process', async () => {
    const before = await count('session-required');
    await ask(listener, check);
    expect(await count('session-required')).toBe(before + 1);
  });

  test('uses no id that a caller has sent', async () => {
    const sent = randomUUID();
    expect((await ask(listener, check, { headers: { 'x-request-id': sent } })).id).not.toBe(sent);
  });
});

test('one budget of scrapes holds for both together', async () => {
  const statuses: number[] = [];
  for (let i = 0; i <= LIMITS.metrics.points; i += 1)
    statuses.push((await ask(i % 2 ? 'pages' : 'checks', '/api/metrics', probe)).status);
  expect(statuses.at(-1)).toBe(429);
  for (const listener of ['pages', 'checks'] as const) {
    const answer = await ask(listener, '/api/metrics', admin(ADMIN_TOKEN));
    expect([answer.status, Number(answer.headers['retry-after']) > 0]).toEqual([429, true]);
  }
});

test('a request without a host, which Node.js refuses, is the last one of its connection', async () => {
  const requests = `POST ${check} HTTP/1.1\r\n\r\nPOST ${check} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
  const answer = await exchange(getPort(), requests, 10_000);
  expect(answer.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 400']);
  expect(answer.toLowerCase()).toContain('connection: close');
});

test('everything else is 404 without a body', async () => {
  const others = [
    '/',
    '/sign-in',
    '/api',
    '/api/nowhere',
    '/api/create-user-session',
    '/api/check-auth-status/',
    '/api/health',
  ];
  const targets = [
    ...others,
    '/API/METRICS',
    '/api/metric%73',
    '//api/metrics',
    '/api//metrics',
    '/api/./metrics',
    '*',
  ];
  for (const path of [...targets, 'http://localhost/api/metrics', '/monitoring', '/.well-known/security.txt'])
    for (const method of METHODS.filter((each) => each !== 'CONNECT')) {
      const bytes = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
      const [head = '', body] = (await exchange(getPort(), bytes, 10_000)).split('\r\n\r\n');
      expect([method, path, head.split('\r\n', 1)[0], body]).toEqual([method, path, 'HTTP/1.1 404 Not Found', '']);
      expect(head.toLowerCase()).toContain('content-length: 0');
    }
  expect(checkCalls.size).toBe(4);
});
