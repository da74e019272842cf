import https from 'node:https';
import { expect, test, vi } from 'vitest';
import { env } from '@/lib/server/runtime';
import { callIdentityProvider, verifyJwt } from './admin';

// The log reads the configuration.
Object.assign(process.env, { FIREBASE_AUTH_EMULATOR_HOST: 'localhost:9', LOG_LEVEL: 'silent' });

const failure = (code: string, message = '') => Object.assign(new Error(message), { code });

test.each([
  ['auth/id-token-expired', 'token-expired'],
  ['auth/session-cookie-revoked', 'token-revoked'],
  ['auth/user-disabled', 'user-disabled'],
  ['auth/user-not-found', 'user-deleted'],
])('%s is mapped to %s', async (code, expected) => {
  await expect(callIdentityProvider(Promise.reject(failure(code)), 'getUser')).rejects.toMatchObject({
    code: expected,
    status: 401,
  });
});

test.each([
  failure('app/network-error'),
  failure('auth/internal-error'),
  failure('auth/argument-error', 'of a call, and of no token'),
  failure('toString'),
  new Error('timeout!'),
])('is not mapped: %s', async (error) => {
  const expected = { code: 'provider-unavailable', status: 503, options: { retryAfter: 5 } };
  await expect(callIdentityProvider(Promise.reject(error), 'getUser')).rejects.toMatchObject(expected);
});

const toJwt = (claims: string, header = '{"alg":"RS256","typ":"JWT","kid":"a"}') =>
  [header, claims, 'x'].map((part) => Buffer.from(part).toString('base64url')).join('.');

const OWN = JSON.stringify({ aud: 'demo', iss: 'https://session.firebase.google.com/demo', sub: 'mia' });
const NESTED = '['.repeat(5_000) + ']'.repeat(5_000);

test.each([
  ['claims that are no JSON', toJwt('{bad')],
  ['no claims', toJwt('null')],
  ['a byte order mark', toJwt(`\ufeff${OWN}`)],
  ['the claims of a custom token of long ago', toJwt(OWN.replace('{', '{"v":0,"d":5,'), '{"alg":"HS256","typ":"JWT"}')],
  ['a number as header', toJwt('{}', '1')],
  ['a key id that is no text', toJwt(OWN, '{"alg":"RS256","typ":"JWT","kid":{"toString":1}}')],
  ['an algorithm of many lists', toJwt(OWN, `{"alg":${NESTED},"typ":"JWT","kid":"a"}`)],
  ['an audience of many lists', toJwt(`{"aud":${NESTED},"iss":"a","sub":"a"}`)],
  ['no JWT', 'garbage'],
])('%s: the token is invalid, and the provider is not away', async (_name, jwt) => {
  vi.stubEnv('FIREBASE_AUTH_EMULATOR_HOST', undefined);
  for (const operation of ['verifySessionCookie', 'verifyIdToken'] as const)
    await expect(verifyJwt(operation, jwt)).rejects.toMatchObject({ code: 'token-invalid', status: 401 });
});

test.each([
  ['Raw server response: "{"error":{"code":400,"message":"TOO_MANY_ATTEMPTS_TRY_LATER"}}"', 'too-many-requests'],
  ['Raw server response: "{"error":{"code":400,"message":"RESET_PASSWORD_EXCEED_LIMIT"}}"', 'too-many-requests'],
  ['Raw server response: "{"error":{"message":"PASSWORD_DOES_NOT_MEET_REQUIREMENTS : [..]"}}"', 'password-weak'],
])('what the library does not know is no outage: %s', async (message, code) => {
  const call = callIdentityProvider(Promise.reject(failure('auth/internal-error', message)), 'generateLink');
  await expect(call).rejects.toMatchObject({ code });
});

test('a limit of the project, at another call, is one', async () => {
  const limited = failure('auth/internal-error', '{"error":{"message":"TOO_MANY_ATTEMPTS_TRY_LATER"}}');
  const call = callIdentityProvider(Promise.reject(limited), 'getUser');
  await expect(call).rejects.toMatchObject({ code: 'provider-unavailable' });
});

const connect = https.request;

test('while the keys cannot be fetched, a token of the right form is not known to be forged', async () => {
  vi.stubEnv('FIREBASE_AUTH_EMULATOR_HOST', undefined);
  const project = env().NEXT_PUBLIC_FIREBASE_PROJECT_ID;
  const now = Math.floor(Date.now() / 1000);
  const common = { aud: project, sub: 'mia', iat: now, exp: now + 60, auth_time: now };
  for (const [operation, issuer] of [
    ['verifySessionCookie', 'https://session.firebase.google.com/'],
    ['verifyIdToken', 'https://securetoken.google.com/'],
  ] as const) {
    const jwt = toJwt(JSON.stringify({ ...common, iss: `${issuer}${project}` }));
    const request = vi.spyOn(https, 'request').mockImplementation(() => connect('https://127.0.0.1:9/'));
    await expect(verifyJwt(operation, jwt)).rejects.toMatchObject({ code: 'provider-unavailable' });
    expect(request).toHaveBeenCalled();
    request.mockRestore();
  }
});
