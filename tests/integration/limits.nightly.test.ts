// ASVS: 6.1.1, 6.3.1, 6.6.3
// Threats: flooding
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { consumeLimit } from '@/lib/server/storage/rate-limits';
import { readMetrics } from '@/lib/server/runtime/observability/metrics';
import { getEmailBudgets, type EmailPurpose } from '@/lib/server/accounts/email-request';
import { getLimit, LIMITS, type LimitName } from '@/lib/server/storage/rate-limits/table';
import { CookieJar, nextSecond, openSession, post, read, type Answer } from '../support/client';
import { fetchIdToken, createTestUser, type TestUser } from '../support/test-users';
import { serveRoutes, type RunningRoutes } from '../support/routes';

type Budget = ReturnType<typeof getEmailBudgets>[number];
const CLIENT = '203.0.113.5';
const SESSION_PATH = '/api/create-user-session';
let app: RunningRoutes;
beforeAll(async () => {
  process.env.TRUSTED_PROXY_HOPS = '1';
  process.env.ADMIN_TOKEN = 'an-admin-token-of-some-length';
  process.env.NEXT_PUBLIC_SENTRY_DSN = 'http://publickey@127.0.0.1:9/42';
  app = await serveRoutes();
});
afterAll(() => app.close());

async function call(path: string, body: unknown, client: string): Promise<Answer> {
  const method = body === undefined ? 'GET' : 'POST';
  const headers = {
    origin: 'http://localhost:3000',
    'content-type': 'application/json',
    // The trusted proxy sets the last entry. The client supplies all entries before it.
    'x-forwarded-for': `198.51.100.${String(Math.floor(Math.random() * 250))}, ${client}`,
  };
  return read(
    await fetch(app.origin + path, { method, headers, body: body === undefined ? null : JSON.stringify(body) }),
  );
}

async function exhaust(limit: LimitName, key: string): Promise<void> {
  for (let i = 0; i < LIMITS[limit].points; i += 1) await consumeLimit(limit, key);
}

function expectRefusal({ status, body, headers }: Answer, limit: LimitName): void {
  expect([status, body?.code]).toEqual([429, 'too-many-requests']);
  expect(headers.get('content-type')).toBe('application/problem+json');
  expect(body?.detail).toMatch(/try again/i);
  const seconds = Number(headers.get('retry-after'));
  expect(Number.isInteger(seconds) && seconds > 0 && seconds <= LIMITS[limit].seconds).toBe(true);
}

describe('by address', () => {
  test.each<[string, LimitName, string, unknown]>([
    ['session creation', 'create-session', '/api/create-user-session', { token: 'x' }],
    ['codes sent', 'email-by-client', '/api/registration', { name: 'Mia', email: 'm@campus.test', password: 'x' }],
    ['resets', 'email-by-client', '/api/password-reset', { email: 'mia' }],
    ['codes tried', 'try-code', '/api/registration/confirm', { code: 'ABC123' }],
    ['reset codes tried', 'try-code', '/api/password-reset/confirm', { code: 'ABC123', password: 'quiet-lantern-42' }],
    ['the account activity', 'account-activity', '/api/account/activity', { before: null }],
    ['the tunnel', 'monitoring', '/api/monitoring', {}],
    ['the admin file', 'admin', '/api/admin/get-sentry-json-file', undefined],
    ['metrics', 'metrics', '/api/metrics', undefined],
    ['what is no call', 'unknown-route', '/api/nowhere/at/all', undefined],
  ])('%s', async (name, limit, path, body) => {
    const client = name === 'resets' || name === 'reset codes tried' ? `2001:db8:${String(path.length)}::1` : CLIENT;
    const network = `2001:db8:${String(path.length)}`;
    const key =
      client === CLIENT ? CLIENT : getLimit(limit).ipv6Prefix === 48 ? `${network}::/48` : `${network}:0::/64`;
    await exhaust(limit, key);
    expectRefusal(await call(path, body, client), limit);
    expect((await call(path, body, '203.0.113.6')).status).not.toBe(429);
  });
});

