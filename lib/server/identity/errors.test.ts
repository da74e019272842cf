import { expect, test, vi } from 'vitest';
import { callIdentityProvider, verifyJwt } from './admin';

// The log reads the configuration.
Object.assign(process.env, { FIREBASE_AUTH_EMULATOR_HOST: 'localhost:9', LOG_LEVEL: 'silent' });

const failure = (code: string, message = '') => Object.assign(new Error(message), { code });

test.each([
  ['auth/id-token-expired', 'token-expired'],
  ['auth/session-cookie-revoked', 'token-revoked'],
  ['auth/user-disabled', 'user-disabled'],
  ['auth/user-not-found', 'user-deleted'],
  ['auth/argument-error', 'token-invalid'],
])('%s is mapped to %s', async (code, expected) => {
  await expect(callIdentityProvider(Promise.reject(failure(code)), 'getUser')).rejects.toMatchObject({
    code: expected,
    status: 401,
  });
});

test.each([
  failure('app/network-error'),
  failure('auth/internal-error'),
  failure('auth/argument-error', 'Error fetching public keys for Google certs: ECONNREFUSED'),
  failure('toString'),
  new Error('timeout!'),
])('is not mapped: %s', async (error) => {
  const expected = { code: 'provider-unavailable', status: 503, options: { retryAfter: 5 } };
  await expect(callIdentityProvider(Promise.reject(error), 'getUser')).rejects.toMatchObject(expected);
});

const toJwt = (claims: string, header = '{"alg":"RS256","typ":"JWT","kid":"a"}') =>
  [header, claims, 'x'].map((part) => Buffer.from(part).toString('base64url')).join('.');

test.each([
  ['claims that are no JSON', toJwt('{bad')],
  ['no claims', toJwt('null')],
  ['a byte order mark', toJwt('\ufeff{}')],
  ['the claims of a custom token of long ago', toJwt('{"v":0,"d":5}', '{"alg":"HS256","typ":"JWT"}')],
  ['a number as header', toJwt('{}', '1')],
  ['no JWT', 'garbage'],
])('%s: the token is invalid, and the provider is not away', async (_name, jwt) => {
  vi.stubEnv('FIREBASE_AUTH_EMULATOR_HOST', undefined);
  for (const operation of ['verifySessionCookie', 'verifyIdToken'] as const)
    await expect(verifyJwt(operation, jwt)).rejects.toMatchObject({ code: 'token-invalid', status: 401 });
});
