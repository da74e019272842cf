import { execFile } from 'node:child_process';
import net, { type AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { freePorts, isPortFree } from './ports.mjs';

const servers: net.Server[] = [];
afterEach(() => servers.splice(0).forEach((server) => server.close()));

function listen(host: string): Promise<number> {
  return new Promise((resolve) => {
    const server = net.createServer();
    servers.push(server);
    server.listen(0, host, () => resolve((server.address() as AddressInfo).port));
  });
}

test('free ports are free and all different', async () => {
  const ports = await freePorts(5);
  expect(new Set(ports).size).toBe(5);
  expect(await Promise.all(ports.map(isPortFree))).toEqual(ports.map(() => true));
});

test('a port is reserved for one process, even before it listens', async () => {
  const lib = new URL('ports.mjs', import.meta.url).href;
  const script = `import(${JSON.stringify(lib)}).then(({ freePorts }) => freePorts(500)).then((p) => console.log(p.join()))`;
  const elsewhere = promisify(execFile)(process.execPath, ['-e', script]);
  const [here, { stdout }] = await Promise.all([freePorts(500), elsewhere]);
  expect(new Set([...here, ...stdout.trim().split(',').map(Number)]).size).toBe(1000);
}, 60_000);

test.each(['127.0.0.1', '0.0.0.0'])('a port with a listener on %s is taken', async (host) => {
  expect(await isPortFree(await listen(host))).toBe(false);
});
