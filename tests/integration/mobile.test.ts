// ASVS: 10.1.2, 10.4.1, 10.4.2, 10.4.3, 10.4.4, 10.4.6
// Threats: mobile-code, custom-token
import { stringifyCookie } from 'cookie';
import { afterEach, expect, test, vi } from 'vitest';
import { readKeptMobileRequest, parseMobileRequest } from '@/lib/server/session/mobile';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { revokeAllSessions } from '@/lib/server/session/require-session';
import { beginSignIn, codeFrom, exchangeCode, signInWithCustomToken } from '../../examples/mobile/client.mjs';
import { getBrowserCookies, nextSecond, openSession, post } from '../support/client';
import { authorizeMobileApp, keepMobileRequest } from '../support/mobile-app';
import { fetchIdToken, createTestUser, type TestUser } from '../support/test-users';
import { servedRoutes } from '../support/served-routes';

const app = servedRoutes();
afterEach(() => void vi.useRealTimers());

type Begun = ReturnType<typeof beginSignIn>;

const authorize = ({ address }: Begun, session: string, headers?: Record<string, string | null>) =>
  authorizeMobileApp(app.origin, address, session, headers);

async function grant(user?: TestUser) {
  const someone = user ?? (await createTestUser());
  const session = await openSession(app.origin, await fetchIdToken(someone));
  const begun = beginSignIn({ appOrigin: app.origin });
  const answer = await authorize(begun, session);
  const address = String(answer.body?.address);
  return { begun, session, user: someone, address, code: codeFrom(address, begun) };
}

const exchange = (code: string, verifier: string) => exchangeCode({ appOrigin: app.origin, code, verifier });
const emulatorHost = process.env.FIREBASE_AUTH_EMULATOR_HOST ?? '';

test('the app gets a custom token, and signs in with it', async () => {
  const { begun, code, user, address } = await grant();
  expect(address).toMatch(/^campus:\/\/oauth-callback\?code=[\w-]{43}&state=/);
  const idToken = await signInWithCustomToken({ emulatorHost, customToken: await exchange(code, begun.verifier) });
  expect((await getIdentityAdmin().verifyIdToken(idToken)).uid).toBe(user.uid);
});

test('a code works once', async () => {
  const { begun, code } = await grant();
  await exchange(code, begun.verifier);
  await expect(exchange(code, begun.verifier)).rejects.toThrow('invalid_grant');
});

test('a wrong verifier consumes the code', async () => {
  const { begun, code } = await grant();
  await expect(exchange(code, beginSignIn({ appOrigin: app.origin }).verifier)).rejects.toThrow('invalid_grant');
  await expect(exchange(code, begun.verifier)).rejects.toThrow('invalid_grant');
});

test('of two concurrent exchanges only one succeeds', async () => {
  const { begun, code } = await grant();
  const results = await Promise.allSettled([exchange(code, begun.verifier), exchange(code, begun.verifier)]);
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('an expired code is refused', async () => {
  const { begun, code } = await grant();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
  await expect(exchange(code, begun.verifier)).rejects.toThrow('invalid_grant');
});

test('the app refuses a response with another state', async () => {
  const { address } = await grant();
  expect(() => codeFrom(address, beginSignIn({ appOrigin: app.origin }))).toThrow('The state is not ours');
});

test.each([
  [
    'signed out',
    async ({ session }: { session: string }) =>
      void (await post(`${app.origin}/api/initiate-logout`, { cookie: session })),
  ],
  ['disabled', ({ user }: { user: TestUser }) => getIdentityAdmin().updateUser(user.uid, { disabled: true })],
  ['deleted', ({ user }: { user: TestUser }) => getIdentityAdmin().deleteUser(user.uid)],
  [
    'revoked',
    async ({ user }: { user: TestUser }) => {
      await nextSecond();
      await revokeAllSessions(user.uid, 'sign-out-everywhere');
    },
  ],
])('a code is invalid once the user is %s', async (_what, act) => {
  const granted = await grant();
  await act(granted);
  await expect(exchange(granted.code, granted.begun.verifier)).rejects.toThrow('invalid_grant');
});

test('no code without a live session, nor for a session just revoked at the provider', async () => {
  const begun = beginSignIn({ appOrigin: app.origin });
  expect((await authorize(begun, 'not-a-cookie')).status).toBe(401);
  const user = await createTestUser();
  const session = await openSession(app.origin, await fetchIdToken(user));
  // Check the session once, so that this process caches it.
  await post(`${app.origin}/api/check-auth-status`, { cookie: session });
  await nextSecond();
  await getIdentityAdmin().revokeRefreshTokens(user.uid);
  expect((await authorize(begun, session)).status).toBe(401);
});

test.each([
  ['the platform', 'http://localhost:3001'],
  ['another site', 'https://evil.example'],
  ['no origin', null],
])('a page of %s gets no code', async (_who, origin) => {
  const session = await openSession(app.origin, await fetchIdToken(await createTestUser()));
  const answer = await authorize(beginSignIn({ appOrigin: app.origin }), session, { origin });
  expect(answer.status).toBe(403);
  expect(answer.headers.get('access-control-allow-origin')).toBeNull();
});

test('the code belongs to the request that the page showed', async () => {
  const session = await openSession(app.origin, await fetchIdToken(await createTestUser()));
  const [shown, newer] = [beginSignIn({ appOrigin: app.origin }), beginSignIn({ appOrigin: app.origin })];
  const cookie = stringifyCookie({
    ...getBrowserCookies(session),
    'mobile-request': keepMobileRequest(newer.address).cookie,
  });
  const body = { request: keepMobileRequest(shown.address).name };
  expect((await post(`${app.origin}/api/mobile/authorize`, { body, headers: { cookie } })).status).toBe(400);
});

test.each([
  ['another scheme', { redirect_uri: 'evil://oauth-callback' }],
  ['a web address', { redirect_uri: 'http://localhost:3001/' }],
  ['another place in the app', { redirect_uri: 'campus://elsewhere' }],
  ['no state', { state: '' }],
  ['a plain challenge', { code_challenge_method: 'plain' }],
  ['a short challenge', { code_challenge: 'abc' }],
])('a request with %s is refused', (_what, change) => {
  const good = Object.fromEntries(new URL(beginSignIn({ appOrigin: app.origin }).address).searchParams);
  expect(parseMobileRequest(good)).not.toBeNull();
  expect(parseMobileRequest({ ...good, ...change })).toBeNull();
});

test('an invalid cookie contains no request', () => {
  const evil = Buffer.from(['evil://x', 'state-1234', 'c'.repeat(43)].join('\n')).toString('base64url');
  for (const value of [evil, '{"redirect_uri":"evil://x"}', '%'])
    expect(readKeptMobileRequest({ cookies: { 'mobile-request': value } })).toBeNull();
});

test('a sign-in with a custom token does not count as a new authentication', async () => {
  const { begun, code } = await grant();
  await nextSecond();
  const idToken = await signInWithCustomToken({ emulatorHost, customToken: await exchange(code, begun.verifier) });
  const { getSessionBackend: sessionBackend } = await import('@/lib/server/session/require-session');
  const { authTime } = await sessionBackend().check(await openSession(app.origin, idToken));
  const { auth_time: newAuthTime } = await getIdentityAdmin().verifyIdToken(idToken);
  expect(authTime).toBeLessThan(newAuthTime);
});
