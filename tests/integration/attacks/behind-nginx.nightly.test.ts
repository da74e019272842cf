// Threats: held-connections, flooding
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { ApiProblem, type ProblemCode } from '@/lib/shared/problem';
import { hasNginx, startNginx } from '../../../scripts/lib/nginx.mjs';
import { freePorts } from '../../../scripts/lib/ports.mjs';

const [ATTACKER, LEARNER] = ['127.66.0.1', '127.77.0.1'];

// Only Linux can connect from any address of 127.0.0.0/8.
describe.runIf(hasNginx() && process.platform === 'linux')('nginx as it is shipped', () => {
  let nginx: Awaited<ReturnType<typeof startNginx>>;
  let port = 0;
  const sockets: Socket[] = [];

  beforeAll(async () => {
    [port = 0] = await freePorts(1);
    const { appOrigin, checkOrigin } = inject('endpoints');
    // Each origin is listed twice, because nginx never skips a single process.
    nginx = await startNginx({
      port,
      origins: [appOrigin, appOrigin],
      checkOrigins: [checkOrigin, checkOrigin],
    });
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });
  afterAll(() => nginx.stop());

  async function open(from: string, firstBytes: string): Promise<Socket> {
    const socket = connect({ host: '127.0.0.1', port, localAddress: from });
    sockets.push(socket);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(firstBytes);
    return socket;
  }
  const begin = (line: string) => `${line} HTTP/1.1\r\nHost: localhost:${String(port)}\r\n`;
  /** Sends until there is a response. */
  async function readAnswer(socket: Socket, more: string | null = null): Promise<string> {
    const timer = setInterval(() => more !== null && socket.writable && socket.write(more), 5);
    const [first] = (await once(socket, 'data').finally(() => clearInterval(timer))) as [Buffer];
    return first.toString();
  }
  const expectProblem = (body: string, code: ProblemCode) =>
    expect(JSON.parse(body)).toEqual(JSON.parse(JSON.stringify(new ApiProblem(code))));
  const ask = async (from: string) => readAnswer(await open(from, `${begin('GET /api/health/live')}\r\n`));

  test('closes a connection whose header takes long, although bytes keep coming, and serves others meanwhile', async () => {
    const start = performance.now();
    const slow = await Promise.all(
      Array.from({ length: 1_000 }, (_, i) =>
        open(`127.66.${String(i >> 8)}.${String(i & 255)}`, begin('POST /api/password-reset')),
      ),
    );
    const timer = setInterval(() => slow.forEach((socket) => socket.writable && socket.write('x')), 2_000);
    slow.forEach((socket) => socket.resume());
    expect(await ask(LEARNER)).toMatch(/^HTTP\/1\.1 200 /);
    expect(slow.filter((socket) => socket.closed)).toEqual([]);
    // A reset also counts. On a busy machine, bytes can be on their way to a closed connection.
    await Promise.all(slow.map((socket) => new Promise((done) => socket.once('close', done))));
    clearInterval(timer);
    const seconds = (performance.now() - start) / 1000;
    expect(seconds).toBeGreaterThan(14);
    expect(seconds).toBeLessThan(40);
  });

  test.each([
    ['says that it is too large', 'Content-Length: 50000000', '', null],
    ['never ends', 'Transfer-Encoding: chunked', '', `2000\r\n${'x'.repeat(0x2000)}\r\n`],
  ])('refuses a body that %s', async (_, header, bytes, more) => {
    const socket = await open(ATTACKER, `${begin('POST /api/password-reset')}${header}\r\n\r\n${bytes}`);
    const [head = '', body = ''] = (await readAnswer(socket, more)).split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 413 /);
    expectProblem(body, 'body-too-large');
  });

  test('logs no query, also of a request that it refuses', async () => {
    const socket = await open(ATTACKER, `${begin('POST /api/logged?code=SeCrEt')}Content-Length: 50000000\r\n\r\n`);
    expect(await readAnswer(socket)).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
    await expect.poll(() => nginx.readLogs()).toContain('"POST /api/logged HTTP/1.1" 413 ');
    expect(nginx.readLogs()).not.toContain('SeCrEt');
  });

  test.each([
    ['/api/password-reset', 16],
    ['/api/auth-helper/handler', 512],
    ['/__/auth/handler', 512],
    ['/api/monitoring', 1024],
    ['/monitoring', 1024],
  ])('lets a body of %s pass that the app takes, of up to %i KiB', async (path, kib) => {
    const size = kib * 1024;
    const body = 'x'.repeat(size);
    const request = `${begin(`POST ${path}`)}Connection: close\r\nContent-Length: ${String(size)}\r\n\r\n${body}`;
    expect(await readAnswer(await open(LEARNER, request))).not.toMatch(/^HTTP\/1\.1 (?:413|5\d\d) /);
  });

  test.each([
    ['GET', '/sign-in?redirect_uri=http%3A%2F%2Flocalhost', 200],
    ['GET', '/registration?theme=dark', 200],
    ['GET', '/__/auth/handler', 404],
    ['GET', '/.well-known/security.txt', 404],
    ['POST', '/monitoring', 403],
  ])(
    'gets the answer to %s %s, which the app rewrites, from a process on a loopback address',
    async (method, path, status) => {
      const answer = await fetch(nginx.origin + path, { method });
      expect([answer.status, await answer.text()]).toEqual([
        status,
        expect.not.stringMatching(/^Internal Server Error/),
      ]);
    },
  );

  test('closes a connection for another host without an answer', async () => {
    const socket = await open(ATTACKER, 'GET /sign-in HTTP/1.1\r\nHost: other.example\r\n\r\n');
    let bytes = 0;
    socket.on('data', (data) => (bytes += data.length));
    await once(socket, 'close');
    expect(bytes).toBe(0);
  });

  test('answers an address whose redirect has a header of twice its length', async () => {
    const target = `/nope/?${'x'.repeat(15_000)}`;
    const answer = await readAnswer(await open(LEARNER, `${begin(`GET ${target}`)}\r\n`));
    expect(answer).toMatch(/^HTTP\/1\.1 308 /);
  });

  const long = 'x'.repeat(9_000);
  test.each<[string, () => string]>([
    [
      'the deletion of hundreds of cookies',
      () => {
        const cookies = Array.from({ length: 400 }, (_, i) => `sign-in-email-${String(10_000_000 + i)}=`).join('; ');
        const headers = `Origin: http://localhost:${String(port)}\r\nCookie: ${cookies}\r\nContent-Length: 0\r\n`;
        return `${begin('POST /api/clear-device')}${headers}\r\n`;
      },
    ],
    [
      'more headers than a process takes, before a body',
      () =>
        `${begin('POST /api/monitoring')}A: ${long}\r\nB: ${long}\r\nContent-Length: 500000\r\n\r\n${'x'.repeat(500_000)}`,
    ],
  ])('goes on answering others while a client asks for %s', async (_, getBytes) => {
    for (let round = 0; round < 4; round += 1) {
      await readAnswer(await open(ATTACKER, getBytes()));
      expect(await ask(LEARNER)).toMatch(/^HTTP\/1\.1 200 /);
    }
  });

  test('answers a client with hundreds of bodies in progress as the app refuses, its pages and other clients as ever', async () => {
    const unfinished = `${begin('POST /api/password-reset')}Content-Length: 100\r\n\r\n{`;
    let refused = 0;
    for (const socket of await Promise.all(Array.from({ length: 300 }, () => open(ATTACKER, unfinished))))
      socket.once('data', () => (refused += 1));
    // Ask nothing before, because that request would replace one of these.
    await expect.poll(() => refused).toBe(300 - 256);
    const [head = '', body = ''] = (await readAnswer(await open(ATTACKER, unfinished))).split('\r\n\r\n');
    expectProblem(body, 'too-many-requests');
    expect(head).toMatch(/^Content-Type: application\/problem\+json\r?$/m);
    expect(head).toMatch(/^Retry-After: \d+\r?$/m);
    expect(head).toMatch(/^Cache-Control: no-store\r?$/m);
    expect(head).toMatch(/^X-Request-Id: [\da-f]{32}\r?$/m);
    for (const client of [LEARNER, ATTACKER]) expect(await ask(client)).toMatch(/^HTTP\/1\.1 200 /);
    for (const socket of sockets.splice(0)) socket.destroy();
    const whole = `${begin('POST /api/nowhere')}Content-Length: 2\r\n\r\n{}`;
    await expect.poll(async () => readAnswer(await open(ATTACKER, whole))).toMatch(/^HTTP\/1\.1 404 /);
  });
});
