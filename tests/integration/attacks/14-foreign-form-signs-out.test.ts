// Threats: foreign-sign-out
import { expect, test } from 'vitest';
import { read } from '../../support/client';
import { attackTools } from '../../support/attack';

const { at, accounts, browser } = attackTools();

test('a form on a foreign page does not clear kk_logged_in', async () => {
  // A cross-site POST has no SameSite=Lax cookie, so the request arrives without the session that it should check.
  const form = new URLSearchParams({ any: 'thing' });
  const answer = await read(
    await fetch(at('/api/check-auth-status'), { method: 'POST', headers: { origin: 'https://evil.test' }, body: form }),
  );
  expect(answer.status).toBe(401);
  expect(answer.cookies).toEqual({});
});

test('a browser whose session has ended loses kk_logged_in', async () => {
  const user = await accounts.create();
  const learner = browser();
  await learner.post(at('/api/create-user-session'), { token: await accounts.idToken(user) });
  const stolen = learner.copy();
  await learner.post(at('/api/initiate-logout'));
  const answer = await stolen.post(at('/api/check-auth-status'));
  expect(answer.status).toBe(401);
  expect(answer.cookies.kk_logged_in?.value).toBe('0');
});
