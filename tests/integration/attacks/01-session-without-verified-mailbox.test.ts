// ASVS: 6.3.4
// Threats: pre-hijacking, unproved-rename
import { describe, expect, test } from 'vitest';
import { attackTools } from '../../support/attack';
import { nextSecond } from '../../support/client';

const { at, browser, freshEmail, accounts, provider, signInWithIdp } = attackTools();

const create = (token: unknown) => browser().post(at('/api/create-user-session'), { token });

/** Creates an account for another person's email directly at the identity provider, with a linked provider. */
async function squat(victim: string, providerId: string, identity: string) {
  const { body } = await provider('accounts:signUp', {
    email: victim,
    password: 'attacker-pass-1',
    returnSecureToken: true,
  });
  await signInWithIdp(providerId, { sub: identity, email: identity, email_verified: true }, String(body.idToken));
  return (await signInWithIdp(providerId, { sub: identity, email: identity, email_verified: true })).body;
}

describe('an account for another user’s email', () => {
  test.each(['campus.test', 'acme.test'])('gets no session with a linked Google account (%s)', async (domain) => {
    const victim = freshEmail(domain);
    const { idToken, email } = await squat(victim, 'google.com', freshEmail('gmail.test'));
    expect(email).toBeDefined();
    const answer = await create(idToken);
    expect([answer.status, answer.body?.code]).toEqual([403, 'email-not-verified']);
    expect(answer.cookies).toEqual({});
  });

  test("gets none with a colleague's organization sign-in", async () => {
    const victim = freshEmail('acme.test');
    const { idToken } = await squat(victim, 'saml.acme', freshEmail('acme.test'));
    expect((await create(idToken)).body?.code).toBe('email-not-verified');
  });

  test('gets none with its password', async () => {
    const body = { email: freshEmail(), password: 'attacker-pass-1', returnSecureToken: true };
    const { idToken } = (await provider('accounts:signUp', body)).body;
    expect((await create(idToken)).body?.code).toBe('email-not-verified');
  });
});

test('a provider without a verified email gets no session; the code does', async () => {
  const email = freshEmail();
  const { idToken } = (await signInWithIdp('facebook.com', { sub: email, email, email_verified: false })).body;
  const learner = browser();
  expect((await learner.post(at('/api/create-user-session'), { token: idToken })).body?.code).toBe(
    'email-not-verified',
  );
  expect((await learner.post(at('/api/email-confirmation'), { token: idToken })).status).toBe(200);
});

test('a session ends when its account gets an unverified email', async () => {
  const attacker = await accounts.create();
  const learner = browser();
  const token = await accounts.idToken(attacker);
  expect((await learner.post(at('/api/create-user-session'), { token })).status).toBe(200);
  const victim = freshEmail();
  expect((await provider('accounts:update', { idToken: token, email: victim })).status).toBe(200);
  await nextSecond();
  const status = await learner.post(at('/api/check-auth-status'));
  expect(status.status).toBe(401);
  expect(JSON.stringify(status.body)).not.toContain(victim);
});

test('the status call says that the address is verified', async () => {
  const learner = browser();
  await learner.post(at('/api/create-user-session'), { token: await accounts.idToken(await accounts.create()) });
  expect((await learner.post(at('/api/check-auth-status'))).body).toMatchObject({ emailVerified: true });
});
