// ASVS: 7.6.2
// Threats: custom-token
import { expect, test } from 'vitest';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { signInWithCustomToken } from '../../examples/mobile/client.mjs';
import { nextSecond, openSession, post } from '../support/client';
import { fetchIdToken, createTestUser } from '../support/test-users';
import { servedRoutes, startRoutesProcess } from '../support/served-routes';

const app = servedRoutes();

const autoSignIn = (cookie: string | undefined, headers: Record<string, string | null> = {}) =>
  post(`${app.origin}/api/auto-sign-in`, { ...(cookie !== undefined && { cookie }), headers });
const emulatorHost = process.env.FIREBASE_AUTH_EMULATOR_HOST ?? '';

test('a live session gets a custom token of the same user', async () => {
  const user = await createTestUser();
  const answer = await autoSignIn(await openSession(app.origin, await fetchIdToken(user)));
  expect(answer.status).toBe(200);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  const idToken = await signInWithCustomToken({ emulatorHost, customToken: String(answer.body?.customToken) });
  expect((await getIdentityAdmin().verifyIdToken(idToken)).uid).toBe(user.uid);
});

test('no token without a session', async () => {
  expect((await autoSignIn(undefined)).status).toBe(401);
  expect((await autoSignIn('made-up')).status).toBe(401);
});

test('no token for a session that was ended here or just revoked at the provider', async () => {
  const ended = await openSession(app.origin, await fetchIdToken(await createTestUser()));
  await post(`${app.origin}/api/initiate-logout`, { cookie: ended });
  expect((await autoSignIn(ended)).status).toBe(401);

  const user = await createTestUser();
  const revoked = await openSession(app.origin, await fetchIdToken(user));
  await post(`${app.origin}/api/check-auth-status`, { cookie: revoked });
  await nextSecond();
  await getIdentityAdmin().revokeRefreshTokens(user.uid);
  expect((await autoSignIn(revoked)).status).toBe(401);
});

test.each(['http://localhost:3001', 'https://evil.example', 'null', null])(
  'a page of %s gets no token',
  async (origin) => {
    const session = await openSession(app.origin, await fetchIdToken(await createTestUser()));
    const answer = await autoSignIn(session, { origin, 'sec-fetch-site': 'same-site' });
    expect(answer.status).toBe(403);
    expect(answer.body?.customToken).toBeUndefined();
  },
);

test('no token for sessions of another deployment', async () => {
  const other = await startRoutesProcess({ SESSION_BACKEND: 'upstream', UPSTREAM_IDENTITY_URL: app.origin });
  const session = await openSession(app.origin, await fetchIdToken(await createTestUser()));
  const answer = await post(`${other.origin}/api/auto-sign-in`, { cookie: session });
  await other.stop();
  expect(answer.status).toBe(404);
});
