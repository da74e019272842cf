// Threats: held-connections
import net, { type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { exchange, openSocket, type RawSocket } from '@/tests/support/raw-socket';
import { GuardedServer, MAX_WAITING_REQUESTS } from './guarded-server';
import { getServerSettings } from '@/lib/server/runtime/config/env';
const create = (variables: Record<string, string> = {}) =>
  new GuardedServer(() => undefined, getServerSettings(variables));

test('production bounds: 15 s for headers, 30 s for a request, 60 s for a client that does not read', () => {
  const { headersTimeout, requestTimeout, timeout } = create();
  expect({ headersTimeout, requestTimeout, timeout }).toEqual({
    headersTimeout: 15_000,
    requestTimeout: 30_000,
    timeout: 60_000,
  });
});

test('a connection without a request is closed after 5 s, or as long as the framework reads it, too', () => {
  expect(create().keepAliveTimeout).toBe(5000);
  expect(create({ KEEP_ALIVE_TIMEOUT: '620000' }).keepAliveTimeout).toBe(620_000);
});

test('an invalid setting leaves the default: the start hook reports it and stops the process', () => {
  expect(create({ REQUEST_TIMEOUT: '0', TRUSTED_PROXY_HOPS: 'x' }).requestTimeout).toBe(30_000);
  expect(create({ REQUEST_TIMEOUT: '7' })).toMatchObject({ headersTimeout: 7000, requestTimeout: 7000 });
});

test('an upgrade listener that is added before it listens is removed', async () => {
  const server = create();
  server.on('upgrade', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  expect(server.listeners('upgrade')).toHaveLength(0);
  await new Promise((resolve) => server.close(resolve));
});

/** Starts a server on a free port that responds to every request. */
async function listen() {
  const server = new GuardedServer(
    (_, res) => res.end(),
    getServerSettings({}),
    () => null,
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, port: (server.address() as AddressInfo).port };
}

test('a request on a connection that still waits to be accepted is answered when the server closes', async () => {
  const { server, port } = await listen();
  const request = 'POST /api/a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';
  const answers = Array.from({ length: 20 }, () => exchange(port, request, 2000));
  // Connects before the event loop has a turn in which the server could accept.
  await new Promise<void>((resolve) => process.nextTick(resolve));
  const closed = new Promise((resolve) => server.close(resolve));
  for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  await closed;
});

test('connections that come after the signal are not waited for', async () => {
  let accepted = 0;
  const server = new GuardedServer(
    (_, res) => res.end(),
    getServerSettings({}),
    () => null,
  );
  server.on('connection', () => (accepted += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const request = 'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
  // Each connection is followed by another connection.
  const open = (): void => {
    if (!server.listening) return;
    const socket = net.connect(port, '127.0.0.1', () => socket.write(request));
    socket.on('error', () => undefined).on('close', open);
    socket.resume();
  };
  const clients = 50;
  for (let i = 0; i < clients; i += 1) open();
  await expect.poll(() => accepted).toBeGreaterThan(2 * clients);
  const before = accepted;
  await new Promise((resolve) => server.close(resolve));
  // The system can have held this many connections, plus those of the last turns.
  expect(accepted - before).toBeLessThanOrEqual(511 + 4 * clients);
});

test.each([
  ['one with more headers than Node.js shows', `${'a:\r\n'.repeat(1000)}Connection: upgrade\r\nUpgrade: h2c\r\n`, 431],
  ['one with an unknown expectation', 'Connection: upgrade\r\nUpgrade: h2c\r\nExpect: x\r\n', 417],
])('%s is refused, and the last request of its connection', async (_what, headers, status) => {
  const { server, port } = await listen();
  const next = 'GET /next HTTP/1.1\r\nHost: localhost\r\n\r\n';
  const answer = await exchange(port, `GET /first HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n${next}`, 2000);
  expect(answer.match(/HTTP\/1\.1 \d{3}/g)).toEqual([`HTTP/1.1 ${String(status)}`]);
  await new Promise((resolve) => server.close(resolve));
});

describe('bodies of one client that are still arriving', () => {
  const HEAD = 'HTTP/1.1\r\nHost: localhost\r\n';
  const SLOW = `POST /api/a ${HEAD}Content-Length: 9\r\n\r\n{`;
  const getStatuses = (socket?: RawSocket) => socket?.received().match(/HTTP\/1\.1 \d{3}/g);

  /** @param page the response to every GET; other requests get no response */
  async function serve(page: string) {
    let begun = 0;
    const server = new GuardedServer(
      (req, res) => (req.method === 'GET' ? res.end(page) : undefined),
      getServerSettings({}),
    );
    server.on('request', ({ method }) => (begun += method === 'POST' ? 1 : 0));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const sockets: RawSocket[] = [];
    onTestFinished(async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    });
    return async (bytes: string) => {
      const socket = await openSocket(port);
      sockets.push(socket);
      const before = begun;
      socket.pause();
      socket.write(bytes);
      await expect.poll(() => begun).toBe(before + 1);
      return socket;
    };
  }

  test('the oldest is given up and answered, also on a connection that was used before', async () => {
    const send = await serve('');
    const sockets: RawSocket[] = [];
    for (let i = 0; i < 33; i += 1) sockets.push(await send(`GET /api/a ${HEAD}\r\n${SLOW}`));
    for (const socket of sockets) socket.resume();
    expect(await sockets[0]?.closed(5000)).not.toBeNull();
    expect(getStatuses(sockets[0])).toEqual(['HTTP/1.1 200', 'HTTP/1.1 408']);
    expect(getStatuses(sockets[1])).toEqual(['HTTP/1.1 200']);
  });

  test('count although one that was given up closes later than all of its time', async () => {
    const send = await serve('x'.repeat(50_000_000));
    const unread = await send(`GET /api/a ${HEAD}\r\n${SLOW}`);
    const first: RawSocket[] = [];
    for (let i = 0; i < 32; i += 1) first.push(await send(SLOW));
    for (const socket of first) socket.destroy();
    await sleep(100);
    const second: RawSocket[] = [];
    for (let i = 0; i < 32; i += 1) second.push(await send(SLOW));
    unread.destroy();
    await sleep(100);
    await send(SLOW);
    second[0]?.resume();
    expect(await second[0]?.closed(5000)).not.toBeNull();
    expect(getStatuses(second[0])).toEqual(['HTTP/1.1 408']);
  });
});

describe('pipelined requests of one connection', () => {
  const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
  const paths = (count: number, name = 'page') =>
    Array.from({ length: count }, (_, index) => `/${name}/${String(index)}`);
  const pipeline = (...targets: string[]) => targets.map(request).join('');

  /** Sends each response on demand, with its path. */
  async function serve() {
    const begun: string[] = [];
    const open: (() => void)[] = [];
    const server = new GuardedServer(({ url = '' }, res) => {
      begun.push(url);
      open.push(() => res.end(url));
    }, getServerSettings({}));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(
      () =>
        new Promise<void>((resolve) => {
          server.closeAllConnections();
          server.close(() => resolve());
        }),
    );
    const { port } = server.address() as AddressInfo;
    const send = async (bytes: string) => {
      const socket = await openSocket(port);
      onTestFinished(() => socket.destroy());
      socket.write(bytes);
      return socket;
    };
    return { begun, send, answerNext: () => open.shift()?.(), countOpen: () => open.length };
  }

  const getAnswered = (socket: RawSocket) =>
    [...socket.received().matchAll(/^\/.*?(?=HTTP|$)/gm)].map(([path]) => path);

  test('are answered in order, one at a time', async () => {
    const { begun, send, answerNext, countOpen } = await serve();
    const targets = paths(1 + MAX_WAITING_REQUESTS);
    const socket = await send(pipeline(...targets));
    for (const path of targets) {
      await expect.poll(() => begun.at(-1)).toBe(path);
      expect(countOpen()).toBe(1);
      answerNext();
    }
    await expect.poll(() => getAnswered(socket)).toEqual(targets);
    // Requests with a response no longer count.
    socket.write(pipeline(...paths(1 + MAX_WAITING_REQUESTS, 'again')));
    await expect.poll(() => begun.at(-1)).toBe('/again/0');
    expect(await socket.closed(100)).toBeNull();
  });

  test('other connections do not wait for them', async () => {
    const { begun, send, countOpen } = await serve();
    await send(pipeline('/page', '/waiting'));
    await expect.poll(countOpen).toBe(1);
    await send(request('/other'));
    await expect.poll(() => begun).toEqual(['/page', '/other']);
  });

  test.each([2 + MAX_WAITING_REQUESTS, 2000])(
    '%i are too many: the connection is closed, one was begun',
    async (count) => {
      const { begun, send, answerNext } = await serve();
      const socket = await send(pipeline(...paths(count)));
      expect(await socket.closed(5000)).not.toBeNull();
      answerNext();
      const later = await send(request('/later'));
      await expect.poll(() => begun).toContain('/later');
      expect(begun).toEqual(['/page/0', '/later']);
      expect(await later.closed(0)).toBeNull();
    },
  );

  test.each(['destroy', 'end'] as const)(
    'those that wait are dropped when the client hangs up (%s)',
    async (hangUp) => {
      const { begun, send, answerNext, countOpen } = await serve();
      const socket = await send(pipeline(...paths(10)));
      await expect.poll(countOpen).toBe(1);
      socket[hangUp]();
      if (hangUp === 'end') expect(await socket.closed(5000)).not.toBeNull();
      await send(request('/later'));
      await expect.poll(() => begun).toContain('/later');
      while (countOpen() > 0) answerNext();
      await send(request('/last'));
      await expect.poll(() => begun).toContain('/last');
      expect(begun).toEqual(['/page/0', '/later', '/last']);
    },
  );
});
