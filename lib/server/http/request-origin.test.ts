import { expect, test } from 'vitest';
import { parseEnv } from '@/lib/server/runtime/config/env';
import { getRequestOrigin } from './origins';

const base = { FIREBASE_AUTH_EMULATOR_HOST: 'localhost:9099' };
const direct = parseEnv(base);
const proxied = parseEnv({ ...base, TRUSTED_PROXY_HOPS: '1' });

test.each([
  [{ host: 'localhost:3000' }, 'http://localhost:3000'],
  [{ host: 'ACME.localhost:3000' }, 'http://acme.localhost:3000'],
  [{ host: 'localhost', 'x-forwarded-host': 'evil.example' }, 'http://localhost'],
  [{ host: 'a@b' }, null],
  [{ host: 'local host' }, null],
  [{ host: 'localhost/../x' }, null],
  [{ host: '' }, null],
  [{}, null],
])('without proxies %j is %s', (headers, origin) => {
  expect(getRequestOrigin({ headers }, direct)).toBe(origin);
});

test('behind proxies the last forwarded value counts', () => {
  const headers = { host: 'app:3000', 'x-forwarded-host': 'evil.example, acme.localhost' };
  expect(getRequestOrigin({ headers }, proxied)).toBe('http://acme.localhost');
});
