// ASVS: 3.4.6
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { serveRoutes, type RunningRoutes } from '../support/routes';

type Received = { method?: string | undefined; url?: string | undefined; headers: IncomingHttpHeaders; body: string };
let home: Server;
let app: RunningRoutes;
let received: Received[] = [];

beforeAll(async () => {
  home = createServer((req, res) => {
    let body = '';
    req.on('data', (chunk: Buffer) => (body += chunk.toString()));
    req.on('end', () => {
      received.push({ method: req.method, url: req.url, headers: req.headers, body });
      if (req.url?.endsWith('?moved')) res.writeHead(302, { location: 'https://provider.example/login' });
      else res.writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'theirs=1', 'x-frame-options': 'DENY' });
      res.end('<p>helper</p>');
    });
  });
  await new Promise<void>((ready) => home.listen(0, '127.0.0.1', ready));
  process.env.AUTH_HELPER_URL = `http://127.0.0.1:${String((home.address() as AddressInfo).port)}`;
  app = await serveRoutes();
});
beforeEach(() => (received = []));
afterAll(async () => {
  await app.close();
  home.closeAllConnections();
  home.close();
});

const helper = (path: string, init: RequestInit = {}) =>
  fetch(`${app.origin}/api/auth-helper/${path}`, { redirect: 'manual', ...init });

test('the helper is proxied with its query, without cookies in either direction', async () => {
  const answer = await helper('auth/handler?apiKey=k&x=a%2Bb', { headers: { cookie: '_secure-user-session=secret' } });
  expect(answer.status).toBe(200);
  expect(await answer.text()).toBe('<p>helper</p>');
  expect(received[0]).toMatchObject({ method: 'GET', url: '/__/auth/handler?apiKey=k&x=a%2Bb' });
  expect(received[0]?.headers.cookie).toBeUndefined();
  expect(answer.headers.get('set-cookie')).toBeNull();
});

test('only pages of the main domain may frame the helper', async () => {
  const answer = await helper('auth/iframe?apiKey=k');
  expect(answer.headers.get('content-security-policy')).toBe(
    "base-uri 'none'; object-src 'none'; frame-ancestors 'self' https://localhost https://*.localhost",
  );
  expect(answer.headers.get('x-frame-options')).toBeNull();
});

test('a form post of a provider is proxied, and a redirect is not followed', async () => {
  const body = `SAMLResponse=${'x'.repeat(100_000)}`;
  await helper('auth/handler', {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  expect(received[0]).toMatchObject({ method: 'POST', body });
  const moved = await helper('auth/handler?moved');
  expect(moved.status).toBe(302);
  expect(moved.headers.get('location')).toBe('https://provider.example/login');
});

test.each([
  ...['auth/handler', 'auth/handler.js', 'auth/iframe', 'auth/iframe.js', 'auth/experiments.js'],
  'firebase/init.json',
])('%s is proxied', async (path) => {
  expect((await helper(path)).status).toBe(200);
  expect(received.map(({ url }) => url)).toEqual([`/__/${path}`]);
});

test.each([
  ...['auth/action', 'auth/action?mode=resetPassword&oobCode=x', 'auth/action/', 'auth/Action', 'auth/action.js'],
  ...['auth/%61ction', 'auth%2faction', 'auth/action%2f', 'auth/handler/action', 'auth/handler%2f..%2faction'],
  ...['auth/./action', 'auth//action', 'auth/action%20', 'auth/action%00', 'auth/action;x', 'auth/action%3fx'],
])("the provider's own action page is not served here: %s", async (path) => {
  for (const method of ['GET', 'POST']) {
    const answer = await helper(path, { method, redirect: 'follow' });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/problem+json']);
  }
  expect(received).toEqual([]);
});

test.each([
  ...['elsewhere/x', 'auth', 'auth/..%2f..%2fadmin', 'auth/%2e%2e/x', 'auth/a%5cb', 'auth/.env', 'auth/links'],
  ...['firebase', 'firebase/init.js', 'firebase/handler', 'auth/init.json'],
])('no other path is requested: %s', async (path) => {
  expect((await helper(path)).status).toBe(404);
  expect(received).toEqual([]);
});

test('other methods and overlong bodies are refused', async () => {
  expect((await helper('auth/handler', { method: 'DELETE' })).status).toBe(405);
  expect((await helper('auth/handler', { method: 'POST', body: 'x'.repeat(600_000) })).status).toBe(413);
  expect(received).toEqual([]);
});
