import { Socket } from 'node:net';
import { createServer, IncomingMessage, ServerResponse, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getKnownBrowser } from '@/lib/server/notifications/known-browser';
import { toSessionRequest } from '@/lib/server/session/request';
import { createUpstreamBackend } from '@/lib/server/session/upstream';
import { loadPartnerStart } from '@/lib/server/web/sign-in-pages';
import { post, read } from '../support/client';
import { fetchIdToken, createTestUser } from '../support/test-users';
import { serveRoutes, type RunningRoutes } from '../support/routes';
import { startRoutesProcess, type RoutesProcess } from '../support/served-routes';

const readRequest = () => toSessionRequest({ headers: {}, socket: new Socket(), cookies: {} });

let upstream: RoutesProcess;
let app: RunningRoutes;

beforeAll(async () => {
  upstream = await startRoutesProcess();
  // The upstream's first sign-in loads all modules. On a busy machine, this takes longer than this deployment waits.
  await post(`${upstream.origin}/api/create-user-session`, {
    body: { token: await fetchIdToken(await createTestUser()) },
  });
  process.env.SESSION_BACKEND = 'upstream';
  process.env.UPSTREAM_IDENTITY_URL = upstream.origin;
  process.env.NEXT_PUBLIC_MAIN_DOMAIN = 'campus.example';
  process.env.NEXT_PUBLIC_APP_ORIGIN = 'https://id.campus.example';
  process.env.NEXT_PUBLIC_PLATFORM_ORIGIN = 'https://learn.campus.example';
  // Only the upstream uses the emulator. This deployment does not handle accounts.
  const emulator = process.env.FIREBASE_AUTH_EMULATOR_HOST;
  delete process.env.FIREBASE_AUTH_EMULATOR_HOST;
  delete process.env.RECOVERY_CODE_COST;
  process.env.TOKEN_ENCRYPTION_SECRET = Buffer.alloc(32, 7).toString('base64');
  app = await serveRoutes();
  await post(`${app.origin}/api/check-auth-status`);
  process.env.FIREBASE_AUTH_EMULATOR_HOST = emulator;
});
afterAll(async () => {
  await app.close();
  await upstream.stop();
});

const OWN = { origin: 'https://id.campus.example' };
const create = (token: string) => post(`${app.origin}/api/create-user-session`, { body: { token }, headers: OWN });
const check = (cookie?: string) => post(`${app.origin}/api/check-auth-status`, { cookie, headers: OWN });
const logout = (cookie?: string) => post(`${app.origin}/api/initiate-logout`, { cookie, headers: OWN });

test('a session is created, checked and ended at the upstream deployment, with cookies of our domain', async () => {
  const user = await createTestUser();
  const opened = await create(await fetchIdToken(user));
  expect(opened.status).toBe(200);
  expect(Object.keys(opened.cookies).sort()).toEqual(
    [
      '_secure-user-session',
      'kk_logged_in',
      'kk_sid',
      'kk_uid',
      'kk_user_access_level',
      '__Host-known-browser',
      'legacy-user-status',
    ].sort(),
  );
  const { '__Host-known-browser': known, ...shared } = opened.cookies;
  // This is this deployment's own cookie and not the upstream's. It belongs to this host and is sealed with this
  // deployment's secret.
  expect(await getKnownBrowser({ cookies: { '__Host-known-browser': known?.value ?? '' } }, user.email)).not.toBeNull();
  for (const cookie of Object.values(shared)) {
    expect(cookie).toMatchObject({
      domain: 'campus.example',
      path: '/',
      secure: true,
      sameSite: 'lax',
      maxAge: cookie.name === 'legacy-user-status' ? 604_800 : 432_000,
    });
  }
  expect(opened.cookies['_secure-user-session']?.httpOnly).toBe(true);

  const cookie = opened.cookies['_secure-user-session']?.value;
  const live = await check(cookie);
  expect([live.status, live.body?.uid, live.body?.sid]).toEqual([200, user.uid, opened.cookies.kk_sid?.value]);

  const ended = await logout(cookie);
  expect(ended.status).toBe(200);
  expect(ended.cookies.kk_logged_in).toMatchObject({ value: '0', domain: 'campus.example' });
  expect((await check(cookie)).status).toBe(401);
  // The session is revoked at the upstream deployment itself, not only here.
  expect((await post(`${upstream.origin}/api/check-auth-status`, { cookie })).status).toBe(401);
});

