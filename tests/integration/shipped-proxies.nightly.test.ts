// Threats: dependency-failure, flooding, held-connections, cache-poisoning
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { hasCaddy, startCaddy } from '../../scripts/lib/caddy.mjs';
import { hasNginx, startNginxWithTls } from '../../scripts/lib/nginx.mjs';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { askByHttps } from '../support/https-request';

const HOST = 'id.campus.localhost';
const BUILDS = ['before', 'after'] as const;

/** Matches the app's own spelling of the address, and no other. */
const isOwnScript = (build: string, url: string) => new RegExp(`^/_next/static/${build}-\\w+\\.js$`).test(url);

type Asked = { build: string; req: IncomingMessage };

const PROXIES = [
  { name: 'nginx.conf', isThere: hasNginx(), start: startNginxWithTls },
  { name: 'Caddyfile', isThere: hasCaddy(), start: startCaddy },
];

describe.each(PROXIES)('$name as it is shipped', ({ name, isThere, start }) => {
  let proxy: Awaited<ReturnType<typeof start>>;
  let httpsPort = 0;
  let servers: Server[] = [];
  let asked: Asked[] = [];
  /** The build whose process ends connections of session checks, like a process that is shutting down. */
  let failing: string | null = null;

  /** Starts a process that has the scripts of its build only, and ends the connection of a request for `/broken`. */
  const serve = (build: string, port: number) =>
    new Promise<Server>((resolve) => {
      const server = createServer((req, res) => {
        if (req.url === '/api/health/ready') return void res.end();
        asked.push({ build, req });
        if (req.url?.startsWith('/broken')) return void req.socket.destroy();
        if (failing === build && req.url === '/api/check-auth-status') return void req.socket.destroy();
        const isMissing = req.url?.startsWith('/_next/static/') && !isOwnScript(build, req.url);
        req
          .resume()
          .once('end', () => res.writeHead(isMissing ? 404 : 200, { 'cache-control': 'no-store' }).end(build));
      });
      server.listen(port, '127.0.0.1', () => resolve(server));
    });

  beforeAll(async () => {
    if (!isThere) return;
    const [httpPort = 0, port = 0, ...ports] = await freePorts(4);
    httpsPort = port;
    servers = await Promise.all(BUILDS.map((build, at) => serve(build, ports[at] ?? 0)));
    const origins = ports.map((each) => `http://127.0.0.1:${String(each)}`);
    proxy = await start({ host: HOST, httpPort, httpsPort, origins, checkOrigins: origins });
  });
  beforeEach(({ skip }) => {
    skip(!isThere, 'this proxy is not installed here');
    asked = [];
    failing = null;
  });
  afterAll(async () => {
    if (!isThere) return;
    await proxy.stop();
    for (const server of servers) server.close();
  });

  const ask = (method: string, path: string, options: Parameters<typeof askByHttps>[3] = {}) =>
    askByHttps({ host: HOST, httpsPort, authority: proxy.authority }, method, path, options);

  test('has the scripts of pages of both builds', async () => {
    const files = Array.from({ length: 10 }, (_, i) => BUILDS.map((build) => `/_next/static/${build}-${String(i)}.js`));
    for (const file of files.flat()) expect((await ask('GET', file)).status).toBe(200);
  });

  test('asks one other process, and no more, for a script that is missing', async () => {
    for (const file of ['a', 'b', 'c']) {
      asked = [];
      expect((await ask('GET', `/_next/static/${file}.js`)).status).toBe(404);
      expect(asked.length).toBeLessThanOrEqual(2);
    }
  });

  /** Addresses that a proxy takes for a script's address, but the app does not. */
  const SPELLINGS: Record<string, (name: string) => string> = {
    'two slashes': (name) => `/${name}`,
    'a folder and its parent': (name) => `x/../${name}`,
    'an encoded slash': (name) => `x/..%2F${name}`,
    'the same folder': (name) => `./${name}`,
    'a fragment': (name) => `${name}#x`,
    'an encoded letter': (name) => name.replace('a', '%61'),
  };

  test.each(Object.entries(SPELLINGS))('keeps no answer to an address with %s for a script', async (_, spell) => {
    const name = `after-${randomBytes(4).toString('hex')}.js`;
    expect((await ask('GET', `/_next/static/${spell(name)}`)).status).toBe(404);
    expect((await ask('GET', `/_next/static/${name}`)).status).toBe(200);
  });

  test('sends on its own forwarding headers and id, and none of a client', async () => {
    const forged = {
      'x-forwarded-for': '203.0.113.9',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'http',
      'x-request-id': 'of-the-client-0123456789',
    };
    await ask('GET', '/api/x', { headers: forged });
    const headers = asked[0]?.req.headers;
    expect(headers).toMatchObject({
      host: HOST,
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-host': HOST,
      'x-forwarded-proto': 'https',
    });
    expect(headers?.['x-request-id']).toMatch(/^[\da-f-]{32,36}$/);
  });

  test.each([
    ['GET', '/sign-in', { headers: { connection: 'Upgrade', upgrade: 'websocket' } }, 400],
    ['PUT', '/sign-in', {}, 405],
    ['POST', '/api/password-reset', { body: 'x'.repeat(40_000) }, 413],
    ['POST', '/monitoring', { body: 'x'.repeat(1_300_000) }, 413],
  ])('refuses %s %s itself', async (method, path, options, status) => {
    // A body may be refused before all of it was sent.
    const result = await ask(method, path, options).catch((error: NodeJS.ErrnoException) => error);
    // Caddy before 2.7 returns 502 instead of 413. The response is then that of a process that is away.
    const isAway = name === 'Caddyfile' && status === 413 && 'status' in result && result.status === 503;
    if ('status' in result) expect(isAway ? 413 : result.status).toBe(status);
    else expect(result.code).toMatch(/EPIPE|ECONNRESET/);
    expect(asked.filter(({ req }) => req.complete)).toEqual([]);
  });

  test('lets a body pass that the app takes', async () => {
    expect((await ask('POST', '/api/password-reset', { body: 'x'.repeat(16_000) })).status).toBe(200);
    expect((await ask('POST', '/monitoring', { body: 'x'.repeat(1_000_000) })).status).toBe(200);
  });

  test('closes a connection for another host without an answer', async () => {
    await expect(ask('GET', '/sign-in', { headers: { host: 'other.example' } })).rejects.toThrow(
      /socket hang up|reset/i,
    );
    expect(asked).toEqual([]);
  });

  test('sends no POST twice, which a process may have carried out', async () => {
    expect((await ask('POST', '/broken', { body: 'x' })).status).toBe(503);
    expect(asked).toHaveLength(1);
  });

  test.skipIf(name === 'Caddyfile')('sends a session check, which can be repeated, to the other process', async () => {
    for (const build of BUILDS) {
      failing = build;
      for (let round = 0; round < 4; round += 1) expect((await ask('POST', '/api/check-auth-status')).status).toBe(200);
    }
  });

  test('logs no query of a request that is answered', async () => {
    const headers = { referer: 'https://x.example/?code=SeCrEt' };
    expect((await ask('GET', '/actions?code=SeCrEt', { headers })).status).toBe(200);
    if (name === 'nginx.conf') await expect.poll(() => proxy.readLogs()).toContain('"GET /actions HTTP/1.1"');
    expect(proxy.readLogs()).not.toContain('SeCrEt');
  });

  test('logs no query with an error', async () => {
    expect(
      (await ask('GET', '/broken?code=SeCrEt', { headers: { referer: 'https://x.example/?code=SeCrEt' } })).status,
    ).toBe(503);
    await expect.poll(() => proxy.readLogs()).toContain('/broken');
    expect(proxy.readLogs()).not.toContain('SeCrEt');
  });
});
