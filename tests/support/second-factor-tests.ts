import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { turnSecondFactorOff } from '@/lib/server/second-factor';
import { nextSecond } from './client';
import type { SecondFactorApp } from './second-factor-app';
import { SESSION } from './session-app';
import { createTestUser, fetchIdToken, idTokenByCustomToken, shiftIdToken } from './test-users';
import { SoftwareApp } from './totp';

/** Tests of the first tier, which nothing else covers. */
export function testSecondFactorBasics(app: SecondFactorApp): void {
  const { newBrowser, call, signIn, check, kinds, expectCode, post, enrol, begun, show, read, claims, assurance } = app; // oxfmt-ignore

  test('turning it on takes a right code, and one recovery code typed back; it ends all other sessions', async () => {
    const [laptop, phone] = [newBrowser(), newBrowser('phone')];
    await signIn(phone);
    await nextSecond();
    await signIn(laptop);
    const { secret } = await post(laptop, 'add-app');
    const software = new SoftwareApp(secret);
    expectCode(await call(laptop, 'second-factor/confirm-app', { code: software.wrongCode() }), 400, 'code-wrong');
    const code = await software.nextCode();
    const { recoveryCodes } = await post(laptop, 'confirm-app', { code });
    expect(recoveryCodes).toHaveLength(10);
    // Until then, the second factor is off.
    expect(await read()).toMatchObject({ since: null, apps: [], codes: [] });
    expect((await app.open(newBrowser(), await fetchIdToken(app.user))).status).toBe(200);
    expectCode(
      await call(laptop, 'second-factor/confirm-codes', { recoveryCode: '0000-0000-0000-0000' }),
      400,
      'code-wrong',
    );
    await nextSecond();
    const { customToken } = await post(laptop, 'confirm-codes', { recoveryCode: recoveryCodes[3]?.toLowerCase() });
    expect(await assurance(laptop)).toBe(2);
    expect(await check(phone)).toBe(401);
    expect(await claims()).toMatchObject({ second_factor: expect.any(Number) as number });
    expect(await read()).toMatchObject({ since: expect.any(Date) as Date, apps: [{}] });
    expect((await read()).codes).toHaveLength(10);
    expect(await kinds()).toContain('second-factor-on');
    expect(await app.readSubjects(1)).toEqual(['Two-step verification is on for your Campus account']);
    // The code of the set-up is used up. The token that this browser's SDK got has both factors.
    const other = newBrowser('phone');
    await begun(other);
    expectCode(await show(other, { code }), 410, 'code-used');
    expect((await app.open(laptop, await idTokenByCustomToken(customToken))).status).toBe(200);
    await nextSecond();
    expect((await app.renew(laptop)).status).toBe(200);
    expect(await assurance(laptop)).toBe(2);
  });

  test('a code of an app signs in once, in whichever of parallel requests', async () => {
    const { codeAt } = await enrol();
    const browsers = [0, 1, 2, 3].map(() => newBrowser('phone'));
    for (const browser of browsers) await begun(browser);
    const answers = await Promise.all(browsers.map((browser) => show(browser, { code: codeAt() })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410, 410]);
    // This code is older than the code that was used.
    const late = newBrowser('phone');
    await begun(late);
    expectCode(await show(late, { code: codeAt(-30) }), 410, 'code-used');
    expect(await show(late, { code: codeAt(30) })).toMatchObject({ status: 200, body: { codesLeft: null } });
  });

  test('a sign-in that waits gives no session, and no token', async () => {
    await enrol();
    const phone = newBrowser('phone');
    const answer = await begun(phone);
    expect(Object.keys(phone.cookies)).toEqual(['pending-sign-in']);
    expect(Object.keys(answer.body ?? {}).sort()).toEqual(['code', 'status', 'title', 'type']);
    expect(answer.cookies['pending-sign-in']).toMatchObject({
      httpOnly: true,
      secure: true,
      sameSite: 'lax',
      maxAge: 1_800,
    });
    expect(answer.cookies['pending-sign-in']?.domain).toBeUndefined();
    expect(await check(phone)).toBe(401);
    expect((await kinds()).filter((kind) => kind === 'signed-in')).toHaveLength(1);
  });
}

