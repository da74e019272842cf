// ASVS: 6.6.2
import { describe, expect, test, vi } from 'vitest';
import { CookieJar } from '../support/client';
import { codeIn, wrongCode } from '../support/mail';
import { NEW_PASSWORD, Recovery } from '../support/recovery';

const recovery = new Recovery();

describe('a reset code', () => {
  test('is invalid after five wrong attempts, even with the right code', async () => {
    await recovery.ask();
    const code = codeIn(await recovery.lastMail());
    for (let left = 4; left >= 0; left -= 1)
      expect((await recovery.reset(wrongCode(code))).body).toMatchObject({ code: 'code-wrong', triesLeft: left });
    expect((await recovery.reset(code)).body).toMatchObject({ code: 'code-locked' });
  });

  test('leaves no cookie that outlives the browser session of a shared computer', async () => {
    const jar = new CookieJar();
    jar.cookies['shared-computer'] = '1';
    const { cookies } = await jar.post(`${recovery.app.origin}/api/password-reset`, { email: recovery.user.email });
    expect(cookies['auth-password-reset']?.value).toMatch(/./);
    expect(cookies['auth-password-reset']?.maxAge).toBeUndefined();
  });

  test('works once', async () => {
    await recovery.ask();
    const code = codeIn(await recovery.lastMail());
    const second = new CookieJar();
    Object.assign(second.cookies, recovery.jar.cookies);
    expect((await recovery.reset(code)).status).toBe(200);
    expect((await recovery.reset(code, 'third-lantern-9', second)).body).toMatchObject({ code: 'code-used' });
  });

  test('is invalid in another browser and as a confirmation', async () => {
    await recovery.ask();
    const code = codeIn(await recovery.lastMail());
    expect((await recovery.reset(code, NEW_PASSWORD, new CookieJar())).body).toMatchObject({ code: 'code-missing' });
    recovery.jar.cookies['email-confirmation-token'] = recovery.jar.cookies['auth-password-reset'] ?? '';
    const confirmed = await recovery.jar.post(`${recovery.app.origin}/api/registration/confirm`, { code });
    expect(confirmed.body).toMatchObject({ code: 'code-missing' });
  });

  test('expires after 15 minutes', async () => {
    await recovery.ask();
    const code = codeIn(await recovery.lastMail());
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 900_000 });
    expect((await recovery.reset(code)).body).toMatchObject({ code: 'code-expired' });
  });

  test('is sent again after 30 s', async () => {
    await recovery.ask();
    expect((await recovery.askAgain()).status).toBe(429);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 });
    expect((await recovery.askAgain()).status).toBe(200);
    expect((await recovery.reset(codeIn(await recovery.lastMail(2)))).status).toBe(200);
  });

  test('is sent again four times to one browser, whatever other clients request', async () => {
    await recovery.ask();
    const start = Date.now();
    const statuses = [];
    for (let count = 1; count <= 5; count += 1) {
      vi.useFakeTimers({ toFake: ['Date'], now: start + count * 31_000 });
      // This request starts its own resend delay, but none for other browsers.
      await recovery.ask(recovery.user.email, new CookieJar());
      statuses.push((await recovery.askAgain()).status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 429]);
  });
});
