// ASVS: 6.4.3
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { PROVED_ADDRESS_CLAIM } from '@/lib/server/policy/account';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { CookieJar, nextSecond, openSession, post } from '../support/client';
import { codeIn } from '../support/mail';
import { fetchIdToken, createTestUser, idTokenByCustomToken } from '../support/test-users';
import { NEW_PASSWORD, oobCodeIn, Recovery } from '../support/recovery';
import { enrolApp } from '../support/second-factor';
import { startRoutesProcess } from '../support/served-routes';
import type { Endpoints } from '../../scripts/lib/stack.mjs';

const recovery = new Recovery();
const withPassword = (password: string) => fetchIdToken({ ...recovery.user, password });

describe('a forgotten password', () => {
  test('is reset with the code from the email; all sessions end, and the owner is notified', async () => {
    const session = await openSession(recovery.app.origin, await fetchIdToken(recovery.user));
    const answer = await recovery.ask();
    expect([answer.status, answer.body]).toEqual([
      200,
      { resendAfter: 30, flow: expect.stringMatching(/^[\w-]{12}$/) as string },
    ]);
    expect(answer.cookies['auth-password-reset']).toMatchObject({ httpOnly: true, secure: true, maxAge: 900 });

    await nextSecond();
    const done = await recovery.reset(codeIn(await recovery.lastMail()));
    expect(done.status).toBe(200);
    expect(done.cookies['password-update']).toMatchObject({ value: '1' });
    expect(await withPassword(NEW_PASSWORD)).toEqual(expect.any(String));
    await expect(withPassword(recovery.user.password)).rejects.toThrow(/INVALID/);
    expect((await post(`${recovery.app.origin}/api/check-auth-status`, { cookie: session })).status).toBe(401);
    expect((await recovery.lastMail(2)).subject).toBe('Your Campus password was changed');
  });

  test("stays the owner's while an intruder changes it with the old one", async () => {
    const { app, user } = recovery;
    const session = await openSession(app.origin, await fetchIdToken(user));
    await recovery.ask();
    const code = codeIn(await recovery.lastMail());
    await nextSecond();
    const change = { current: user.password, password: 'intruders-lantern-3' };
    const [reset] = await Promise.all([
      recovery.reset(code),
      post(`${app.origin}/api/account/password`, { cookie: session, body: change }),
    ]);
    expect(reset.status).toBe(200);
    expect(await withPassword(NEW_PASSWORD)).toEqual(expect.any(String));
  });

  test('is reset with the link from the email, once', async () => {
    await recovery.ask();
    const oobCode = oobCodeIn(await recovery.lastMail());
    const done = await recovery.resetByLink(oobCode);
    expect(done.status).toBe(200);
    expect(done.cookies['legacy-user-status']).toMatchObject({ value: '', maxAge: 0 });
    expect(await withPassword(NEW_PASSWORD)).toEqual(expect.any(String));
    expect((await recovery.resetByLink(oobCode)).body).toMatchObject({ code: 'action-code-invalid', status: 410 });
  });

  test('is not reset by a link once a code has been used, not even by the link of an earlier email', async () => {
    const links: string[] = [];
    for (const number of [1, 2]) {
      recovery.jar = new CookieJar();
      await recovery.ask(recovery.user.email, recovery.jar);
      links.push(oobCodeIn(await recovery.lastMail(number)));
    }
    expect((await recovery.reset(codeIn(await recovery.lastMail(2)))).status).toBe(200);
    for (const link of links)
      expect((await recovery.resetByLink(link, 'third-lantern-9', new CookieJar())).body).toMatchObject({
        code: 'action-code-invalid',
        status: 410,
      });
    expect(await withPassword(NEW_PASSWORD)).toEqual(expect.any(String));
    // A link that is asked for after that works.
    await recovery.ask(recovery.user.email, new CookieJar());
    const later = oobCodeIn(await recovery.lastMail(4));
    expect((await recovery.resetByLink(later, 'third-lantern-9', new CookieJar())).status).toBe(200);
  });

  test('may be reset by code after the link was used on another device', async () => {
    await recovery.ask();
    const mail = await recovery.lastMail();
    expect((await recovery.resetByLink(oobCodeIn(mail), NEW_PASSWORD, new CookieJar())).status).toBe(200);
    expect((await recovery.reset(codeIn(mail), 'third-lantern-9')).status).toBe(200);
    expect(await withPassword('third-lantern-9')).toEqual(expect.any(String));
  });

  test.each(['code', 'link'])('signs in by %s, in the browser that set the password', async (by) => {
    await recovery.ask();
    const mail = await recovery.lastMail();
    const done = await (by === 'code' ? recovery.reset(codeIn(mail)) : recovery.resetByLink(oobCodeIn(mail)));
    expect(done.body).toEqual({ customToken: expect.any(String) as string });
    const token = await idTokenByCustomToken(String(done.body?.customToken));
    const session = await recovery.jar.post(`${recovery.app.origin}/api/create-user-session`, { token });
    expect(session.status).toBe(200);
    const status = await recovery.jar.post(`${recovery.app.origin}/api/check-auth-status`);
    expect(status.body).toMatchObject({ uid: recovery.user.uid, emailVerified: true });
  });

  test('does not sign in without the second factor', async () => {
    const { origin } = recovery.app;
    const { FIREBASE_AUTH_EMULATOR_HOST: emulatorHost = '' } = process.env;
    const app = await enrolApp({ appOrigin: origin, emulatorHost } as Endpoints, recovery.user);
    for (const by of ['code', 'link']) {
      const jar = new CookieJar();
      await recovery.ask(recovery.user.email, jar);
      // The emails before it are about the second factor, and about the first reset.
      const mail = await recovery.lastMail(by === 'code' ? 2 : 4);
      await nextSecond();
      const done = await (by === 'code'
        ? recovery.reset(codeIn(mail), NEW_PASSWORD, jar)
        : recovery.resetByLink(oobCodeIn(mail), 'third-lantern-9', jar));
      expect([done.status, done.body]).toEqual([200, { step: 'second-factor-required' }]);
      expect(done.cookies['password-update']).toMatchObject({ value: '1' });
      expect((await jar.post(`${origin}/api/check-auth-status`)).status).toBe(401);
      // A code works once, so the second sign-in takes the next one.
      const code = app.codeAt(by === 'code' ? 0 : 30);
      expect((await jar.post(`${origin}/api/second-factor/sign-in`, { code })).status).toBe(200);
      expect((await jar.post(`${origin}/api/check-auth-status`)).body).toMatchObject({ assurance: 2 });
    }
  });

  test('verifies the email of an unverified account', async () => {
    recovery.user = await createTestUser({ emailVerified: false });
    await recovery.ask();
    await recovery.reset(codeIn(await recovery.lastMail()));
    expect((await getIdentityAdmin().getUser(recovery.user.uid)).emailVerified).toBe(true);
  });

  test('removes the legacy claim, and no other, and stores the proved email', async () => {
    await getIdentityAdmin().setCustomUserClaims(recovery.user.uid, { legacy: true, accessLevel: 'teacher' });
    await recovery.ask();
    const { cookies } = await recovery.reset(codeIn(await recovery.lastMail()));
    // With this cookie, /sign-in asks legacy users for a new password.
    expect(cookies['legacy-user-status']).toMatchObject({ value: '', maxAge: 0 });
    expect((await getIdentityAdmin().getUser(recovery.user.uid)).customClaims).toEqual({
      accessLevel: 'teacher',
      [PROVED_ADDRESS_CLAIM]: recovery.user.email,
    });
  });

  test('does not store the proved email among claims that leave no room for it', async () => {
    const claims = { accessLevel: 'teacher', schools: 'x'.repeat(950) };
    await getIdentityAdmin().setCustomUserClaims(recovery.user.uid, claims);
    await recovery.ask();
    await recovery.reset(codeIn(await recovery.lastMail()));
    expect((await getIdentityAdmin().getUser(recovery.user.uid)).customClaims).toEqual(claims);
    expect(await withPassword(NEW_PASSWORD)).toEqual(expect.any(String));
  });

  test('does not become the present password, which someone else may know', async () => {
    await recovery.ask();
    const [code, link] = [codeIn(await recovery.lastMail()), oobCodeIn(await recovery.lastMail())];
    const { password } = recovery.user;
    const refused = { status: 400, body: { code: 'password-unchanged' } };
    for (let count = 0; count < 6; count += 1) expect(await recovery.reset(code, password)).toMatchObject(refused);
    expect(await recovery.resetByLink(link, password)).toMatchObject(refused);
    expect((await recovery.reset(code)).status).toBe(200);
  });

  test('does not become the present password in another Unicode form', async () => {
    const password = 'é-è-ñ-ä-42-51'.normalize('NFD');
    await getIdentityAdmin().updateUser(recovery.user.uid, { password });
    await recovery.ask();
    const answer = await recovery.reset(codeIn(await recovery.lastMail()), password.normalize('NFC'));
    expect(answer).toMatchObject({ status: 400, body: { code: 'password-unchanged' } });
  });

  test.each(['password1', 'campus-12'])(
    'is not replaced by a guessable one, which uses no attempt: %s',
    async (password) => {
      await recovery.ask();
      const code = codeIn(await recovery.lastMail());
      for (let count = 0; count < 6; count += 1) expect((await recovery.reset(code, password)).status).toBe(400);
      const [link, newPassword] = [oobCodeIn(await recovery.lastMail()), NEW_PASSWORD];
      expect((await recovery.resetByLink(link, password)).status).toBe(400);
      expect((await recovery.reset(code, newPassword)).status).toBe(200);
    },
  );

  test.each(['', 'x', 'not-a-code', 'a'.repeat(513)])('is not reset by a made-up link code: "%s"', async (oobCode) => {
    const { status } = await recovery.resetByLink(oobCode);
    expect([400, 410]).toContain(status);
  });
});

test('without a mail server the response does not claim that a code was sent', async () => {
  const unreachable = await startRoutesProcess({ SMTP_URL: 'smtp://127.0.0.1:9' });
  for (const email of [recovery.user.email, `${randomUUID()}@campus.test`]) {
    const answer = await recovery.jar.post(`${unreachable.origin}/api/password-reset`, { email });
    expect(answer.body).toMatchObject({ code: 'mail-unavailable', status: 503 });
    expect(answer.cookies).toEqual({});
  }
  await unreachable.stop();
});
