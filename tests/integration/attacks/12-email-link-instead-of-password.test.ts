// ASVS: 6.2.3
// Threats: token-for-password
import { expect, test } from 'vitest';
import { attackTools } from '../../support/attack';

const { at, browser, accounts, provider } = attackTools();

test('a sign-in by email link does not change the password', async () => {
  const user = await accounts.create();
  const oobCode = await accounts.signInCode(user);
  const { idToken } = (await provider('accounts:signInWithEmailLink', { email: user.email, oobCode })).body;
  const thief = browser();
  expect((await thief.post(at('/api/create-user-session'), { token: idToken })).status).toBe(200);
  // The attempts use the token of that sign-in, which was accepted once, and the session that it opened.
  const attempts = [
    { token: idToken, password: 'stolen-lantern-42' },
    { current: 'a-wrong-guess', password: 'stolen-lantern-42' },
    { current: '', password: 'stolen-lantern-42' },
    { password: 'stolen-lantern-42' },
  ];
  for (const attempt of attempts) {
    const answer = await thief.post(at('/api/account/password'), attempt);
    expect([400, 403]).toContain(answer.status);
  }
  const first = await thief.post(at('/api/account/first-password'), attempts[0]);
  expect(first.body?.code).toBe('recent-login-required');
  await accounts.idToken(user);
});
