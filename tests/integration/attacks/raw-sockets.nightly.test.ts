// Threats: held-connections
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { METHODS } from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { MAX_WAITING_REQUESTS } from '@/lib/server/launch/listener/guarded-server';
import { root, testDistDir } from '../../../scripts/lib/paths.mjs';
import { freePorts } from '../../../scripts/lib/ports.mjs';
import { startOtherApp } from '../../../scripts/lib/stack.mjs';
import { createAccountsClient } from '../../support/accounts-client';
import { openSession } from '../../support/client';
import { exchange, openSocket, type RawSocket } from '../../support/raw-socket';

/** Node.js looks for late requests once a second. The remaining time is for a busy machine. */
const [REQUEST_TIMEOUT, SLACK_MS] = [2, 6000];
const BOUND_MS = REQUEST_TIMEOUT * 1000 + SLACK_MS;
const HOST = 'Host: localhost\r\n';
const CLOSE = `${HOST}Connection: close\r\n`;

const PAGES = ['/sign-in', '/security', '/sign-out', '/nope', '/a//b', '/_next/webpack-hmr', '/mark.svg', '/'];
const ROUTES = [
  '/api/health/live',
  '/api/check-auth-status',
  '/api/nowhere',
  '/monitoring',
  '/__/auth/handler',
  '/.well-known/security.txt',
];
const PATHS = [...PAGES, ...ROUTES];
const UPGRADES = {
  websocket:
    'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n',
  h2c: 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n', // cspell:disable-line
  unknown: 'Connection: keep-alive, upgrade\r\nUpgrade: anything/1\r\n',
};

/** The two listeners of a process (docs/adr/0039), and requests to which only one of them responds. */
const LISTENERS = {
  'the framework': {
    origin: 'appOrigin',
    paths: PATHS,
    // This call waits for the last byte of a body.
    call: '/api/create-user-session',
    others: [200, 405, 200],
    givenUp: 408,
  },
  'session checks': {
    origin: 'checkOrigin',
    paths: ['/api/health/live', '/api/check-auth-status'],
    // This call reads no body, so it responds before.
    call: '/api/check-auth-status',
    others: [200, 404, 404],
    givenUp: 401,
  },
} as const;
type Listener = (typeof LISTENERS)[keyof typeof LISTENERS];

let app: Awaited<ReturnType<typeof startOtherApp>>;

const start = async () => {
  const [checkPort] = await freePorts(1);
  return startOtherApp(inject('endpoints'), {
    REQUEST_TIMEOUT: String(REQUEST_TIMEOUT),
    TRUSTED_PROXY_HOPS: '1',
    LOG_LEVEL: 'info',
    CHECK_PORT: String(checkPort),
  });
};
/** Sends a call from our own page without the last byte of its body. */
const postSlowly = ({ endpoints }: typeof app, { call }: Listener, headers = '') =>
  `POST ${call} HTTP/1.1\r\n${HOST}Origin: ${endpoints.appOrigin}\r\n${headers}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{`;
const getPort = ({ endpoints }: typeof app, { origin }: Listener) => Number(new URL(endpoints[origin]).port);
const getStatus = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
const getHeader = (answer: string, name: string) => new RegExp(`^${name}: (.*)\r$`, 'im').exec(answer)?.[1];
const getLargestScript = () => {
  const folder = path.join(root, testDistDir, 'static/chunks');
  const getSize = (file: string) => statSync(path.join(folder, file)).size;
  return readdirSync(folder)
    .filter((file) => file.endsWith('.js'))
    .sort((a, b) => getSize(b) - getSize(a))[0];
};
/**
 * Counts the process's descriptors without its connections to other services, which its background work opens and
 * closes.
 */
