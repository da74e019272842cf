// ASVS: 6.4.3
// Threats: pre-hijacking
import { expect, test } from 'vitest';
import { attackTools } from '../../support/attack';
import { codeIn } from '../../support/mail';
import { nextSecond } from '../../support/client';

const { at, browser, freshEmail, mails, accounts, provider, refresh, signInWithIdp } = attackTools();
const NEW_PASSWORD = 'quiet-lantern-42';
const google = (sub: string) => ({ sub, email: `${sub}@gmail.test`, email_verified: true });

async function resetByCode(email: string): Promise<void> {
  const owner = browser();
  await owner.post(at('/api/password-reset'), { email });
  const answer = await owner.post(at('/api/password-reset/confirm'), {
    code: codeIn((await mails(email)).at(-1) ?? { text: '' }),
    password: NEW_PASSWORD,
  });
  expect(answer.status).toBe(200);
}

test('a password reset removes every sign-in method of an attacker', async () => {
  const email = freshEmail();
  const made = (await provider('accounts:signUp', { email, password: 'attacker-pass-1', returnSecureToken: true }))
    .body;
  const identity = google(`mallory-${email.slice(0, 8)}`);
  const linked = (await signInWithIdp('google.com', identity, String(made.idToken))).body;
  await provider('accounts:update', { idToken: linked.idToken, displayName: 'You have won 500 EUR' });
  await nextSecond();
  await resetByCode(email);

  const again = (await signInWithIdp('google.com', identity)).body;
  expect(again.localId).not.toBe(made.localId);
  for (const token of [made.idToken, linked.idToken]) {
    const answer = await browser().post(at('/api/create-user-session'), { token });
    expect([401, 403]).toContain(answer.status);
    expect(answer.cookies).toEqual({});
  }
  const renewed = await refresh(String(linked.refreshToken));
  const answer = await browser().post(at('/api/create-user-session'), { token: renewed.body.id_token ?? 'none' });
  expect(answer.cookies).toEqual({});
  expect((await provider('accounts:signInWithPassword', { email, password: 'attacker-pass-1' })).status).toBe(400);
  expect(await accounts.fetchMethods({ uid: String(made.localId) })).toEqual(['password']);

  const owner = browser();
  const token = await accounts.idToken({ email, password: NEW_PASSWORD });
  expect((await owner.post(at('/api/create-user-session'), { token })).status).toBe(200);
  expect((await owner.post(at('/api/check-auth-status'))).body).toMatchObject({ email, displayName: null });
  const notice = (await mails(email, 2)).at(-1);
  expect(notice?.subject).toContain('password was changed');
  expect(notice?.text).toContain('Removed sign-in methods: Google.');
});

test('the owner of a verified account gets an email with the remaining sign-in methods', async () => {
  const user = await accounts.create();
  await signInWithIdp('google.com', google(`pat-${user.uid}`), await accounts.idToken(user));
  await resetByCode(user.email);
  expect((await mails(user.email, 2)).at(-1)?.text).toContain('use now: email and password, Google.');
  expect(await accounts.fetchMethods(user)).toEqual(['google.com', 'password']);
});

test('a confirmation by code removes methods that an attacker has linked', async () => {
  const email = freshEmail();
  const facebook = { sub: email, email, email_verified: false };
  const signedIn = (await signInWithIdp('facebook.com', facebook)).body;
  const owner = browser();
  await owner.post(at('/api/email-confirmation'), { token: signedIn.idToken });
  await signInWithIdp('google.com', google(`mallory-${email.slice(0, 8)}`), String(signedIn.idToken));
  const code = codeIn((await mails(email)).at(-1) ?? { text: '' });
  expect((await owner.post(at('/api/registration/confirm'), { code })).status).toBe(200);
  expect(await accounts.fetchMethods({ uid: String(signedIn.localId) })).toEqual(['facebook.com']);
  expect((await mails(email, 2)).at(-1)?.text).toContain('Removed sign-in methods: Google.');
});

test('sign-in help does not offer an attacker’s sign-in method to the owner', async () => {
  const email = freshEmail();
  await signInWithIdp('facebook.com', { sub: `mallory-${email}`, email, email_verified: false });
  await browser().post(at('/api/sign-in-help'), { email });
  const [mail] = await mails(email);
  expect(mail?.text).not.toContain('Facebook');
  expect(mail?.text).toContain('mode=verifyEmail');
});
