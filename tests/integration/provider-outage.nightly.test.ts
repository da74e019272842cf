// Threats: dependency-failure
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { getSessionBackend } from '@/lib/server/session';
import { makeGate } from '../../scripts/lib/gate.mjs';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { nextSecond, openSession, post } from '../support/client';
import { setProviderHost } from '../support/provider';
import { fetchIdToken, createTestUser } from '../support/test-users';
import { serveRoutes, type RunningRoutes } from '../support/routes';

let app: RunningRoutes;
/** Restarting the emulator instead would revoke all sessions. */
let line: ReturnType<typeof makeGate>;

beforeAll(async () => {
  const [port = 0] = await freePorts(1);
  line = makeGate({ port, target: Number(process.env.FIREBASE_AUTH_EMULATOR_HOST?.split(':')[1]) });
  await line.open();
  await setProviderHost(line.url);
  app = await serveRoutes();
});
afterEach(() => {
  vi.useRealTimers();
});
afterAll(async () => {
  await app.close();
  await line.close();
});

const check = (cookie: string) => post(`${app.origin}/api/check-auth-status`, { cookie });

test('during an outage of the provider no session is ended, and everything works afterwards', async () => {
  const user = await createTestUser();
  const token = await fetchIdToken(user);
  const kept = await openSession(app.origin, token);
  await nextSecond();
  const left = await openSession(app.origin, await fetchIdToken(user));
  expect((await check(kept)).status).toBe(200);

  await line.close();
  // A cached session state is still valid.
  expect((await check(kept)).status).toBe(200);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 21_000 });
  const undecided = await check(kept);
  expect([undecided.status, undecided.body?.code]).toEqual([503, 'provider-unavailable']);
  expect(Number(undecided.headers.get('retry-after'))).toBeGreaterThan(0);
  // The session state is unknown, so the response must not sign out the user.
  expect(undecided.cookies).toEqual({});

  const refused = await post(`${app.origin}/api/create-user-session`, { body: { token } });
  expect([refused.status, refused.body?.code]).toEqual([503, 'provider-unavailable']);
  expect(refused.cookies).toEqual({});

  const logout = await post(`${app.origin}/api/initiate-logout`, { cookie: left });
  expect(logout.status).toBe(200);
  expect((await check(left)).status).toBe(401);

  await line.open();
  vi.useRealTimers();
  expect((await check(kept)).status).toBe(200);
  expect((await check(left)).status).toBe(401);
  expect(await openSession(app.origin, await fetchIdToken(user))).toBeTruthy();
});

test('during an outage a browser whose cookie cannot be verified is not said to have no session', async () => {
  const user = await createTestUser();
  const sessionCookie = await openSession(app.origin, await fetchIdToken(user));
  const ask = () => getSessionBackend().requireOwnBrowser(user.uid, { sessionCookie, device: { secret: null } });
  await line.close();
  // The previous check may have made the last call to which the provider responded.
  await expect(ask()).rejects.toMatchObject({ code: 'provider-unavailable' });
  await line.open();
});
