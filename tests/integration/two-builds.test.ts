// Threats: dependency-failure
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasNginx, startNginx } from '../../scripts/lib/nginx.mjs';
import { freePorts } from '../../scripts/lib/ports.mjs';

/** A process that has the files of its build alone. The one before is about to end: it closes connections on which calls arrive. */
function serve(build: string, port: number): Promise<Server> {
  const server = createServer(({ url, method, socket }, res) => {
    if (method === 'POST' && build === 'before') return void socket.destroy();
    const isHere = method === 'POST' || url === '/api/health/live' || url?.includes(build);
    res.writeHead(isHere ? 200 : 404, { 'content-type': 'text/javascript' }).end(build);
  });
  return new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve(server)));
}

describe.runIf(hasNginx())('nginx as it is shipped, during an upgrade', () => {
  let nginx: Awaited<ReturnType<typeof startNginx>>;
  let servers: Server[] = [];

  beforeAll(async () => {
    const [port = 0, ...ports] = await freePorts(3);
    servers = await Promise.all(ports.map((each, i) => serve(i === 0 ? 'before' : 'after', each)));
    const origins = ports.map((each) => `http://127.0.0.1:${String(each)}`);
    nginx = await startNginx({ port, origins, checkOrigins: origins });
  });
  afterAll(async () => {
    await nginx.stop();
    for (const server of servers) server.close();
  });

  const ask = async (file: string) => (await fetch(`${nginx.origin}/_next/static/${file}.js`)).status;

  test('has the scripts of pages of both builds', async () => {
    const files = Array.from({ length: 20 }, (_, i) => [`before-${String(i)}`, `after-${String(i)}`]).flat();
    expect(new Set(await Promise.all(files.map(ask)))).toEqual(new Set([200]));
    expect(await ask('neither')).toBe(404);
  });

  test('sends a session check again that a process has not answered, and no other call', async () => {
    const post = async (path: string) => (await fetch(`${nginx.origin}/api/${path}`, { method: 'POST' })).status;
    const send = (path: string) => Promise.all(Array.from({ length: 20 }, () => post(path)));
    expect(new Set(await send('check-auth-status'))).toEqual(new Set([200]));
    expect(new Set(await send('create-user-session'))).toEqual(new Set([200, 502]));
  });
});
