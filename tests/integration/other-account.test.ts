// Threats: stale-tab
import { expect, inject, it } from 'vitest';
import { createAccountsClient } from '../support/accounts-client';
import { openSession, post } from '../support/client';
import { servedRoutes } from '../support/served-routes';
import { createTestUser, fetchIdToken } from '../support/test-users';

const app = servedRoutes();

const accounts = createAccountsClient({ emulatorHost: inject('emulatorHost'), projectId: 'demo-campus' });

/** Opens a browser in which `second` has signed in, with a page that still shows `first`. */
async function openStalePage() {
  const [first, second] = [await createTestUser(), await createTestUser()];
  const token = await fetchIdToken(second);
  const cookie = await openSession(app.origin, token);
  const call = (path: string, body?: unknown, account: string | null = first.uid) =>
    post(`${app.origin}${path}`, { cookie, body, headers: { 'x-account-uid': account } });
  return { first, second, token, cookie, call };
}

it('refuses every change of a page that shows another account', async () => {
  const { second, token, cookie, call } = await openStalePage();
  const calls: [string, unknown?][] = [
    ['/api/account/sign-out-everywhere'],
    ['/api/account/password', { current: second.password, password: 'another-horse-8-battery' }],
    ['/api/account/unlink-method', { token, method: 'password' }],
    ['/api/account/activity', { before: null }],
    ['/api/auto-sign-in'],
    ['/api/create-user-session', { token }],
    ['/api/mobile/authorize', { request: 'any' }],
    ['/api/clear-device'],
    ['/api/initiate-logout'],
  ];
  for (const [path, body] of calls) {
    const answer = await call(path, body);
    expect([path, answer.status, answer.body?.code, answer.cookies]).toEqual([path, 409, 'other-account', {}]);
  }
  expect((await post(`${app.origin}/api/check-auth-status`, { cookie })).body?.uid).toBe(second.uid);
  await accounts.idToken(second);
});

it('refuses a call from a page of another account, and names the one that is signed in', async () => {
  const { second, call } = await openStalePage();
  const answer = await call('/api/check-auth-status');
  expect([answer.status, answer.body?.uid]).toEqual([200, second.uid]);
});

it('accepts calls that name the account, or none', async () => {
  const { second, cookie, call } = await openStalePage();
  expect((await call('/api/auto-sign-in', undefined, second.uid)).status).toBe(200);
  expect((await call('/api/auto-sign-in', undefined, null)).status).toBe(200);
  expect((await call('/api/initiate-logout', undefined, second.uid)).status).toBe(200);
  expect((await post(`${app.origin}/api/check-auth-status`, { cookie })).status).toBe(401);
});

it('signs in a browser without a session, whatever its page showed before', async () => {
  const { first, token } = await openStalePage();
  const headers = { 'x-account-uid': first.uid };
  expect((await post(`${app.origin}/api/create-user-session`, { body: { token }, headers })).status).toBe(200);
});

it('does not accept a cookie that only claims to be of the account', async () => {
  const { first, call } = await openStalePage();
  const claims = Buffer.from(JSON.stringify({ sub: first.uid })).toString('base64url');
  const headers = { 'x-account-uid': first.uid };
  const answer = await post(`${app.origin}/api/account/sign-out-everywhere`, { cookie: `e30.${claims}.`, headers });
  expect(answer.status).toBe(401);
  expect((await call('/api/check-auth-status')).status).toBe(200);
});
