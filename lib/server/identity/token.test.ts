// Threats: dependency-failure
import { generateKeyPairSync } from 'node:crypto';
import http, { createServer, type RequestOptions, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { changeAccount } from '.';

/** The response of Google's token service. Requests without a response are kept. */
let answer: 'token' | 'error' | 'none' = 'token';
const hanging: ServerResponse[] = [];
const server = createServer((_req, res) => {
  if (answer === 'none') return void hanging.push(res);
  const token = { access_token: 'of-the-account', token_type: 'Bearer', expires_in: 60 };
  const body = answer === 'token' ? token : { error: 'invalid_grant', error_description: 'revoked' };
  res.writeHead(answer === 'token' ? 200 : 400, { 'content-type': 'application/json' }).end(JSON.stringify(body));
});

beforeAll(async () => {
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  Object.assign(process.env, {
    LOG_LEVEL: 'silent',
    TOKEN_ENCRYPTION_SECRET: Buffer.alloc(32, 7).toString('base64'),
    FIREBASE_CLIENT_EMAIL: 'app@demo-campus.iam.gserviceaccount.com',
    FIREBASE_PRIVATE_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  });
  delete process.env.FIREBASE_AUTH_EMULATOR_HOST;
});
beforeEach(() => {
  const address = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`;
  const redirect = (...[, options]: unknown[]) => http.request(address, options as RequestOptions);
  vi.spyOn(https, 'request').mockImplementation(redirect);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const change = () => changeAccount('mia', { displayName: 'Mia' });
const UNAVAILABLE = { code: 'provider-unavailable', options: { retryAfter: 5 } };

test('a token of the service account that does not come is an outage, and is asked for again', async () => {
  const send = vi.spyOn(globalThis, 'fetch').mockImplementation(() => Promise.resolve(new Response('{}')));
  answer = 'none';
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const ends = Promise.allSettled([change(), change()]);
  await expect.poll(() => hanging.length).toBe(1);
  vi.advanceTimersByTime(5_000);
  expect(await ends).toMatchObject(Array(2).fill({ status: 'rejected', reason: UNAVAILABLE }));
  vi.useRealTimers();
  expect(send).not.toHaveBeenCalled();
  answer = 'token';
  await change();
  expect(send.mock.calls[0]?.[1]?.headers).toMatchObject({ authorization: 'Bearer of-the-account' });
});

test('one that is refused is an outage, too', async () => {
  answer = 'error';
  await expect(change()).rejects.toMatchObject(UNAVAILABLE);
});