/** Tests of turning a second factor on and off, and of its codes. */
export function testSecondFactor(app: SecondFactorApp): void {
  const { newBrowser, call, signIn, check, kinds, advance, expectCode, post, enrol, begun, show, read, assurance } = app; // oxfmt-ignore
  const ok = { status: 200 };

  describe('turning it on', () => {
    test('has ended all other sessions when the account cannot be marked', async () => {
      const [laptop, phone] = [newBrowser(), newBrowser('phone')];
      await signIn(phone);
      await signIn(laptop);
      const { codes } = await app.begin(laptop);
      const send = globalThis.fetch;
      const line = vi.spyOn(globalThis, 'fetch').mockImplementation((address, init) => {
        const isMark = typeof init?.body === 'string' && init.body.includes('customAttributes');
        return isMark ? Promise.reject(new TypeError('fetch failed')) : send(address, init);
      });
      const answer = await call(laptop, 'second-factor/confirm-codes', { recoveryCode: codes[0] });
      line.mockRestore();
      expectCode(answer, 503, 'provider-unavailable');
      expect((await read()).since).not.toBeNull();
      expect(await check(phone)).toBe(401);
      await begun(newBrowser());
    });

    test('is turned on although the answer to the end of all sessions is lost', async () => {
      const laptop = newBrowser();
      await signIn(laptop);
      const { codes } = await app.begin(laptop);
      const send = globalThis.fetch;
      let isLost = false;
      const line = vi.spyOn(globalThis, 'fetch').mockImplementation(async (address, init) => {
        const answer = await send(address, init);
        if (isLost || typeof init?.body !== 'string' || !init.body.includes('validSince')) return answer;
        isLost = true;
        throw new TypeError('fetch failed');
      });
      const answer = await call(laptop, 'second-factor/confirm-codes', { recoveryCode: codes[0] });
      line.mockRestore();
      expect([answer.status, isLost]).toEqual([200, true]);
    });

    test('needs a sign-in of the last five minutes', async () => {
      const laptop = newBrowser();
      await signIn(laptop);
      advance(301);
      expectCode(await call(laptop, 'second-factor/add-app', {}), 403, 'recent-login-required');
      const stranger = shiftIdToken(await fetchIdToken(await createTestUser()), 301);
      expectCode(await call(laptop, 'second-factor/add-app', { token: stranger }), 403, 'recent-login-required');
      const token = shiftIdToken(await fetchIdToken(app.user), 301);
      expect(await call(laptop, 'second-factor/add-app', { token })).toMatchObject(ok);
      expectCode(await call(newBrowser(), 'second-factor/add-app', {}), 401, 'session-required');
    });

    test('what was begun half an hour ago is gone; begun again, it replaces the one before', async () => {
      const laptop = newBrowser();
      await signIn(laptop);
      const { id: replaced, secret } = await post(laptop, 'add-app');
      const first = new SoftwareApp(secret);
      const { id, secret: other } = await post(laptop, 'add-app');
      const second = new SoftwareApp(other);
      const late = await call(laptop, 'second-factor/confirm-app', { app: replaced, code: await first.nextCode() });
      expectCode(late, 409, 'factor-replaced');
      expectCode(await call(laptop, 'second-factor/confirm-app', { code: await first.nextCode() }), 400, 'code-wrong');
      const { recoveryCodes } = await post(laptop, 'confirm-app', { app: id, code: await second.nextCode() });
      advance(1_801);
      expectCode(
        await call(laptop, 'second-factor/confirm-codes', { recoveryCode: recoveryCodes[0] }),
        410,
        'code-expired',
      );
      expectCode(
        await call(laptop, 'second-factor/confirm-app', { code: await second.nextCode() }),
        410,
        'code-expired',
      );
      expect(await read()).toMatchObject({ since: null });
    });

    test('codes of an app that was never checked turn nothing on', async () => {
      const { laptop } = await enrol();
      await nextSecond();
      // A stranger's browser with the account's session has begun an app. Its codes are not accepted.
      const planted = new SoftwareApp((await post(laptop, 'add-app')).secret);
      const phone = newBrowser('phone');
      await begun(phone);
      expectCode(await show(phone, { code: await planted.nextCode() }), 400, 'code-wrong');
    });
  });

  describe('a code', () => {
    test('for recovery signs in once, with event and email, and says how many are left', async () => {
      const { codes } = await enrol();
      const browsers = [0, 1, 2].map(() => newBrowser('phone'));
      for (const browser of browsers) await begun(browser);
      const recoveryCode = ` ${codes[4]?.replaceAll('-', ' ').toLowerCase() ?? ''}`;
      const answers = await Promise.all(browsers.map((browser) => show(browser, { recoveryCode })));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410]);
      expect(answers.find(({ status }) => status === 200)?.body).toMatchObject({ codesLeft: 9 });
      expect(await kinds()).toContain('recovery-code-used');
      expect(await app.readSubjects(2)).toContain('A recovery code was used for your Campus account');
    });

    test.each(['createCustomToken', 'createSessionCookie'] as const)(
      'for recovery is not used up when no session comes of it: %s fails',
      async (step) => {
        const { codes } = await enrol();
        const [recoveryCode, phone] = [codes[4], newBrowser('phone')];
        await begun(phone);
        const outage = vi.spyOn(getIdentityAdmin(), step).mockRejectedValue(new Error('out of order'));
        const failed = await show(phone, { recoveryCode });
        outage.mockRestore();
        expect([failed.status >= 500, failed.cookies[SESSION]]).toEqual([true, undefined]);
        expect((await read()).codes).toHaveLength(10);
        // The sign-in still waits, and the code signs in once.
        const browsers = [phone, newBrowser('phone'), newBrowser('phone')];
        for (const browser of browsers.slice(1)) await begun(browser);
        const answers = await Promise.all(browsers.map((browser) => show(browser, { recoveryCode })));
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410]);
        expect((await read()).codes).toHaveLength(9);
      },
    );

    test('for recovery is not used up when a session cannot go on with it', async () => {
      const { laptop, codes } = await enrol();
      const recoveryCode = codes[4];
      const outage = vi.spyOn(getIdentityAdmin(), 'createSessionCookie').mockRejectedValue(new Error('out of order'));
      expect((await call(laptop, 'second-factor/step-up', { recoveryCode })).status).toBeGreaterThanOrEqual(500);
      outage.mockRestore();
      expect(await call(laptop, 'second-factor/step-up', { recoveryCode })).toMatchObject({ body: { codesLeft: 9 } });
      expectCode(await call(laptop, 'second-factor/step-up', { recoveryCode }), 410, 'code-used');
    });

    test('of one sign-in that waits opens one session, and only in its browser', async () => {
      const { codeAt } = await enrol();
      const phone = newBrowser('phone');
      await begun(phone);
      expectCode(await show(newBrowser('phone'), { code: codeAt() }), 410, 'sign-in-expired');
      const copy = phone.copy();
      expect(await show(phone, { code: codeAt() })).toMatchObject(ok);
      expect(await assurance(phone)).toBe(2);
      expect(phone.cookies['pending-sign-in']).toBeUndefined();
      expectCode(await show(copy, { code: codeAt(30) }), 410, 'sign-in-expired');
    });

    test('is refused after five wrong ones, and the sign-in begins again', async () => {
      const { app: software, codeAt } = await enrol();
      const phone = newBrowser('phone');
      await begun(phone);
      for (const triesLeft of [4, 3, 2, 1])
        expect((await show(phone, { code: software.wrongCode() })).body).toMatchObject({
          code: 'code-wrong',
          triesLeft,
        });
      const copy = phone.copy();
      expectCode(await show(phone, { recoveryCode: 'no code at all' }), 410, 'code-locked');
      expect(phone.cookies['pending-sign-in']).toBeUndefined();
      expectCode(await show(copy, { code: codeAt() }), 410, 'code-locked');
      await begun(phone);
      expect(await show(phone, { code: codeAt() })).toMatchObject(ok);
    });

    test('rests after ten wrong ones; a passkey and open sessions go on', async () => {
      const { laptop, app: software, codes, codeAt } = await enrol();
      const { authenticator } = await addPasskey(laptop);
      for (let round = 0; round < 2; round += 1) {
        const stranger = newBrowser('phone');
        await begun(stranger);
        for (let wrong = 0; wrong < 5; wrong += 1) await show(stranger, { code: software.wrongCode() });
      }
      const phone = newBrowser('phone');
      await begun(phone);
      const answer = await show(phone, { code: codeAt() });
      expectCode(answer, 429, 'too-many-requests');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(890);
      expect(await kinds()).toContain('factor-locked');
      expect(await app.readSubjects(3)).toContain('Ten incorrect codes for your Campus account');
      // A recovery code cannot be guessed.
      const tablet = newBrowser('phone');
      await begun(tablet);
      expect(await show(tablet, { recoveryCode: codes[1] })).toMatchObject(ok);
      expect(await app.use(newBrowser('phone'), authenticator)).toMatchObject(ok);
      expect(await check(laptop)).toBe(200);
      advance(901);
      const token = shiftIdToken(await fetchIdToken(app.user), 901);
      await begun(phone, token);
      expect(await show(phone, { code: codeAt() })).toMatchObject(ok);
    });

    test('of an app that is set up after an operator has turned all off is not locked by guesses at the one before', async () => {
      const lost = await enrol();
      for (let round = 0; round < 2; round += 1) {
        const stranger = newBrowser('phone');
        await begun(stranger);
        for (let wrong = 0; wrong < 5; wrong += 1) await show(stranger, { code: lost.app.wrongCode() });
      }
      // A repetition does not notify the owner again.
      for (let count = 0; count < 2; count += 1) expect(await turnSecondFactorOff(app.user.uid)).toBe(true);
      expect((await kinds()).filter((kind) => kind === 'second-factor-off')).toHaveLength(1);
      await nextSecond();
      const { codeAt } = await enrol();
      const phone = newBrowser('phone');
      await begun(phone);
      expect(await show(phone, { code: codeAt() })).toMatchObject(ok);
    });

    test('must be one of the two kinds, in a form that is read', async () => {
      const { codeAt } = await enrol();
      const phone = newBrowser('phone');
      await begun(phone);
      for (const body of [
        {},
        { code: '' },
        { code: codeAt(), recoveryCode: 'x' },
        { code: ['1'] },
        { code: '1'.repeat(65) },
      ])
        expect((await show(phone, body)).body).toMatchObject({ code: 'bad-request' });
      for (const code of ['١٢٣٤٥٦', '12345', '１２３４５６'])
        expect((await show(phone, { code })).body).toMatchObject({ code: 'code-wrong' });
      const code = codeAt();
      expect(await show(phone, { code: `${code.slice(0, 3)} ${code.slice(3)}` })).toMatchObject(ok);
    });
  });

  describe('a sign-in that waits', () => {
    const wait = async () => {
      const enrolled = await enrol();
      const phone = newBrowser('phone');
      await begun(phone);
      return { ...enrolled, phone };
    };
    test('waits for ten minutes', async () => {
      const { phone, codeAt } = await wait();
      advance(599);
      expect(await show(phone, { code: codeAt() })).toMatchObject(ok);
      expect(await assurance(phone)).toBe(2);
    });

    test('and no longer', async () => {
      const { phone, codeAt } = await wait();
      advance(601);
      expectCode(await show(phone, { code: codeAt() }), 410, 'sign-in-expired');
    });

    test.each([
      ['all sign-ins were revoked', () => getIdentityAdmin().revokeRefreshTokens(app.user.uid)],
      ['the account was disabled', () => getIdentityAdmin().updateUser(app.user.uid, { disabled: true })],
      ['its email was changed', () => getIdentityAdmin().updateUser(app.user.uid, { email: `x-${app.user.email}` })],
      ['it was deleted', () => getIdentityAdmin().deleteUser(app.user.uid)],
    ])('is over when %s', async (_what, change) => {
      const { phone, codeAt } = await wait();
      await nextSecond();
      await change();
      const { status } = await show(phone, { code: codeAt() });
      expect([401, 403, 410]).toContain(status);
      expect(await check(phone)).toBe(401);
    });
  });

  async function addPasskey(laptop: ReturnType<typeof newBrowser>) {
    const { SoftwareAuthenticator } = await import('./software-authenticator');
    const authenticator = new SoftwareAuthenticator();
    expect(await app.add(laptop, authenticator)).toMatchObject(ok);
    await sleep(1);
    return { authenticator };
  }
}
