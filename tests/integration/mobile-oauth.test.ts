// ASVS: 3.5.1, 10.4.2, 10.4.6
// Threats: csrf, mobile-code
import * as oauth from 'oauth4webapi';
import { beforeAll, expect, test } from 'vitest';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { digest } from '@/lib/server/runtime/keys';
import { getStore } from '@/lib/server/storage/store';
import { apiFiles } from '@/scripts/lib/api-files.mjs';
import { signInWithCustomToken } from '../../examples/mobile/client.mjs';
import { nextSecond, openSession, read, type Answer } from '../support/client';
import { authorizeMobileApp } from '../support/mobile-app';
import { servedRoutes } from '../support/served-routes';
import { createTestUser, fetchIdToken, type TestUser } from '../support/test-users';

const app = servedRoutes();
const client: oauth.Client = { client_id: 'campus-app' };
const redirectUri = 'campus://oauth-callback';
const tokenOptions = { [oauth.allowInsecureRequests]: true, recognizedTokenTypes: { n_a: () => undefined } };

let user: TestUser;
let session: string;
beforeAll(async () => {
  user = await createTestUser();
  session = await openSession(app.origin, await fetchIdToken(user));
});

const getServer = (): oauth.AuthorizationServer => ({
  issuer: app.origin,
  authorization_endpoint: `${app.origin}/mobile/account-selection`,
  token_endpoint: `${app.origin}/api/mobile/token`,
});

