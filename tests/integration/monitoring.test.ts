// Threats: tunnel-relay
import { createServer, type Server } from 'node:http';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { serveRoutes, type RunningRoutes } from '../support/routes';
import { setProductionLimits } from '../support/time-limits';

type Received = { url: string | undefined; body: string };
let behavior: 'healthy' | 'limiting' | 'broken' | 'silent' = 'healthy';
let service: Server;
let app: RunningRoutes;
let dsn: string;
let received: Received[] = [];

beforeAll(async () => {
  service = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const bytes = Buffer.concat(chunks);
      const body = req.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
      received.push({ url: req.url, body: body.toString() });
      if (behavior === 'silent') return;
      if (behavior === 'limiting') res.writeHead(429, { 'retry-after': '17' });
      if (behavior === 'broken') res.writeHead(500);
      if (behavior === 'healthy') res.setHeader('x-sentry-rate-limits', '60:replay:organization');
      res.end('{}');
    });
  });
  await new Promise<void>((ready) => service.listen(0, '127.0.0.1', ready));
  dsn = `http://publickey@127.0.0.1:${String((service.address() as AddressInfo).port)}/behind/a/path/42`;
  process.env.NEXT_PUBLIC_SENTRY_DSN = dsn;
  app = await serveRoutes();
});
beforeEach(() => {
  received = [];
  behavior = 'healthy';
});
afterEach(() => void vi.useRealTimers());
afterAll(async () => {
  await app.close();
  service.closeAllConnections();
  service.close();
});

const post = (body: BodyInit, headers: Record<string, string> = { origin: 'http://localhost:3000' }) =>
  fetch(`${app.origin}/api/monitoring`, { method: 'POST', body, headers });
const envelope = (to: string, rest = '{"type":"event"}\n{"message":"m"}') => `${JSON.stringify({ dsn: to })}\n${rest}`;

test('an envelope for our DSN reaches a self-hosted service unchanged', async () => {
  const sent = envelope(dsn);
  expect((await post(sent)).status).toBe(200);
  expect(received).toEqual([
    { url: '/behind/a/path/api/42/envelope/?sentry_version=7&sentry_key=publickey', body: sent },
  ]);
});

test.each([
  ['another service', () => envelope('http://other@127.0.0.1:1/1')],
  ['no header', () => 'hello'],
  ['nothing', () => ''],
  ['an array for a header', () => '[]\n'],
])('%s is refused and not forwarded', async (_name, body) => {
  expect((await post(body())).status).toBe(400);
  expect(received).toEqual([]);
});

test('a compressed envelope is forwarded compressed', async () => {
  const sent = envelope(dsn, 'x'.repeat(50_000));
  const headers = { origin: 'http://localhost:3000', 'content-encoding': 'gzip' };
  expect((await post(new Uint8Array(gzipSync(sent)), headers)).status).toBe(200);
  expect(received.map(({ body }) => body)).toEqual([sent]);
});

test.each([
  ['packed for another service', gzipSync(envelope('http://other@127.0.0.1:1/1')), 'gzip', 400],
  ['no gzip', Buffer.from('hello'), 'gzip', 400],
  ['a bomb', gzipSync(Buffer.alloc(30_000_000)), 'gzip', 400],
  ['packed otherwise', Buffer.from('hello'), 'br', 415],
])('refused: %s', async (_name, bytes, encoding, status) => {
  const headers = { origin: 'http://localhost:3000', 'content-encoding': encoding };
  expect((await post(new Uint8Array(bytes), headers)).status).toBe(status);
  expect(received).toEqual([]);
});

test('the service can ask for fewer reports', async () => {
  expect((await post(envelope(dsn))).headers.get('x-sentry-rate-limits')).toBe('60:replay:organization');
  behavior = 'limiting';
  const answer = await post(envelope(dsn));
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '17']);
});

test.each(['broken', 'silent'] as const)('a %s service gets 503', async (how) => {
  behavior = how;
  const restoreLimits = setProductionLimits();
  expect((await post(envelope(dsn))).status).toBe(503);
  restoreLimits();
});

test('foreign pages and envelopes over 1 MiB are refused', async () => {
  expect((await post(envelope(dsn), { origin: 'https://evil.example' })).status).toBe(403);
  expect((await post(envelope(dsn, 'x'.repeat(1024 * 1024)))).status).toBe(413);
  expect(received).toEqual([]);
});

test('the limit is 200 a minute per client address', async () => {
  // A busy machine may take longer than a minute for these calls.
  vi.useFakeTimers({ toFake: ['Date'] });
  const statuses: number[] = [];
  for (let call = 0; call < 205; call += 1) statuses.push((await post('x')).status);
  expect(statuses.at(-1)).toBe(429);
});
