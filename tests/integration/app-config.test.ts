import { describe, expect, test } from 'vitest';
import { read } from '../support/client';
import { servedRoutes } from '../support/served-routes';

const app = servedRoutes();

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${app.origin}/api/config/${path}`, { headers }).then(read);
const byOrigin = (origin: string, headers?: Record<string, string>) =>
  get(`by-origin/${encodeURIComponent(origin)}`, headers);

describe('by origin', () => {
  test.each([
    ['http://localhost:3000', 'Campus'],
    ['http://localhost:45678', 'Campus'],
    ['http://acme.localhost:3000', 'Acme Academy'],
    ['HTTP://North.localhost/', 'North School'],
  ])('%s is %s', async (origin, brand) => {
    const answer = await byOrigin(origin);
    expect([answer.status, answer.body?.brandName]).toEqual([200, brand]);
    expect(answer.headers.get('cache-control')).toBe('s-maxage=300, stale-while-revalidate=59');
  });

  test.each(['https://unknown.example', 'https://localhost', 'http://other.localhost:3000'])(
    '%s is unknown',
    async (origin) => {
      const answer = await byOrigin(origin);
      expect([answer.status, answer.body?.code]).toEqual([404, 'not-found']);
      expect(answer.headers.get('cache-control')).toBe('no-store');
    },
  );

  test.each([
    'nonsense',
    'http://',
    'ftp://localhost',
    'http://a@localhost',
    'http://localhost/path',
    '__proto__',
    'http://localhost?x',
    'x'.repeat(3000),
  ])('%.40s is not an origin', async (origin) => {
    expect((await byOrigin(origin)).status).toBe(400);
  });
});

test('any origin may read it; credentials are allowed inside the main domain only', async () => {
  const foreign = await byOrigin('http://localhost', { origin: 'https://evil.example' });
  expect(foreign.headers.get('access-control-allow-origin')).toBe('*');
  expect(foreign.headers.get('access-control-allow-credentials')).toBeNull();
  const own = await byOrigin('http://localhost', { origin: 'http://acme.localhost:3000' });
  expect(own.headers.get('access-control-allow-origin')).toBe('http://acme.localhost:3000');
  expect(own.headers.get('access-control-allow-credentials')).toBe('true');
  expect(own.headers.get('vary')).toBe('Origin');
});

test('local returns the config of local development', async () => {
  expect((await get('local')).body?.brandName).toBe('Campus');
});