describe('by account', () => {
  describe('session creation, in one network', () => {
    const [stranger, neighbor, elsewhere] = ['203.0.113.7', '203.0.113.77', '198.51.100.7'];
    let user: TestUser;
    let own: string;
    beforeEach(async () => {
      user = await createTestUser();
      own = await openSession(app.origin, await fetchIdToken(user), { 'x-forwarded-for': elsewhere });
      // The stranger's sessions begin in a later second, so that the provider creates different cookies.
      await nextSecond();
    });

    const signIn = async (client: string) => call(SESSION_PATH, { token: await fetchIdToken(user) }, client);
    /**
     * A stranger who knows the password exceeds the limit of sign-ins. Most of them are only counted, because 60
     * sign-ins can take longer than the limit lasts.
     */
    const signInToLimit = async (): Promise<Answer> => {
      await signIn(stranger);
      await exhaust('create-session-of-account', `${user.uid} 203.0.113.0/24`).catch(() => undefined);
      return signIn(stranger);
    };

    test('does not keep the owner out in another network, nor other accounts there', async () => {
      expectRefusal(await signInToLimit(), 'create-session-of-account');
      expectRefusal(await signIn(neighbor), 'create-session-of-account');
      expect((await signIn(elsewhere)).status).toBe(200);
      const other = { token: await fetchIdToken(await createTestUser()) };
      expect((await call(SESSION_PATH, other, stranger)).status).toBe(200);
    });

    test('does not keep the owner out of a known browser there, within limits of its own and of all known ones', async () => {
      const browsers = [1, 2].map(() => new CookieJar({ 'x-forwarded-for': neighbor }));
      const token = await fetchIdToken(user);
      const signInBy = (browser: CookieJar) => browser.post(app.origin + SESSION_PATH, { token });
      for (const browser of browsers) expect((await signInBy(browser)).status).toBe(200);
      expectRefusal(await signInToLimit(), 'create-session-of-account');
      const [one, other] = browsers as [CookieJar, CookieJar];
      for (let count = 0; count < LIMITS['create-session-of-browser'].points; count += 1)
        expect((await signInBy(one)).status).toBe(200);
      expectRefusal(await signInBy(one), 'create-session-of-browser');
      expect((await signInBy(other)).status).toBe(200);
      await exhaust('create-session-of-account', `${user.uid} 203.0.113.0/24 known`).catch(() => undefined);
      expectRefusal(await signInBy(other), 'create-session-of-account');
    });

    test.each([
      ['another', elsewhere],
      ['the same', neighbor],
    ])('does not sign out the owner who changes the password in %s network', async (_network, client) => {
      expectRefusal(await signInToLimit(), 'create-session-of-account');
      const headers = { 'x-forwarded-for': client };
      const body = { current: user.password, password: 'quiet-lantern-42' };
      const answer = await post(`${app.origin}/api/account/password`, { cookie: own, body, headers });
      expect(answer).toMatchObject({ status: 200, body: { signedIn: true } });
      const cookie = answer.cookies['_secure-user-session']?.value;
      expect((await post(`${app.origin}/api/check-auth-status`, { cookie, headers })).status).toBe(200);
    });
  });

  test.each<[string, EmailPurpose]>([
    ['/api/password-reset', 'reset-password'],
    ['/api/sign-in-help', 'sign-in-help'],
    ['/api/email-link', 'sign-in'],
  ])('emails of %s, by client network and overall', async (path, purpose) => {
    const { email } = await createTestUser();
    const body = { email: email.toUpperCase() };
    const ask = { purpose, email, network: '203.0.113.8', openFlow: null, browser: null };
    const [byNetwork, overall] = getEmailBudgets(ask) as [Budget, Budget];
    await exhaust(byNetwork.limit, byNetwork.key);
    expectRefusal(await call(path, body, '203.0.113.8'), byNetwork.limit);
    expect((await call(path, body, '203.0.113.7')).status).toBe(200);
    await exhaust(overall.limit, overall.key).catch(() => undefined);
    expectRefusal(await call(path, body, '203.0.113.7'), overall.limit);
  });

  test('an email for one purpose does not count for the others', async () => {
    const { email } = await createTestUser();
    const client = '203.0.113.10';
    for (let count = 0; count < 5; count += 1) await call('/api/sign-in-help', { email }, client);
    expect((await call('/api/sign-in-help', { email }, client)).status).toBe(429);
    expect((await call('/api/password-reset', { email }, client)).status).toBe(200);
  });
});

test('refused hits are counted, recorded ones are not', async () => {
  const hits = async (limit: LimitName) =>
    Number(new RegExp(`limits_hit_total{limit="${limit}"} (\\d+)`).exec((await readMetrics()).text)?.[1] ?? 0);
  const { email } = await createTestUser();
  const before = await hits('resend');
  expect((await call('/api/password-reset', { email }, '203.0.113.9')).status).toBe(200);
  expect((await call('/api/password-reset', { email }, '203.0.113.9')).status).toBe(200);
  expect(await hits('resend')).toBe(before);
  expect(await hits('email-to-address')).toBeGreaterThan(0);
});
