// ASVS: 7.5.1, 10.3.4
import { stringifyCookie } from 'cookie';
import { expect, inject, test } from 'vitest';
import { callProvider, createAccountsClient, idpResponse } from '../support/accounts-client';
import { getBrowserCookies, openSession, post } from '../support/client';
import { mailsBesidesAlerts } from '../support/mail';
import { servedRoutes } from '../support/served-routes';
import { createTestUser, fetchIdToken, type TestUser } from '../support/test-users';

const app = servedRoutes();

const emulator = { emulatorHost: inject('emulatorHost'), projectId: 'demo-campus' };
const accounts = createAccountsClient(emulator);

/** Links a provider to the account of a token, as the SDK does. */
async function link(idToken: string, providerId: string, { email, uid }: TestUser): Promise<void> {
  const identity = { sub: `${providerId}-${uid}`, email, email_verified: true };
  const answer = await callProvider(emulator, 'accounts:signInWithIdp', {
    ...idpResponse(providerId, identity),
    idToken,
  });
  expect(answer.status).toBe(200);
}

async function signedIn(...providers: string[]) {
  const user = await createTestUser();
  const token = await fetchIdToken(user);
  for (const provider of providers) await link(token, provider, user);
  let cookie = await openSession(app.origin, token);
  const unlink = async (method: string, given = token) => {
    const answer = await post(`${app.origin}/api/account/unlink-method`, { cookie, body: { token: given, method } });
    cookie = answer.cookies['_secure-user-session']?.value ?? cookie;
    return answer;
  };
  return { user, token, unlink };
}

test('removes a method, and the password without the email', async () => {
  const { user, unlink } = await signedIn('google.com', 'github.com');
  expect((await unlink('github.com')).status).toBe(200);
  expect(await accounts.fetchMethods(user)).toEqual(['google.com', 'password']);
  expect((await unlink('password', await fetchIdToken(user))).status).toBe(200);
  const record = await accounts.fetchRecord(user);
  expect(record).toMatchObject({ email: user.email, emailVerified: true });
  expect(await accounts.fetchMethods(user)).toEqual(['google.com']);
  await expect(fetchIdToken(user)).rejects.toThrow(/INVALID/);
});

test('emails the owner which method was removed, once', async () => {
  const { user, unlink } = await signedIn('google.com', 'github.com');
  const mailbox = { mailboxUrl: inject('mailboxUrl') };
  expect((await unlink('github.com')).status).toBe(200);
  // The method is already removed, so nothing changes.
  expect((await unlink('github.com', await fetchIdToken(user))).status).toBe(200);
  expect((await unlink('password', await fetchIdToken(user))).status).toBe(200);
  const mails = await mailsBesidesAlerts(mailbox, user.email, 2);
  expect(mails.map(({ subject }) => subject)).toEqual(
    Array(2).fill('A sign-in method was removed from your Campus account'),
  );
  expect(mails[0]?.text).toContain('Removed sign-in methods: GitHub.');
  expect(mails[0]?.text).toMatch(/Sign-in methods you can use now: .*Google/);
  expect(mails[1]?.text).toContain('Removed sign-in methods: email and password.');
  expect(mails[1]?.text).toContain('Sign-in methods you can use now: Google.');
});

test('never removes the last method', async () => {
  const { user, unlink } = await signedIn();
  const answer = await unlink('password');
  expect([answer.status, answer.body?.code]).toEqual([409, 'last-method']);
  await fetchIdToken(user);
});

test('removes only one of two methods when both are requested at once', async () => {
  const { user, unlink } = await signedIn('google.com');
  const answers = await Promise.all([unlink('password'), unlink('google.com')]);
  expect(answers.map(({ status }) => status).sort()).not.toEqual([200, 200]);
  expect(await accounts.fetchMethods(user)).toHaveLength(1);
});

test('accepts a method that is already removed', async () => {
  const { user, unlink } = await signedIn('google.com', 'github.com');
  expect((await unlink('github.com')).status).toBe(200);
  const again = await unlink('github.com', await fetchIdToken(user));
  expect([again.status, again.body, again.cookies]).toEqual([200, {}, {}]);
  expect(await accounts.fetchMethods(user)).toEqual(['google.com', 'password']);
});

test('sets the cookies of a new session, without an expiry on a shared computer', async () => {
  const user = await createTestUser();
  const token = await fetchIdToken(user);
  await link(token, 'google.com', user);
  const cookie = stringifyCookie({
    ...getBrowserCookies(await openSession(app.origin, token)),
    'shared-computer': '1',
  });
  const answer = await post(`${app.origin}/api/account/unlink-method`, {
    body: { token, method: 'google.com' },
    headers: { cookie },
  });
  expect(answer.status).toBe(200);
  const renewed = answer.cookies['_secure-user-session'];
  expect([typeof renewed?.value, renewed?.maxAge]).toEqual(['string', undefined]);
});

test('needs a session, and a recent sign-in to the same account', async () => {
  const { user, token, unlink } = await signedIn('google.com');
  const anonymous = await post(`${app.origin}/api/account/unlink-method`, { body: { token, method: 'google.com' } });
  expect(anonymous.body).toMatchObject({ code: 'session-required' });
  const stranger = await fetchIdToken(await createTestUser());
  expect((await unlink('google.com', stranger)).body).toMatchObject({ code: 'recent-login-required' });
  expect((await unlink('google.com', 'x.y.z')).body).toMatchObject({ code: 'token-invalid' });
  expect(await accounts.fetchMethods(user)).toEqual(['google.com', 'password']);
});
