import { expect, test } from 'vitest';
import { callIdentityProvider } from './admin';

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