/** Runs the flow of docs/integration.md up to the callback with an OAuth library. */
async function authorize() {
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const address = new URL(getServer().authorization_endpoint ?? '');
  address.search = new URLSearchParams({
    client_id: client.client_id,
    response_type: 'code',
    redirect_uri: redirectUri,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString();
  const answer = await authorizeMobileApp(app.origin, address, session);
  const callback = oauth.validateAuthResponse(getServer(), client, new URL(String(answer.body?.address)), state);
  return { callback, verifier, code: callback.get('code') ?? '' };
}

const FORM = 'application/x-www-form-urlencoded';

async function postForm(
  form: Record<string, string> | [string, string][] | string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const body = typeof form === 'string' ? form : new URLSearchParams(form).toString();
  const address = `${app.origin}/api/mobile/token`;
  return read(await fetch(address, { method: 'POST', headers: { 'content-type': FORM, ...headers }, body }));
}

test('an OAuth library completes the whole flow', async () => {
  const { callback, verifier } = await authorize();
  const response = await oauth.authorizationCodeGrantRequest(
    getServer(),
    client,
    oauth.None(),
    callback,
    redirectUri,
    verifier,
    tokenOptions,
  );
  const tokens = await oauth.processAuthorizationCodeResponse(getServer(), client, response, tokenOptions);
  expect(tokens.expires_in).toBe(3_600);
  const emulatorHost = process.env.FIREBASE_AUTH_EMULATOR_HOST ?? '';
  const idToken = await signInWithCustomToken({ emulatorHost, customToken: tokens.access_token });
  expect((await getIdentityAdmin().verifyIdToken(idToken)).uid).toBe(user.uid);
});

test('a token that is exchanged after a revocation passes that check: its proof tells, as docs/integration.md has it', async () => {
  const { uid } = user;
  const { code: granted, verifier: own } = await authorize();
  const { body } = await postForm({ ...grantType, code: granted, code_verifier: own });
  await nextSecond();
  const auth = getIdentityAdmin();
  await auth.revokeRefreshTokens(uid);
  await nextSecond();
  const emulatorHost = process.env.FIREBASE_AUTH_EMULATOR_HOST ?? '';
  const idToken = await signInWithCustomToken({ emulatorHost, customToken: String(body?.access_token) });
  session = await openSession(app.origin, await fetchIdToken(user));
  const { learner_identity: claims } = await auth.verifyIdToken(idToken, true);
  const { proved_at: provedAt, renewed_at: renewedAt } = claims as { proved_at: number; renewed_at?: number };
  const { tokensValidAfterTime = '' } = await auth.getUser(uid);
  expect(renewedAt ?? provedAt).toBeLessThan(Date.parse(tokensValidAfterTime) / 1000);
});

test('and is told by an OAuth error that the code was used', async () => {
  const { callback, verifier } = await authorize();
  const exchange = () =>
    oauth.authorizationCodeGrantRequest(
      getServer(),
      client,
      oauth.None(),
      callback,
      redirectUri,
      verifier,
      tokenOptions,
    );
  await exchange();
  await expect(oauth.processAuthorizationCodeResponse(getServer(), client, await exchange())).rejects.toMatchObject({
    error: 'invalid_grant',
  });
});

const grantType = { grant_type: 'authorization_code' };
const verifier = 'v'.repeat(43);
const code = 'c'.repeat(43);

test.each<[string, Parameters<typeof postForm>[0], string]>([
  ['nothing', '', 'invalid_request'],
  ['no grant type', { code, code_verifier: verifier }, 'invalid_request'],
  ['no code', { ...grantType, code_verifier: verifier }, 'invalid_request'],
  ['no verifier', { ...grantType, code }, 'invalid_request'],
  ['a short verifier', { ...grantType, code, code_verifier: 'short' }, 'invalid_request'],
  [
    'a parameter twice',
    [
      ['grant_type', 'authorization_code'],
      ['code', code],
      ['code', code],
      ['code_verifier', verifier],
    ],
    'invalid_request',
  ],
  ['text that is not UTF-8', `grant_type=authorization_code&code=%ff&code_verifier=${verifier}`, 'invalid_grant'],
  ['JSON', '{"code":"c","code_verifier":"v"}', 'invalid_request'],
  ['another grant type', { grant_type: 'password', username: 'a', password: 'b' }, 'unsupported_grant_type'],
  ['an unknown code', { ...grantType, code, code_verifier: verifier }, 'invalid_grant'],
  ['a code of another format', { ...grantType, code: 'mistyped', code_verifier: verifier }, 'invalid_grant'],
])('a form with %s gets an OAuth error', async (_what, form, error) => {
  const answer = await postForm(form);
  expect(answer.status).toBe(400);
  expect(answer.headers.get('content-type')).toBe('application/json');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.body).toEqual({
    error,
    error_description: expect.stringMatching(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/) as string,
  });
});

test('a form with another redirect_uri than the request had is refused', async () => {
  const granted = await authorize();
  const form = {
    ...grantType,
    code: granted.code,
    code_verifier: granted.verifier,
    redirect_uri: `${redirectUri}?x=1`,
  };
  expect((await postForm(form)).body).toMatchObject({ error: 'invalid_grant' });
});

test.each([
  ['too large', 'x'.repeat(16_385), 413, 'body-too-large'],
  ['of another media type', 'x', 415, 'unsupported-media-type'],
])('a body that is %s is refused as by every call', async (what, body, status, problem) => {
  const type = what.includes('media') ? 'text/plain' : FORM;
  const answer = await postForm(body, { 'content-type': type });
  expect([answer.status, answer.body?.code]).toEqual([status, problem]);
});

test.each<[string, Record<string, string>]>([
  ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
  ['a sandboxed frame', { origin: 'null' }],
  ['the platform', { origin: 'http://localhost:3001', 'sec-fetch-site': 'same-site' }],
  ['a browser that sends no origin', { 'sec-fetch-site': 'cross-site' }],
])('a form on a page of %s exchanges nothing, and the code stays valid', async (_who, headers) => {
  const granted = await authorize();
  const form = { ...grantType, code: granted.code, code_verifier: granted.verifier };
  const refused = await postForm(form, { ...headers, cookie: `_secure-user-session=${session}` });
  expect([refused.status, refused.body?.code]).toEqual([403, 'foreign-origin']);
  expect(refused.cookies).toEqual({});
  expect(refused.headers.get('access-control-allow-origin')).toBeNull();
  expect((await postForm(form)).status).toBe(200);
});

test('a fault of ours is a problem without its cause, for a form too', async () => {
  await getStore().set(`mobile-code:${digest(code)}`, 'not what we stored', 60);
  const answer = await postForm({ ...grantType, code, code_verifier: verifier });
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(answer.body).toEqual({
    type: 'urn:problem:internal-error',
    title: 'internal error',
    status: 500,
    code: 'internal-error',
  });
});

test('no other call accepts a form', async () => {
  const others = apiFiles()
    .map(({ path }) => path)
    .filter((path) => path !== '/api/mobile/token');
  for (const path of others.filter((each) => !each.includes('{'))) {
    const headers = { origin: 'http://localhost:3000', 'content-type': FORM };
    const body = new URLSearchParams({
      token: 'x',
      email: 'a@campus.test',
      code: 'ABCDEF',
      password: 'quiet-lantern-42',
    });
    const { status } = await fetch(app.origin + path, { method: 'POST', headers, body });
    // These calls take no body and ignore it.
    const isWithoutBody =
      /check-auth-status|initiate-logout|clear-device|auto-sign-in|resend|sign-out-everywhere|renew-user-session|account\/keep|monitoring|passkeys\/(?:sign-in|proof)-options|second-factor\/(?:cancel-reset|reset-code)/;
    // There are no operators, so this call is off before it reads a body.
    const isOff = path === '/api/admin/accounts/actions';
    const refusal = isOff ? 404 : status === 405 ? 405 : 415;
    if (!isWithoutBody.test(path)) expect([path, status]).toEqual([path, refusal]);
  }
});
