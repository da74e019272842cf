import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { readJson } from './app-config';

it('reads a response up to a limit, and aborts one without an end', async () => {
  const server = createServer((req, res) => {
    if (req.url === '/short') return void res.end('{"courses":"Ä"}');
    Readable.from(endless()).pipe(res);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect(await readJson(await fetch(`${origin}/short`), 16)).toEqual({ courses: 'Ä' });
  await expect(readJson(await fetch(`${origin}/short`), 15)).rejects.toThrow('longer than 15 bytes');
  await expect(readJson(await fetch(`${origin}/endless`), 100_000)).rejects.toThrow('longer than 100000 bytes');
  server.close();
  // The fetch has ended, and no open connection remains.
  await once(server, 'close');
});

function* endless() {
  for (;;) yield Buffer.alloc(16_384, ' ');
}