test("a partner's link goes on with a session, whose provider is known upstream alone", async () => {
  const { cookies } = await create(await fetchIdToken(await createTestUser()));
  const session = { '_secure-user-session': cookies['_secure-user-session']?.value ?? '' };
  const req = Object.assign(new IncomingMessage(new Socket()), { cookies: session });
  const destination = 'https://learn.campus.example/lesson';
  const query = { partner: 'acme', redirect_uri: destination };
  const context = { req, res: new ServerResponse(req), query, resolvedUrl: '/partner-auth/initiate' };
  expect(await loadPartnerStart(context)).toEqual({ redirect: { destination, permanent: false } });
});

test('refusals of the upstream are returned by code', async () => {
  const unverified = await create(await fetchIdToken(await createTestUser({ emailVerified: false })));
  expect([unverified.status, unverified.body?.code]).toEqual([403, 'email-not-verified']);
  const wrong = await create('no.token.atall');
  expect([wrong.status, wrong.body?.code]).toEqual([401, 'token-invalid']);
  expect((await check('abc.def.ghi')).status).toBe(401);
  expect((await logout('abc.def.ghi')).status).toBe(200);
});

test('a session cookie that no browser stores is not sent on: its length would look like an outage', async () => {
  for (const cookie of ['/'.repeat(2_000), 'x'.repeat(4_097)]) {
    const refused = await check(cookie);
    expect([refused.status, refused.body?.code]).toEqual([401, 'session-required']);
    expect((await logout(cookie)).status).toBe(200);
  }
});

test('our own checks run first', async () => {
  expect((await post(`${app.origin}/api/create-user-session`, { body: { token: 'x' } })).status).toBe(403);
  const long = { token: 'x'.repeat(17_000) };
  expect((await post(`${app.origin}/api/create-user-session`, { body: long, headers: OWN })).status).toBe(413);
});

test('the app config comes from the upstream', async () => {
  const config = (origin: string) =>
    fetch(`${app.origin}/api/config/by-origin/${encodeURIComponent(origin)}`).then(read);
  expect((await config('http://acme.localhost:3000')).body?.brandName).toBe('Acme Academy');
  expect((await config('https://unknown.example')).status).toBe(404);
});

/** Simulates a deployment with the responses that the test specifies. */
async function pretend(
  answer: (req: IncomingMessage) => { status: number; headers?: Record<string, string | string[]>; body?: string },
) {
  const seen: IncomingMessage[] = [];
  const server: Server = createServer((req, res) => {
    seen.push(req);
    const { status, headers, body } = answer(req);
    res.writeHead(status, headers).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { backend: createUpstreamBackend({ url, mainDomain: 'campus.example' }), seen, close: () => server.close() };
}

test.each([
  ['an error', { status: 500 }],
  ['a redirect', { status: 302, headers: { location: 'https://evil.example/' } }],
  ['another success', { status: 204 }],
  ['something else than a session', { status: 200, body: '{"hello":"world"}' }],
  ['a problem that does not fit its status', { status: 500, body: '{"code":"session-required"}' }],
])('%s from the upstream gets 503', async (_name, answer) => {
  const { backend, close } = await pretend(() => answer);
  await expect(backend.check('a.b.c')).rejects.toMatchObject({ status: 503, options: { retryAfter: 5 } });
  close();
});

test('a rate limit of the upstream is returned', async () => {
  const { backend, close } = await pretend(() => ({
    status: 429,
    headers: { 'retry-after': '7' },
    body: '{"code":"too-many-requests"}',
  }));
  await expect(backend.open('x', readRequest())).rejects.toMatchObject({ status: 429, options: { retryAfter: 7 } });
  close();
});

test('only the session cookie is forwarded, and only rewritten cookies are returned', async () => {
  const { backend, seen, close } = await pretend(() => ({
    status: 200,
    headers: {
      'set-cookie': [
        '_secure-user-session=s',
        'kk_uid=u; Domain=other.example; Path=/api; SameSite=None; Max-Age=60',
        'broken',
        'lb=1',
      ],
      connection: 'close',
      'x-secret': 'theirs',
    },
  }));
  expect((await backend.open('token', readRequest())).cookies).toEqual([
    '_secure-user-session=s; Domain=campus.example; Path=/; HttpOnly; Secure; SameSite=Lax',
    'kk_uid=u; Max-Age=60; Domain=campus.example; Path=/; Secure; SameSite=Lax',
  ]);
  await backend.end('a.b.c');
  expect(seen[1]?.headers.cookie).toBe('_secure-user-session=a.b.c');
  expect(Object.keys(seen[1]?.headers ?? {})).not.toContain('x-forwarded-for');
  close();
});

test('an unreachable upstream gets 503', async () => {
  const backend = createUpstreamBackend({ url: 'http://127.0.0.1:9', mainDomain: 'campus.example' });
  await expect(backend.check('a.b.c')).rejects.toMatchObject({ status: 503 });
  await expect(backend.open('x', readRequest())).rejects.toMatchObject({ status: 503 });
});
