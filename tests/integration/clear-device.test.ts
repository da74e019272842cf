import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { env } from '@/lib/server/runtime/config/env';
import type { CookieSpec } from '@/lib/shared/browser-cookies';
import { cookieTable } from '@/lib/shared/cookie-table';
import { openSession, post } from '../support/client';
import { exchange } from '../support/raw-socket';
import { fetchIdToken, createTestUser } from '../support/test-users';
import { servedRoutes } from '../support/served-routes';

const app = servedRoutes();
const clearDevice = (options: Parameters<typeof post>[1] = {}) => post(`${app.origin}/api/clear-device`, options);

describe('clear-device', () => {
  const kept = ['marketing-consent', 'lang'];
  const personal = Object.values<CookieSpec>(cookieTable).filter(
    ({ name }) => name !== 'kk_logged_in' && !kept.includes(name),
  );

  test('clears every cookie of the table except device preferences, for any request', async () => {
    const { status, cookies } = await clearDevice();
    expect(status).toBe(200);
    expect(Object.keys(cookies).sort()).toEqual([...personal.map(({ name }) => name), 'kk_logged_in'].sort());
    expect(cookies.kk_logged_in?.value).toBe('0');
  });

  test.each(personal)('clears $name with the attributes it was set with', async ({ name, httpOnly = false }) => {
    const { cookies } = await clearDevice();
    expect(cookies[name]).toMatchObject({ value: '', maxAge: 0, path: '/', secure: true });
    expect(cookies[name]?.httpOnly ?? false).toBe(httpOnly);
  });

  test('ends the session on the server, for copies of its cookie too', async () => {
    const cookie = await openSession(app.origin, await fetchIdToken(await createTestUser()));
    expect((await clearDevice({ cookie })).status).toBe(200);
    expect((await post(`${app.origin}/api/check-auth-status`, { cookie })).status).toBe(401);
  });

  test.each(['http://localhost:3001', 'https://evil.test', null])('is refused to a page of %s', async (origin) => {
    const answer = await clearDevice({ headers: { origin } });
    expect([answer.status, answer.body?.code, answer.cookies]).toEqual([403, 'foreign-origin', {}]);
  });
});

test('its headers are longer on https than the buffer that proxies have by default, and fit into that of nginx.conf', async () => {
  const { NEXT_PUBLIC_MAIN_DOMAIN, NEXT_PUBLIC_APP_ORIGIN } = env();
  const origin = 'https://id.campus.example';
  // On localhost, names of cookies have no prefix. So they are not deleted a second and third time without it.
  Object.assign(env(), { NEXT_PUBLIC_MAIN_DOMAIN: 'campus.example', NEXT_PUBLIC_APP_ORIGIN: origin });
  const lines = ['POST /api/clear-device HTTP/1.1', 'Host: id.campus.example', `Origin: ${origin}`];
  const request = [...lines, 'Content-Length: 0', 'Connection: close', '\r\n'].join('\r\n');
  const [head = ''] = (await exchange(Number(new URL(app.origin).port), request, 20_000)).split('\r\n\r\n');
  Object.assign(env(), { NEXT_PUBLIC_MAIN_DOMAIN, NEXT_PUBLIC_APP_ORIGIN });
  expect(head).toMatch(/^HTTP\/1\.1 200 /);
  expect(head.length).toBeGreaterThan(4_096);
  const [, size] = /proxy_buffer_size (\d+)k;/.exec(readFileSync('deploy/nginx.conf', 'utf8')) ?? [];
  expect(head.length).toBeLessThan(Number(size) * 1024);
});

test('an ordinary sign-out keeps a pending registration', async () => {
  const { cookies } = await post(`${app.origin}/api/initiate-logout`);
  expect(Object.keys(cookies).sort()).toEqual(
    ['_secure-user-session', 'kk_logged_in', 'kk_sid', 'kk_uid', 'kk_user_access_level', 'pending-sign-in'].sort(),
  );
});
