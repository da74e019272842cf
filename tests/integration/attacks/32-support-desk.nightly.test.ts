// Threats: operator-token-abused, split-state, code-leak
// cspell:ignore upport
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { ACCOUNT_ACTIONS } from '@/lib/shared/support/desk';
import { startAppPair, type AppPair } from '../../support/app-pair';
import { readPageData } from '../../support/attack';
import { createOperator } from '../../support/operators';
import { CLIENT } from '../../support/proxy';
import { openSocket } from '../../support/raw-socket';

// The support desk, on two processes with one Redis and one database.

const shared = inject('endpoints');
const names = ['ada', 'bo', 'cy', 'mute'] as const;
let pair: AppPair;
beforeAll(async () => {
  const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'operators-')), 'operators.json');
  const operators = Object.fromEntries(
    names.map((name) => [name, createOperator(name, name === 'mute' ? ['unlock'] : ['read', ...ACCOUNT_ACTIONS])]),
  );
  writeFileSync(file, JSON.stringify({ operators }));
  pair = await startAppPair(shared, { OPERATORS_FILE: file });
});
afterAll(() => pair.stop());

let clients = 0;
/** A call from a network of its own, through the proxy or past it. */
const fromElsewhere = () => {
  clients += 1;
  const address = `198.51.${String(Math.floor(clients / 250))}.${String(clients % 250)}`;
  return { [CLIENT]: address, 'x-forwarded-for': address };
};
const from = (token: string) => ({ authorization: `Bearer ${token}`, ...fromElsewhere() });
const lookUp = (query: string, token = 'token-of-ada', origin = pair.origin) =>
  fetch(`${origin}/api/admin/accounts?${query}`, { headers: from(token) });
const act = (body: object, token: string, origin = pair.origin) =>
  fetch(`${origin}/api/admin/accounts/actions`, {
    method: 'POST',
    headers: { ...from(token), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const count = (responses: Response[], status: number) => responses.filter((each) => each.status === status).length;

test('the limits of an operator hold for bursts at two processes from many networks', async () => {
  const calls = Array.from({ length: 100 }, (_, at) => pair.each[at % 2 === 0 ? 0 : 1]);
  const lookUps = await Promise.all(calls.map((origin, at) => lookUp(`uid=none-${String(at)}`, 'token-of-bo', origin)));
  expect([count(lookUps, 200), count(lookUps, 429)]).toEqual([60, 40]);
  const order = { action: 'disable', reason: 'Ticket 4711' };
  const actions = await Promise.all(
    calls.map((origin, at) => act({ ...order, uid: `none-${String(at)}` }, 'token-of-bo', origin)),
  );
  expect([count(actions, 404), count(actions, 429)]).toEqual([30, 70]);
});

test.each([
  ['two ids', 'uid=a&uid=b', 400],
  ['a list', 'uid[]=a', 400],
  ['a key of each object', '__proto__=x&constructor=y', 400],
  ['a token in the address', 'uid=a&access_token=token-of-ada', 200],
  ['an id that is a path', 'uid=..%2F..%2Faccounts', 200],
])('a query with %s', async (_, query, status) => {
  expect((await lookUp(query, 'token-of-cy')).status).toBe(status);
  const anonymous = await fetch(`${pair.origin}/api/admin/accounts?${query}`, { headers: fromElsewhere() });
  expect(anonymous.status).toBe(401);
});

test.each(['/sign-in', '/registration', '/self-check', '/actions', '/support', '/api/check-auth-status'])(
  'parameters with names of an object break no page: %s',
  async (address) => {
    const query = '__proto__=x&__proto__=y&constructor=z&toString=1&hasOwnProperty=';
    const { status } = await fetch(`${pair.origin}${address}?${query}`, { headers: fromElsewhere() });
    expect(status).toBeLessThan(500);
  },
);

test.each([
  [
    'two headers, the first of which is wrong',
    'Authorization: Bearer wrong\r\nAuthorization: Bearer token-of-cy\r\n',
    403,
  ],
  ['the token of a cookie', 'Cookie: authorization=Bearer%20token-of-cy\r\n', 401],
  ['the token under another scheme', 'Authorization: Basic token-of-cy\r\n', 401],
  ['the token as a header of its own', 'X-Admin-Token: token-of-cy\r\n', 401],
])('%s gives no access', async (_, headers, status) => {
  const socket = await openSocket(Number(new URL(pair.each[0]).port));
  const lines = ['GET /api/admin/accounts?uid=a HTTP/1.1', 'Host: localhost', 'X-Forwarded-For: 203.0.113.77'];
  socket.write(`${lines.join('\r\n')}\r\n${headers}Connection: close\r\n\r\n`);
  await socket.closed(20_000);
  expect(socket.received()).toMatch(new RegExp(`^HTTP/1\\.1 ${String(status)} `));
  socket.destroy();
});

test('no other site can call it, frame it, or read its answers, and no cache keeps them', async () => {
  const evil = { origin: 'https://evil.example' };
  for (const [address, method] of [
    ['accounts?uid=a', 'GET'],
    ['accounts/actions', 'POST'],
  ] as const) {
    const asked = {
      ...evil,
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization',
    };
    const preflight = await fetch(`${pair.origin}/api/admin/${address}`, {
      ...{ method: 'OPTIONS', headers: { ...asked, ...fromElsewhere() } },
    });
    expect(preflight.status).toBe(403);
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
  }
  const answer = await fetch(`${pair.origin}/api/admin/accounts?uid=a`, {
    headers: { ...from('token-of-cy'), ...evil },
  });
  expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('cross-origin-resource-policy')).toBe('same-site');
  expect(answer.headers.getSetCookie()).toEqual([]);
});

test.each(['/support', '/support?x=<script>alert(1)</script>', '/%73upport', '/support#x'])(
  'the page at %s has its own policy, and nothing about the deployment',
  async (address) => {
    const page = await fetch(pair.origin + address, { headers: { 'accept-language': 'ar', cookie: 'language=ar' } });
    const html = await page.text();
    if (page.status === 404) return expect(readPageData(html)?.props.pageProps.isSupportDesk).toBeUndefined();
    expect(page.status).toBe(200);
    const policy = page.headers.get('content-security-policy') ?? '';
    for (const part of ["default-src 'none'", "form-action 'none'", "frame-ancestors 'none'", "connect-src 'self'"])
      expect(policy.split('; ')).toContain(part);
    expect([page.headers.get('cache-control'), page.headers.get('referrer-policy')]).toEqual([
      'private, no-store',
      'no-referrer',
    ]);
    expect(html).not.toContain('alert(1)</script>');
    expect(html).not.toMatch(/ada|operators\.json|"publicEnv"/);
  },
);

test('the log has neither the token, nor the email, the id, the reason or the whole network address', async () => {
  const user = await pair.accounts.create();
  const reason = 'Ticket-4711-in-no-log';
  const found = await lookUp(new URLSearchParams({ email: user.email, reason }).toString(), 'token-of-cy');
  expect(await found.text()).toContain(user.uid);
  for (const action of ['sign-out', 'disable', 'export', 'delete'])
    expect((await act({ action, uid: user.uid, reason }, 'token-of-cy')).status).toBe(200);
  await lookUp('uid=%00', 'token-of-cy');
  const text = pair.services.map(({ logFile }) => readFileSync(logFile, 'utf8')).join('\n');
  expect(text).toContain('an operator acts on an account');
  for (const secret of ['token-of', user.uid, user.email, user.email.split('@')[0] ?? '', reason])
    expect(text).not.toContain(secret);
  expect(text).not.toMatch(/198\.51\.\d+\.\d+/);
});
