// ASVS: 6.6.3
// Threats: code-guessing
import { describe, expect, test, vi } from 'vitest';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { CookieJar } from '../support/client';
import { wrongCode } from '../support/mail';
import { oobCodeIn } from '../support/recovery';
import { createTestUser, fetchIdToken, idTokenByCustomToken } from '../support/test-users';
import { Registration } from '../support/registration';

const registration = new Registration();

describe('a code', () => {
  test('is invalid after five wrong attempts, even with the right code', async () => {
    await registration.register();
    const code = await registration.lastCode();
    for (let left = 4; left >= 0; left -= 1)
      expect((await registration.confirm(wrongCode(code))).body).toMatchObject({ code: 'code-wrong', triesLeft: left });
    expect((await registration.confirm(code)).body).toMatchObject({ code: 'code-locked', status: 410 });
  });

  test('works once', async () => {
    await registration.register();
    const code = await registration.lastCode();
    const answers = await Promise.all([registration.confirm(code), registration.confirm(code)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410]);
    expect((await registration.confirm(code)).body).toMatchObject({ code: 'code-used' });
  });

  test('is invalid in another browser', async () => {
    await registration.register();
    expect((await registration.confirm(await registration.lastCode(), new CookieJar())).body).toMatchObject({
      code: 'code-missing',
    });
  });

  test('expires after 15 minutes', async () => {
    await registration.register();
    const code = await registration.lastCode();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 900_000 });
    expect((await registration.confirm(code)).body).toMatchObject({ code: 'code-expired' });
  });

  test('is sent again after 30 s, and replaces the one before', async () => {
    await registration.register();
    const first = await registration.lastCode();
    const early = await registration.resend();
    expect(early.status).toBe(429);
    expect(Number(early.headers.get('retry-after'))).toBeGreaterThan(20);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 });
    expect((await registration.resend()).body).toMatchObject({ resendAfter: 30 });
    expect((await registration.confirm(first)).body).toMatchObject({ code: 'code-wrong' });
    expect((await registration.confirm(await registration.lastCode(2))).status).toBe(200);
  });

  test('is emailed to one address five times an hour', async () => {
    const statuses = [];
    for (let count = 0; count < 6; count += 1) statuses.push((await registration.register({}, new CookieJar())).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  });
});

describe('a sign-in with the right password and an unverified email', () => {
  test('gets a code', async () => {
    const user = await createTestUser({ emailVerified: false });
    registration.email = user.email;
    const answer = await registration.jar.post(`${registration.app.origin}/api/email-confirmation`, {
      token: await fetchIdToken(user),
    });
    expect(answer.status).toBe(200);
    expect((await registration.confirm(await registration.lastCode())).status).toBe(200);
    expect((await getIdentityAdmin().getUserByEmail(registration.email)).emailVerified).toBe(true);
  });

  test('gets no code with a wrong password', async () => {
    const token = await fetchIdToken(await createTestUser());
    const address = `${registration.app.origin}/api/email-confirmation`;
    expect((await registration.jar.post(address, { token })).body).toMatchObject({ code: 'bad-request' });
    expect((await registration.jar.post(address, { token: 'x.y.z' })).body).toMatchObject({ code: 'token-invalid' });
  });

  test('stores no email on a shared computer', async () => {
    const user = await createTestUser({ emailVerified: false });
    registration.jar = new CookieJar();
    registration.jar.cookies['shared-computer'] = '1';
    const token = await fetchIdToken(user);
    const { cookies } = await registration.jar.post(`${registration.app.origin}/api/email-confirmation`, { token });
    expect(cookies['sign-in-email']).toMatchObject({ value: user.email });
    for (const { name, maxAge, expires } of Object.values(cookies))
      if (name !== 'registration-requires-sign-in')
        expect([name, maxAge, expires]).toEqual([name, undefined, undefined]);
  });
});

describe('the link of the email', () => {
  const open = async (by: CookieJar, body: object = {}) => {
    const [mail] = await registration.mails();
    if (!mail) throw new Error('No email');
    return by.post(`${registration.app.origin}/api/actions/verify-email`, { code: oobCodeIn(mail), ...body });
  };

  test('signs in the browser that registered, as the code does', async () => {
    await registration.register();
    const answer = await open(registration.jar);
    expect(answer.status).toBe(200);
    expect(await idTokenByCustomToken(String(answer.body?.customToken))).toEqual(expect.any(String));
  });

  test('leaves the code to sign in with', async () => {
    await registration.register();
    const code = await registration.lastCode();
    expect((await open(registration.jar)).status).toBe(200);
    const answer = await registration.confirm(code);
    expect(await idTokenByCustomToken(String(answer.body?.customToken))).toEqual(expect.any(String));
  });

  test('does not create the account again after its deletion', async () => {
    await registration.register();
    expect((await registration.confirm(await registration.lastCode())).status).toBe(200);
    const { uid } = await getIdentityAdmin().getUserByEmail(registration.email);
    await getIdentityAdmin().deleteUser(uid);
    expect((await open(new CookieJar(), { password: 'another-lantern-7' })).body).toMatchObject({
      code: 'action-code-invalid',
    });
    await expect(getIdentityAdmin().getUser(uid)).rejects.toMatchObject({ code: 'auth/user-not-found' });
  });

  test('signs no other browser in, which sets a new password', async () => {
    await registration.register();
    const answer = await open(new CookieJar(), { password: 'another-lantern-7' });
    expect([answer.status, answer.body]).toEqual([200, {}]);
    expect(await fetchIdToken({ email: registration.email, password: 'another-lantern-7' })).toEqual(
      expect.any(String),
    );
  });

  test('in another browser, leaves the one that registered no further code', async () => {
    await registration.register();
    expect((await open(new CookieJar(), { password: 'another-lantern-7' })).status).toBe(200);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 });
    expect((await registration.resend()).status).toBe(200);
    const subjects = (await registration.mails(2)).map(({ subject }) => subject);
    expect(subjects).toContain('You already have a Campus account');
    expect(subjects.filter((subject) => subject.includes('code'))).toHaveLength(1);
  });
});
