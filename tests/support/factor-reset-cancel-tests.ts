import { describe, expect, test } from 'vitest';
import { inspectResetLink } from '@/lib/server/second-factor/reset';
import { sealDeletionLink, sealResetLink } from '@/lib/server/codes/links';
import { turnSecondFactorOff } from '@/lib/server/second-factor/removal';
import { nextSecond } from './client';
import { createResetSteps, SUBJECTS } from './factor-reset-app';
import type { SecondFactorApp } from './second-factor-app';
import { SoftwareAuthenticator } from './software-authenticator';
import { fetchIdToken } from './test-users';

/** Tests which actions cancel the reset of a lost second factor. */
export function testResetCancellation(app: SecondFactorApp): void {
  const { newBrowser, call, expectCode, enrol, begun, show, read } = app;
  const { subjects, readLink, ask, readReset, pass, resetKinds } = createResetSteps(app);
  const ok = { status: 200 };

  describe('is canceled', () => {
    const expectKept = async () => {
      expect(await readReset()).toBeNull();
      expect(await resetKinds()).toEqual(['factor-reset-requested', 'factor-reset-cancelled']);
      await expect.poll(async () => (await subjects()).slice(-1)).toEqual([SUBJECTS.cancelled]);
      await pass('100 hours');
      expect(await read()).toMatchObject({ apps: [{}] });
    };

    test.each(['requested', 'reminder', 'warning'] as const)('by the link of the email %s', async (email) => {
      await enrol();
      const { effectiveAt } = await ask();
      if (email !== 'requested') await pass(email === 'reminder' ? '24 hours' : '71 hours');
      const code = await readLink(SUBJECTS[email]);
      if (email === 'requested') expect(await inspectResetLink(code)).toEqual({ state: 'scheduled', effectiveAt });
      expect(await call(newBrowser(), 'actions/keep-second-factor', { code })).toMatchObject(ok);
      await expectKept();
      expect((await inspectResetLink(code)).state).toBe('canceled');
      expectCode(await call(newBrowser(), 'actions/keep-second-factor', { code }), 410, 'action-code-invalid');
    });

    test('by a session', async () => {
      const { laptop } = await enrol();
      await ask();
      expectCode(await call(newBrowser(), 'second-factor/cancel-reset'), 401, 'session-required');
      expect(await call(laptop, 'second-factor/cancel-reset')).toMatchObject(ok);
      expect(await call(laptop, 'second-factor/cancel-reset')).toMatchObject(ok);
      await expectKept();
    });

    test.each(['app', 'recovery'] as const)('by a sign-in with a code: %s', async (kind) => {
      const { codeAt, codes } = await enrol();
      await ask();
      const browser = newBrowser();
      await begun(browser);
      expect(await show(browser, kind === 'app' ? { code: codeAt() } : { recoveryCode: codes[3] })).toMatchObject(ok);
      await expectKept();
    });

    test('by a proof with a code', async () => {
      const { laptop, codeAt } = await enrol();
      await ask();
      await app.post(laptop, 'prove', { token: await fetchIdToken(app.user), code: codeAt() });
      await expectKept();
    });

    test('by a sign-in with a passkey', async () => {
      const { laptop } = await enrol();
      const authenticator = new SoftwareAuthenticator();
      expect(await app.add(laptop, authenticator)).toMatchObject(ok);
      await ask();
      expect(await app.use(newBrowser('phone'), authenticator)).toMatchObject(ok);
      await expectKept();
    });

    test('by the owner who disavows a sign-in', async () => {
      const { codeAt } = await enrol();
      const phone = newBrowser('phone');
      await nextSecond();
      await begun(phone);
      expect(await show(phone, { code: codeAt() })).toMatchObject(ok);
      await ask();
      const code = await readLink('New sign-in to Campus');
      expect(await call(newBrowser(), 'actions/disavow-sign-in', { code })).toMatchObject(ok);
      await expectKept();
    });

    test('not by wrong codes, nor by a renewal', async () => {
      const { laptop, app: software } = await enrol();
      const { browser } = await ask();
      expectCode(await show(browser, { code: software.wrongCode() }), 400, 'code-wrong');
      await nextSecond();
      expect((await app.renew(laptop)).status).toBe(200);
      expect(await readReset()).not.toBeNull();
    });

    test('not by a forged link, nor by one of another reset or purpose', async () => {
      const { laptop } = await enrol();
      const { effectiveAt } = await ask();
      const old = await readLink(SUBJECTS.requested);
      await call(laptop, 'second-factor/cancel-reset');
      await ask();
      const { uid } = app.user;
      const { id = '' } = (await readReset()) ?? {};
      for (const code of [
        'x',
        old,
        await sealDeletionLink({ uid, deletion: id, effectiveAt }),
        await sealResetLink({ uid: 'stranger', reset: id, effectiveAt, copyTo: '' }),
      ])
        expectCode(await call(newBrowser(), 'actions/keep-second-factor', { code }), 410, 'action-code-invalid');
      expect(await readReset()).not.toBeNull();
    });

    test('with the second factor, when an operator turns it off', async () => {
      await enrol();
      await ask();
      await expect.poll(subjects).toEqual([SUBJECTS.requested]);
      expect(await turnSecondFactorOff(app.user.uid)).toBe(true);
      expect(await readReset()).toBeNull();
      await pass('100 hours');
      await expect.poll(subjects).toEqual([SUBJECTS.requested, SUBJECTS.done]);
      expect(await resetKinds()).toEqual(['factor-reset-requested']);
    });
  });
}
