// Threats: dependency-failure
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasNginx, startNginx } from '../../scripts/lib/nginx.mjs';
import { freePorts } from '../../scripts/lib/ports.mjs';

/** Counts the requests of each address. */
const asked = new Map<string, number>();

/**
 * Starts a process that has the files of its build only. The process of the build `before` is about to end, so it
 * closes connections on which calls arrive.
 */
function serve(build: string, port: number): Promise<Server> {
  const server = createServer(({ url, method, socket }, res) => {
    asked.set(url ?? '', (asked.get(url ?? '') ?? 0) + 1);
    if (method === 'POST' && build === 'before') return void socket.destroy();
    const isHere = method === 'POST' || url === '/api/health/live' || url?.includes(build);
    const headers = { 'content-type': 'text/javascript', 'cache-control': 'private, no-store' };
    res.writeHead(isHere ? 200 : 404, headers).end(build);
  });
  return new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve(server)));
}

describe.runIf(hasNginx())('nginx as it is shipped, during an upgrade', () => {
  let nginx: Awaited<ReturnType<typeof startNginx>>;
  let servers: Server[] = [];
  let origins: string[] = [];

  beforeAll(async () => {
    const [port = 0, ...ports] = await freePorts(3);
    servers = await Promise.all(ports.map((each, i) => serve(i === 0 ? 'before' : 'after', each)));
    origins = ports.map((each) => `http://127.0.0.1:${String(each)}`);
    nginx = await startNginx({ port, origins, checkOrigins: origins });
  });
  afterAll(async () => {
    await nginx.stop();
    for (const server of servers) server.close();
  });

  test('asks one of several other processes for a script that is missing, and keeps the answer for a while', async () => {
    const [port = 0] = await freePorts(1);
    const four = [...origins, ...origins];
    const other = await startNginx({ port, origins: four, checkOrigins: four });
    const getStatus = async () => (await fetch(`${other.origin}/_next/static/neither.js`)).status;
    for (let round = 0; round < 5; round += 1) expect(await getStatus()).toBe(404);
    expect(asked.get('/_next/static/neither.js')).toBe(2);
    await other.stop();
  });

  test('sends a session check again that a process has not answered, and no other call', async () => {
    const post = async (path: string) => (await fetch(`${nginx.origin}/api/${path}`, { method: 'POST' })).status;
    const send = (path: string) => Promise.all(Array.from({ length: 20 }, () => post(path)));
    expect(new Set(await send('check-auth-status'))).toEqual(new Set([200]));
    expect(new Set(await send('create-user-session'))).toEqual(new Set([200, 503]));
  });
});
