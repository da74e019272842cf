// ASVS: 3.4.2, 3.5.1
// Threats: csrf
import { describe, expect, test } from 'vitest';
import { parseEnv } from '@/lib/server/runtime/config/env';
import { assertAllowedOrigin, getCorsHeaders, isInMainDomain } from './origins';

const config = parseEnv({
  NEXT_PUBLIC_MAIN_DOMAIN: 'campus.example',
  NEXT_PUBLIC_APP_ORIGIN: 'https://id.campus.example',
  NEXT_PUBLIC_PLATFORM_ORIGIN: 'https://learn.campus.example',
  PLATFORM_ORIGINS: 'https://school.campus.example',
  SESSION_BACKEND: 'upstream',
  UPSTREAM_IDENTITY_URL: 'https://upstream.example',
  TOKEN_ENCRYPTION_SECRET: Buffer.alloc(32, 7).toString('base64'),
});

describe('the main domain', () => {
  test.each(['https://campus.example', 'https://id.campus.example', 'https://a.b.campus.example:8443'])(
    '%s is inside',
    (origin) => {
      expect(isInMainDomain(origin, config)).toBe(true);
    },
  );

  test.each([
    'http://campus.example',
    'http://id.campus.example',
    'https://evilcampus.example',
    'https://campus.example.evil.example',
    'https://campus.example.',
    'https://localhost',
    'http://localhost:3000',
    'https://user@id.campus.example',
    'https://id.campus.example/',
    'HTTPS://id.campus.example',
    'null',
    '',
    'file://',
  ])('"%s" is outside', (origin) => {
    expect(isInMainDomain(origin, config)).toBe(false);
    expect(() => assertAllowedOrigin({ headers: { origin } }, config)).toThrow(
      expect.objectContaining({ status: 403 }),
    );
  });
});

test('the response to a call that every page of the main domain may make is readable there', () => {
  for (const origin of ['https://id.campus.example', 'https://other.campus.example'])
    expect(getCorsHeaders(origin, 'main-domain', config)).toHaveProperty('access-control-allow-credentials', 'true');
  for (const origin of ['https://evil.example', 'http://other.campus.example', 'null', undefined])
    expect(getCorsHeaders(origin, 'main-domain', config)).toEqual({});
});

test('the platform’s origins get CORS with credentials', () => {
  for (const origin of ['https://learn.campus.example', 'https://school.campus.example']) {
    expect(getCorsHeaders(origin, 'platform', config)).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
    });
  }
  expect(getCorsHeaders('https://id.campus.example', 'platform', config)).toEqual({});
  expect(getCorsHeaders(undefined, 'platform', config)).toEqual({});
});
