import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { parseEnv, getPublicEnv } from '@/lib/server/runtime/config/env';
import { fetchAppConfig } from '@/components/layout/late-app-config';

let server: Server | undefined;
afterEach(() => new Promise((done) => (server ? server.close(done) : done(undefined))));

/** A real HTTP server on loopback as the identity host. */
async function identityHost(answer: RequestListener) {
  const started = (server = createServer(answer));
  await new Promise<void>((ready) => started.listen(0, '127.0.0.1', ready));
  const { port } = started.address() as AddressInfo;
  const variables = {
    FIREBASE_AUTH_EMULATOR_HOST: 'localhost:1',
    NEXT_PUBLIC_IDENTITY_ORIGIN: `http://127.0.0.1:${String(port)}`,
  };
  return getPublicEnv(parseEnv(variables));
}

it('requests the config by encoded origin and keeps valid fields', async () => {
  let asked = '';
  const env = await identityHost((request, response) => {
    asked = request.url ?? '';
    response.end(JSON.stringify({ brandName: 'North', showSplitScreen: 'yes', surprise: 1 }));
  });
  expect(await fetchAppConfig(env, 'https://id.campus.example')).toEqual({ brandName: 'North' });
  expect(asked).toBe('/api/config/by-origin/https%3A%2F%2Fid.campus.example');
});

it.each([
  ['an error', 500, '{}'],
  ['an unknown origin', 404, '{}'],
  ['garbage', 200, '<html>'],
])('is null after %s', async (_name, status, body) => {
  const env = await identityHost((_request, response) => response.writeHead(status).end(body));
  expect(await fetchAppConfig(env, 'https://id.campus.example')).toBeNull();
});

it('is null if there is no response', async () => {
  const env = await identityHost((request) => request.socket.destroy());
  expect(await fetchAppConfig(env, 'https://id.campus.example')).toBeNull();
});
