// Threats: dependency-failure
import net from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { nextSecond, openSession, post } from '../support/client';
import { fetchIdToken, createTestUser } from '../support/test-users';
import { serveRoutes, type RunningRoutes } from '../support/routes';

/** A connection to the provider that can be cut: restarting the emulator would revoke all sessions. */
class Line {
  private readonly sockets = new Set<net.Socket>();
  private readonly server = net.createServer((near) => {
    const far = net.connect(this.target);
    for (const socket of [near, far]) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => this.sockets.delete(socket));
    }
    near.pipe(far).pipe(near);
  });
  private port = 0;

  constructor(private readonly target: { host: string; port: number }) {}

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(this.port, '127.0.0.1', resolve));
    this.port = (this.server.address() as net.AddressInfo).port;
    return `localhost:${this.port}`;
  }

  cut(): Promise<void> {
    this.sockets.forEach((socket) => socket.destroy());
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}

let app: RunningRoutes;
let line: Line;

beforeAll(async () => {
  const [host = '', port] = (process.env.FIREBASE_AUTH_EMULATOR_HOST ?? '').split(':');
  line = new Line({ host, port: Number(port) });
  process.env.FIREBASE_AUTH_EMULATOR_HOST = await line.open();
  app = await serveRoutes();
});
afterEach(() => {
  vi.useRealTimers();
});
afterAll(async () => {
  await app.close();
  await line.cut();
});

const check = (cookie: string) => post(`${app.origin}/api/check-auth-status`, { cookie });

test('during an outage of the provider no session is ended, and everything works afterwards', async () => {
  const user = await createTestUser();
  const token = await fetchIdToken(user);
  const kept = await openSession(app.origin, token);
  await nextSecond();
  const left = await openSession(app.origin, await fetchIdToken(user));
  expect((await check(kept)).status).toBe(200);

  await line.cut();
  // A cached session state still holds.
  expect((await check(kept)).status).toBe(200);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 21_000 });
  const undecided = await check(kept);
  expect([undecided.status, undecided.body?.code]).toEqual([503, 'provider-unavailable']);
  expect(Number(undecided.headers.get('retry-after'))).toBeGreaterThan(0);
  // The session state is unknown, so the response must not sign the user out.
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
