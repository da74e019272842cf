// ASVS: 3.2.1, 6.3.2
import { expect, test } from 'vitest';
import { RATES } from '@/lib/shared/error-reporting/options';
import { servedRoutes } from '../support/served-routes';

// This token has every character that the configuration allows.
const TOKEN = 'an-admin-token_of~many+letters.and/signs=';
process.env.ADMIN_TOKEN = TOKEN;
process.env.NEXT_PUBLIC_SENTRY_DSN = 'https://public:very-secret@errors.campus.test/behind/42';
process.env.NEXT_PUBLIC_RELEASE = 'abc1234';

const app = servedRoutes();

const ask = (authorization?: string, method = 'GET') =>
  fetch(`${app.origin}/api/admin/get-sentry-json-file`, { method, headers: authorization ? { authorization } : {} });

test('an operator downloads the error reporting settings, without the secret', async () => {
  const answer = await ask(`Bearer ${TOKEN}`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="sentry.json"');
  expect(answer.headers.get('content-type')).toBe('application/json');
  const text = await answer.text();
  expect(text).not.toContain('very-secret');
  expect(JSON.parse(text)).toMatchObject({
    enabled: true,
    dsn: 'https://public@errors.campus.test/behind/42',
    environment: 'production',
    release: 'abc1234',
    tunnel: '/monitoring',
    tracesSampleRate: RATES.traces,
    replaysOnErrorSampleRate: 1,
    replaysSessionSampleRate: 0.1,
    replay: { maskAllText: true, blockAllMedia: true, bufferCap: 20_000_000 },
    droppedErrors: [{ types: expect.arrayContaining(['ReferenceError']) as string[] }, {}, { types: ['TypeError'] }],
  });
});

test.each([
  ['no header', undefined, 401],
  ['another scheme', `Basic ${TOKEN}`, 401],
  ['an empty token', 'Bearer ', 401],
  ['a wrong token', `Bearer ${TOKEN.replace('an', 'no')}`, 403],
  ['a shorter token', `Bearer ${TOKEN.slice(0, -1)}`, 403],
  ['a longer token', `Bearer ${TOKEN}x`, 403],
])('%s is refused', async (_name, authorization, status) => {
  const answer = await ask(authorization);
  expect(answer.status).toBe(status);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer realm="admin"' : null);
  expect(answer.headers.get('content-disposition')).toBeNull();
});

test('POST is refused', async () => {
  expect((await ask(`Bearer ${TOKEN}`, 'POST')).status).toBe(405);
});

test('30 attempts a minute are the limit, even with the right token', async () => {
  for (let guess = 0; guess < 30; guess += 1) await ask('Bearer guess');
  const answer = await ask(`Bearer ${TOKEN}`);
  expect(answer.status).toBe(429);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
});