const countDescriptors = () => {
  const ports = Object.values(LISTENERS).map((listener) => getPort(app, listener));
  const outgoing = ['tcp', 'tcp6']
    .flatMap((table) => readFileSync(`/proc/${app.pid}/net/${table}`, 'utf8').trim().split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local = '']) => !ports.includes(parseInt(local.split(':')[1] ?? '', 16)))
    .map((fields) => `socket:[${fields[9]}]`);
  const folder = `/proc/${app.pid}/fd`;
  return readdirSync(folder).filter((name) => {
    try {
      return !outgoing.includes(readlinkSync(path.join(folder, name)));
    } catch {
      // The descriptor was closed.
      return false;
    }
  }).length;
};
const getComplaints = () =>
  readFileSync(app.logFile, 'utf8')
    .split('\n')
    .filter((line) => /^\{"level":[456]0/.test(line));

beforeAll(async () => {
  app = await start();
  // Everything that is loaded or connected on first use must exist before descriptors are counted.
  for (const listener of Object.values(LISTENERS))
    for (const path of PATHS) await exchange(getPort(app, listener), `GET ${path} HTTP/1.1\r\n${CLOSE}\r\n`, BOUND_MS);
}, 240_000);
afterAll(() => app.stop());

describe.runIf(process.platform === 'linux').each(Object.entries(LISTENERS))(
  'whatever is sent to %s',
  (_name, listener) => {
    const isFramework = listener.origin === 'appOrigin';
    const ask = (bytes: string) => exchange(port, bytes, BOUND_MS);
    const isHere = (path: string) => listener.paths.some((each) => each === path);
    let port = 0;
    let [before, complaints]: [number, string[]] = [0, []];
    beforeAll(() => {
      port = getPort(app, listener);
      [before, complaints] = [countDescriptors(), getComplaints()];
    });

    test.each(METHODS)('%s is answered on every path, and pages have GET and HEAD alone', async (method) => {
      for (const path of PATHS) {
        const answer = await ask(`${method} ${path} HTTP/1.1\r\n${CLOSE}Content-Length: 0\r\n\r\n`);
        // Node.js closes a tunnel that no code opens.
        if (method === 'CONNECT') expect(answer).toBe('');
        else expect(getStatus(answer), path).toBeLessThan(500);
        if (method === 'CONNECT') continue;
        if (!isHere(path)) expect([path, getStatus(answer), answer.split('\r\n\r\n')[1]]).toEqual([path, 404, '']);
        if (!isFramework || !PAGES.includes(path) || ['GET', 'HEAD'].includes(method)) continue;
        if (path === '/sign-out' && method === 'POST') continue;
        expect([path, getStatus(answer)]).toEqual([path, 405]);
        expect(getHeader(answer, 'allow')).toBe(path === '/sign-out' ? 'GET, HEAD, POST' : 'GET, HEAD');
        expect(getHeader(answer, 'x-content-type-options')).toBe('nosniff');
      }
    });

    test.runIf(isFramework)(
      'a form that scripts did not send leads back to its page, without what was typed',
      async () => {
        const form = 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 10\r\n';
        const answer = await ask(`POST /sign-in?theme=dark HTTP/1.1\r\n${CLOSE}${form}\r\npassword=x`);
        expect([getStatus(answer), getHeader(answer, 'location')]).toEqual([303, '/sign-in?theme=dark']);
      },
    );

    test.each([
      ...[
        'http://evil.example/sign-in',
        'http://evil.example/',
        'https://evil.example',
        'javascript://evil.example/%0a',
      ],
      ...['//evil.example/sign-in', '//evil.example/', '/\\evil.example', '///evil.example/', '/.//evil.example/'],
      ...[
        '/%2fevil.example/',
        '/%5cevil.example/',
        '/a/..//evil.example/',
        '/sign-in/?x=//evil.example',
        '*',
        'sign-in',
      ],
      ...['?x', 'evil.example:443', '/%zz', '/%00', '/%C3%28', '/sign-in#x', '/sign-in?%zz', '/_next/../server.js'],
      ...[
        '/_next/image?url=%2Fmark.svg&w=64&q=75',
        '/_next/data/x/sign-in.json',
        '/_next/static/%00',
        `/${'a'.repeat(9000)}`,
      ],
    ])('target %s is answered, and leads to no other host', async (target) => {
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const form = 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 0\r\n';
        const answer = await ask(`${method} ${target} HTTP/1.1\r\n${CLOSE}${form}\r\n`);
        expect(getStatus(answer)).toBeGreaterThanOrEqual(200);
        expect(getStatus(answer)).toBeLessThan(500);
        expect(getHeader(answer, 'location') ?? '/').toMatch(/^\/(?![/\\])/);
        // Node.js itself refuses some targets that are not a path.
        if (!isFramework) expect(getStatus(answer)).toBeOneOf(target.startsWith('/') ? [404] : [400, 404]);
        else if (!target.startsWith('/')) expect(getStatus(answer)).toBeOneOf([400, 405]);
      }
    });

    // Other proxies than nginx pass a path unchanged, but decide by the resolved path.
    test.each(['/api/../sign-in', '/api/%2E./sign-in', '/_next/static/../../sign-in', '/x\\..\\sign-in', '/sign-in/.'])(
      'target %s is no page of the path that it leads to',
      async (target) => {
        for (const method of ['GET', 'POST', 'PUT', 'OPTIONS'])
          expect(getStatus(await ask(`${method} ${target} HTTP/1.1\r\n${CLOSE}Content-Length: 0\r\n\r\n`))).toBe(
            isFramework ? 400 : 404,
          );
      },
    );

    test.each(Object.entries(UPGRADES))(
      'an upgrade to %s is ignored, and the last of its connection',
      async (_kind, headers) => {
        for (const path of ['/nope', PAGES[0], ROUTES[0]])
          for (const method of ['GET', 'POST', 'OPTIONS']) {
            const [answer, plain] = await Promise.all(
              [`${HOST}${headers}`, CLOSE].map((lines) => ask(`${method} ${path} HTTP/1.1\r\n${lines}\r\n`)),
            );
            expect([path, getStatus(answer ?? ''), getHeader(answer ?? '', 'connection')]).toEqual([
              path,
              getStatus(plain ?? ''),
              'close',
            ]);
          }
      },
    );

    test('a call with an offer of an upgrade is answered whole, although its body comes late', async () => {
      const socket = await openSocket(port);
      const headers = `${UPGRADES.h2c}Origin: ${app.endpoints.appOrigin}\r\nContent-Type: application/json\r\n`;
      socket.write(`POST ${listener.call} HTTP/1.1\r\n${HOST}${headers}Content-Length: 2\r\n\r\n`);
      expect(await socket.closed(200)).toBeNull();
      socket.write('{}');
      expect(await socket.closed(BOUND_MS)).not.toBeNull();
      expect([getStatus(socket.received()), getHeader(socket.received(), 'connection')]).toEqual([
        isFramework ? 400 : 401,
        'close',
      ]);
    });

    test('more headers than Node.js shows are refused, whatever follows them', async () => {
      const path = listener.paths[0] ?? '';
      for (const hidden of [...Object.values(UPGRADES), 'Content-Length: 9\r\n', 'X-Forwarded-For: 203.0.113.9\r\n']) {
        const request = `POST ${path} HTTP/1.1\r\n${HOST}${'a: b\r\n'.repeat(1000)}${hidden}\r\n`;
        const answer = await ask(`${request}GET /mark.svg HTTP/1.1\r\n${HOST}\r\n`);
        expect(answer.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 431']);
        expect(getHeader(answer, 'connection')).toBe('close');
      }
    });

    test('a client that asks for an upgrade and hangs up leaves nothing behind', async () => {
      const sockets = await Promise.all(Array.from({ length: 100 }, () => openSocket(port)));
      for (const socket of sockets) {
        socket.write(`GET /nope HTTP/1.1\r\n${HOST}${UPGRADES.websocket}\r\n`);
        socket.end();
      }
      for (const socket of sockets) expect(await socket.closed(BOUND_MS)).not.toBeNull();
    });

    test('expectations, unreadable requests and contradictory lengths are answered', async () => {
      const expecting = `POST /api/check-auth-status HTTP/1.1\r\n${CLOSE}Content-Length: 2\r\nExpect:`;
      expect(getStatus(await ask(`${expecting} 100-continue\r\n\r\n{}`))).toBe(100);
      expect(getStatus(await ask(`${expecting} anything\r\n\r\n{}`))).toBe(417);
      const offering = await ask(`GET /sign-in HTTP/1.1\r\n${HOST}${UPGRADES.h2c}Expect: anything\r\n\r\n`);
      expect([getStatus(offering), getHeader(offering, 'connection')]).toEqual([417, 'close']);
      const chunked = 'Transfer-Encoding: chunked\r\n';
      for (const bytes of [
        ...[
          'FOO / HTTP/1.1\r\n\r\n',
          '\u0016\u0003\u0001\u0002\u0000',
          'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
          '\r\n\r\n\u0000',
        ],
        ...['GET /sign-in HTTP/1.1\r\n\r\n', `GET /sign-in HTTP/1.1\r\n${HOST}Host : x\r\n\r\n`],
        `GET /api/health/live HTTP/1.1\r\n${CLOSE}HOST: other.example\r\n\r\n`,
        `POST /api/check-auth-status HTTP/1.1\r\n${CLOSE}Content-Length: 5\r\n${chunked}\r\n0\r\n\r\n`,
        `POST /api/check-auth-status HTTP/1.1\r\n${CLOSE}${chunked}\r\nzz\r\n\r\n`,
      ])
        expect([bytes, getStatus(await ask(bytes))]).toEqual([bytes, 400]);
      expect(getStatus(await ask(`GET /sign-in HTTP/1.1\r\n${CLOSE}X: ${'x'.repeat(20_000)}\r\n\r\n`))).toBe(431);
    });

    test('a cookie whose name is no token is not taken for the one that is left without its white space', async () => {
      const { endpoints } = app;
      const accounts = createAccountsClient(endpoints);
      const session = await openSession(endpoints.appOrigin, await accounts.idToken(await accounts.create()), {
        origin: endpoints.appOrigin,
      });
      const check = (cookie: string) =>
        ask(`POST /api/check-auth-status HTTP/1.1\r\n${CLOSE}Cookie: ${cookie}\r\nContent-Length: 0\r\n\r\n`);
      const named = `_secure-user-session=${session}`;
      for (const cookie of [named, `\t${named}`, `a=1;${named};b`, `é=1; ${named}; =c`])
        expect([cookie, getStatus(await check(cookie))]).toEqual([cookie, 200]);
      for (const cookie of [`\xa0${named}`, `a=1; \xa0${named}`, `=${named}`, `\xa0 ${named}`, `"x"${named}`])
        expect([cookie, getStatus(await check(cookie))]).toEqual([cookie, 401]);
    });

    test('pipelined requests are answered in order, and those after an offer of an upgrade are not', async () => {
      const request = (path: string, more = '') => `GET ${path} HTTP/1.1\r\n${HOST}${more}\r\n`;
      const getStatuses = (answer: string) =>
        [...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, code]) => Number(code));
      const answer = await ask(
        `${request('/api/health/live')}TRACE / HTTP/1.1\r\n${HOST}\r\n${request('/mark.svg', 'Connection: close\r\n')}`,
      );
      expect(getStatuses(answer)).toEqual(listener.others);
      const upgraded = await ask(`${request('/nope', UPGRADES.h2c)}${request('/mark.svg')}`);
      expect(getStatuses(upgraded)).toHaveLength(1);
    });

    test('a connection gets one page at a time, and is closed for too many requests, while others are answered', async () => {
      const path = isFramework ? '/sign-in' : '/api/health/live';
      const page = `GET ${path} HTTP/1.1\r\n${HOST}\r\n`;
      const flood = await openSocket(port);
      flood.write(page.repeat(2000));
      const other = ask(`GET ${path} HTTP/1.1\r\n${CLOSE}\r\n`);
      expect(await flood.closed(BOUND_MS)).not.toBeNull();
      expect(getStatus(await other)).toBe(200);
      flood.destroy();
    });

    test.each([
      ['nothing', ''],
      ['half of a request line', 'GET /sign-'],
      ['half of the headers', `GET /sign-in HTTP/1.1\r\n${HOST}`],
      [
        'half of a body',
        `POST /api/create-user-session HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
      ],
      ['half of the body of a page', `POST /sign-in HTTP/1.1\r\n${HOST}Content-Length: 100\r\n\r\n{`],
      ['half of a chunk', `POST /monitoring HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n10\r\nabc`],
      ['half of the body of a GET', `GET /sign-in HTTP/1.1\r\n${HOST}Content-Length: 100\r\n\r\n{`],
    ])('a client that sends %s is closed, whether it waits or ends its side', async (_what, bytes) => {
      for (const ends of [false, true]) {
        const socket = await openSocket(port);
        socket.write(bytes);
        if (ends) socket.end();
        expect(await socket.closed(BOUND_MS)).not.toBeNull();
        socket.destroy();
      }
    });

    test.each([
      ['header', `GET /nope HTTP/1.1\r\n${HOST}X: `],
      [
        'body',
        `POST /api/create-user-session HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nContent-Length: 9999\r\n\r\n`,
      ],
      ['body of a page', `POST /sign-in HTTP/1.1\r\n${HOST}Content-Length: 9999\r\n\r\n`],
    ])('a %s that drips has the same bound', async (_what, bytes) => {
      const socket = await openSocket(port);
      socket.write(bytes);
      const drip = setInterval(() => socket.write('x'), 100);
      const ms = await socket.closed(BOUND_MS);
      clearInterval(drip);
      socket.destroy();
      expect(ms).not.toBeNull();
    });

    // No response of the other listener is larger than the buffers of both systems.
    test.runIf(isFramework)('a client that does not read its responses is closed', async () => {
      const before = countDescriptors();
      const socket = await openSocket(port);
      socket.pause();
      // This is more than the buffers of both systems hold, in no more requests than a connection may have.
      socket.write(
        `GET /_next/static/chunks/${getLargestScript()} HTTP/1.1\r\n${HOST}\r\n`.repeat(MAX_WAITING_REQUESTS),
      );
      await expect.poll(countDescriptors).toBeGreaterThan(before);
      await expect.poll(countDescriptors).toBeLessThanOrEqual(before);
      socket.destroy();
    });

    test('slow bodies are bounded by client: the oldest is given up, other clients and quick bodies are not', async () => {
      const sendSlowly = async (client: string) => {
        const socket = await openSocket(port);
        socket.write(postSlowly(app, listener, `X-Forwarded-For: ${client}\r\n`));
        return socket;
      };
      const other = await sendSlowly('198.51.100.7');
      const slow: RawSocket[] = [];
      for (let index = 0; index < 40; index += 1) slow.push(await sendSlowly('203.0.113.9'));
      const quick = await ask(
        `POST /api/check-auth-status HTTP/1.1\r\n${CLOSE}X-Forwarded-For: 203.0.113.9\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`,
      );
      expect(getStatus(quick)).toBe(401);
      const isClosed = await Promise.all([other, ...slow].map(async (socket) => (await socket.closed(300)) !== null));
      expect(isClosed).toEqual([false, ...slow.map((_, index) => index < 9)]);
      expect(getStatus(slow[0]?.received() ?? '')).toBe(listener.givenUp);
      for (const socket of [other, ...slow]) socket.destroy();
    });

    // This test is last and checks the remains of all others.
    test('the process has the descriptors that it had, and has logged no error', async () => {
      await expect.poll(countDescriptors).toBeLessThanOrEqual(before);
      expect(getComplaints()).toEqual(complaints);
    });
  },
);

test('a process with such sockets open drains in its time, and answers what has begun', async () => {
  const draining = await start();
  const open = async (listener: Listener, bytes: string) => {
    const socket = await openSocket(getPort(draining, listener));
    socket.write(bytes);
    return socket;
  };
  const openAll = async (listener: Listener) => {
    const sockets = await Promise.all(
      [
        ...Object.values(UPGRADES).map((headers) => `GET /nope HTTP/1.1\r\n${HOST}${headers}\r\n`),
        ...['', 'GET /sign-', `GET /sign-in HTTP/1.1\r\n${HOST}`, postSlowly(draining, listener)],
        `GET /api/health/live HTTP/1.1\r\n${HOST}\r\n`,
      ].map((bytes) => open(listener, bytes)),
    );
    const begun = await open(listener, postSlowly(draining, listener));
    // This response arrives after the others were read.
    const last = `GET /api/health/live HTTP/1.1\r\n${CLOSE}\r\n`;
    expect(getStatus(await exchange(getPort(draining, listener), last, BOUND_MS))).toBe(200);
    return { sockets, begun };
  };
  const checks = await openAll(LISTENERS['session checks']);
  const { sockets, begun } = await openAll(LISTENERS['the framework']);
  const begin = performance.now();
  process.kill(draining.pid, 'SIGTERM');
  await expect.poll(() => readFileSync(draining.logFile, 'utf8')).toContain('draining: no new connections');
  begun.write('}');
  expect(await begun.closed(BOUND_MS)).not.toBeNull();
  expect(getStatus(begun.received())).toBe(400);
  expect(await checks.begun.closed(BOUND_MS)).not.toBeNull();
  expect(getStatus(checks.begun.received())).toBe(401);
  expect(await draining.exited).toBe(0);
  expect(performance.now() - begin).toBeLessThan(BOUND_MS);
  for (const socket of [...sockets, begun, ...checks.sockets, checks.begun]) socket.destroy();
});
