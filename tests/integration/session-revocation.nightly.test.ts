import { afterEach, expect, test, vi } from 'vitest';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { revokeAllSessions } from '@/lib/server/session/require-session';
import { nextSecond, openSession, post } from '../support/client';
import { fetchIdToken, createTestUser } from '../support/test-users';
import { servedRoutes } from '../support/served-routes';

const app = servedRoutes();
afterEach(() => {
  vi.useRealTimers();
});

const check = (cookie: string) => post(`${app.origin}/api/check-auth-status`, { cookie });

test('revoking all sessions of a user takes effect at once here, and a later sign-in is unaffected', async () => {
  const user = await createTestUser();
  const cookie = await openSession(app.origin, await fetchIdToken(user));
  expect((await check(cookie)).status).toBe(200);
  await nextSecond();
  await revokeAllSessions(user.uid, 'sign-out-everywhere');
  expect((await check(cookie)).body?.code).toBe('token-revoked');
  expect((await check(await openSession(app.origin, await fetchIdToken(user)))).status).toBe(200);
});

test('a check during a revocation still gets a response', async () => {
  const user = await createTestUser();
  const cookie = await openSession(app.origin, await fetchIdToken(user));
  await check(cookie);
  // The cached session state expires after 20 s.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 21_000 });
  await nextSecond();
  const [, ...answers] = await Promise.all([
    revokeAllSessions(user.uid, 'sign-out-everywhere'),
    ...Array.from({ length: 20 }, () => check(cookie)),
  ]);
  for (const { status } of answers) expect([200, 401]).toContain(status);
});

test('a session of a deleted user gets the code for deleted users', async () => {
  const user = await createTestUser();
  const cookie = await openSession(app.origin, await fetchIdToken(user));
  await getIdentityAdmin().deleteUser(user.uid);
  expect((await check(cookie)).body).toMatchObject({ code: 'user-deleted', status: 401 });
});

test('an ended session stays ended with another encoding of its signature', async () => {
  const cookie = await openSession(app.origin, await fetchIdToken(await createTestUser()));
  await post(`${app.origin}/api/initiate-logout`, { cookie });
  expect((await check(`${cookie}AA`)).status).toBe(401);
});
