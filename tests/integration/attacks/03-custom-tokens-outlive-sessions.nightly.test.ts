// ASVS: 10.5.1
// Threats: custom-token
import { describe, expect, test } from 'vitest';
import type { TestUser } from '../../support/accounts-client';
import { attackTools } from '../../support/attack';
import { codeIn, mailsBesidesAlerts } from '../../support/mail';
import { startTimedApp } from '../../support/timed-app';
import { nextSecond, type CookieJar } from '../../support/client';

const { at, browser, freshEmail, accounts, endpoints, provider, refresh } = attackTools();
const NEW_PASSWORD = 'quiet-lantern-42';

async function signIn(user: Pick<TestUser, 'email' | 'password'>): Promise<CookieJar> {
  const learner = browser();
  const answer = await learner.post(at('/api/create-user-session'), { token: await accounts.idToken(user) });
  expect(answer.status).toBe(200);
  return learner;
}

/** Creates a custom token with the session's cookie and exchanges it for tokens. */
async function mint(learner: CookieJar) {
  const { body } = await learner.post(at('/api/auto-sign-in'));
  const exchanged = await exchange(String(body?.customToken));
  return { customToken: String(body?.customToken), refreshToken: String(exchanged.refreshToken) };
}
async function exchange(token: string) {
  return (await provider('accounts:signInWithCustomToken', { token, returnSecureToken: true })).body;
}

const ENDINGS: [string, (learner: CookieJar, user: TestUser) => Promise<unknown>][] = [
  [
    'a password change',
    (learner, { password: current }) => learner.post(at('/api/account/password'), { current, password: NEW_PASSWORD }),
  ],
  [
    'a reset by code',
    async (_learner, { email }) => {
      const owner = browser();
      await owner.post(at('/api/password-reset'), { email });
      const code = codeIn((await mailsBesidesAlerts(endpoints, email)).at(-1) ?? { text: '' });
      await owner.post(at('/api/password-reset/confirm'), { code, password: NEW_PASSWORD });
    },
  ],
  ['"sign out everywhere"', (learner) => learner.post(at('/api/account/sign-out-everywhere'))],
  ['an ordinary sign-out', (learner) => learner.post(at('/api/initiate-logout'))],
];

describe.each(ENDINGS)('a custom token minted before %s', (_what, end) => {
  test('gets no session, nor does its refresh token', async () => {
    const user = await accounts.create();
    const learner = await signIn(user);
    const { customToken, refreshToken } = await mint(learner);
    await nextSecond();
    expect(await end(learner, user)).not.toMatchObject({ status: 500 });
    const late = await exchange(customToken);
    const renewed = (await refresh(refreshToken)).body;
    for (const token of [late.idToken, renewed.id_token].filter(Boolean)) {
      const answer = await browser().post(at('/api/create-user-session'), { token });
      expect(answer.status).toBe(401);
      expect(answer.cookies).toEqual({});
    }
  });
});

test('a session created with a custom token ends with its original session', async () => {
  const learner = await signIn(await accounts.create());
  const { customToken } = await mint(learner);
  const thief = browser();
  await thief.post(at('/api/create-user-session'), { token: (await exchange(customToken)).idToken });
  expect((await thief.post(at('/api/check-auth-status'))).status).toBe(200);
  await learner.post(at('/api/initiate-logout'));
  expect((await thief.post(at('/api/check-auth-status'))).status).toBe(401);
});

test('the custom token of a registration is invalid once its session has ended', async () => {
  const email = freshEmail();
  const learner = browser();
  await learner.post(at('/api/registration'), { name: 'Mia Moreau', email, password: NEW_PASSWORD });
  const code = codeIn((await mailsBesidesAlerts(endpoints, email)).at(-1) ?? { text: '' });
  const { body } = await learner.post(at('/api/registration/confirm'), { code });
  const { idToken, refreshToken } = await exchange(String(body?.customToken));
  expect((await learner.post(at('/api/create-user-session'), { token: idToken })).status).toBe(200);
  await learner.post(at('/api/initiate-logout'));
  const renewed = (await refresh(String(refreshToken))).body;
  for (const token of [renewed.id_token, (await exchange(String(body?.customToken))).idToken])
    expect((await browser().post(at('/api/create-user-session'), { token })).status).toBe(401);
});

test('a stolen session cookie gets no custom token five minutes after authentication', async () => {
  const app = await startTimedApp(endpoints, 301);
  const user = await accounts.create();
  const stolen = browser();
  // The session begins five minutes before the other app's time. That app would open no session for a proof of that
  // age.
  await stolen.post(at('/api/create-user-session'), { token: await accounts.idToken(user) });
  stolen.headers.origin = app.endpoints.appOrigin;
  expect((await stolen.post(`${app.endpoints.appOrigin}/api/check-auth-status`)).status).toBe(200);
  const minted = await stolen.post(`${app.endpoints.appOrigin}/api/auto-sign-in`);
  await app.stop();
  expect([minted.status, minted.body?.code]).toEqual([403, 'recent-login-required']);
});

test('a custom token of another issuer gets no session', async () => {
  const { uid } = await accounts.create();
  // The emulator accepts unsigned custom tokens. In production, another service creates them with the project's key.
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const now = Math.floor(Date.now() / 1000);
  const aud = 'https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit';
  const claims = { iss: 'x@example.test', sub: 'x@example.test', aud, iat: now, exp: now + 3600, uid };
  const foreign = `${part({ alg: 'none', typ: 'JWT' })}.${part(claims)}.`;
  const { idToken } = await exchange(foreign);
  expect(idToken).toBeDefined();
  expect((await browser().post(at('/api/create-user-session'), { token: idToken })).status).toBe(401);
});
