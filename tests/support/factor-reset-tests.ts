import { sql } from 'drizzle-orm';
import { describe, expect, inject, test } from 'vitest';
import { readTables } from '@/lib/server/accounts/data-tables';
import { advanceFactorResets, inspectResetLink } from '@/lib/server/second-factor/reset';
import { readResetLink, readToken } from '@/lib/server/codes';
import { withAccountLock } from '@/lib/server/storage';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { getRecords, openRecords } from '@/lib/server/storage/records';
import { chooseRecords } from '@/lib/server/storage/records/engines';
import { deleteExpired } from '@/lib/server/storage/records/retention';
import { env } from '@/lib/server/runtime/config/env';
import { idpResponse, tokenBy } from './accounts-client';
import { countChanges, holdAccountLock } from './account-lock';
import { nextSecond } from './client';
import { createResetSteps, SUBJECTS } from './factor-reset-app';
import { wrongCode } from './mail';
import type { SecondFactorApp } from './second-factor-app';
import { fetchIdToken } from './test-users';
import { createLinkCode } from './sign-in-link';

const HOUR = 3_600_000;
const emulator = { emulatorHost: inject('emulatorHost') };

/** Tests of the reset of a lost second factor. */
export function testFactorReset(app: SecondFactorApp): void {
  const { newBrowser, call, check, expectCode, enrol, begun, show, read, claims } = app;
  const { requestCode, request, readCode, subjects, readLink, ask, readReset, pass, resetKinds } =
    createResetSteps(app);
  /** Moves the reset to an hour before its effect and writes its last email. */
  const writeLastEmail = async () => {
    const records = await getRecords();
    await records.transact((tx) =>
      tx.execute(
        sql`update factor_resets set effective_at = now() + interval '1 hour', due_at = now() where uid = ${app.user.uid}`,
      ),
    );
    await advanceFactorResets(records);
  };
  const ok = { status: 200 };

  describe('asking for a reset', () => {
    test('takes the first factor and the code from the mailbox; it changes nothing before its time', async () => {
      const { laptop, codeAt } = await enrol();
      const { browser, effectiveAt } = await ask();
      expect(Math.abs(Date.parse(effectiveAt) - Date.now() - 72 * HOUR)).toBeLessThan(60_000);
      expect(await resetKinds()).toEqual(['factor-reset-requested']);
      await expect.poll(subjects).toEqual([SUBJECTS.requested]);
      expect(await check(laptop)).toBe(200);
      expect(await check(browser)).toBe(401);
      expect(await claims()).toHaveProperty('second_factor');
      expect(browser.cookies['factor-reset']).toBeUndefined();
      // The sign-in still waits. Its code is accepted, and proves that the factor is not lost.
      expect(await show(browser, { code: codeAt() })).toMatchObject(ok);
      expect(await readReset()).toBeNull();
    });

    test('again while one runs changes nothing, and tells the same time', async () => {
      await enrol();
      const first = await ask();
      const second = await ask();
      expect(second.effectiveAt).toBe(first.effectiveAt);
      expect(await resetKinds()).toEqual(['factor-reset-requested']);
      await expect.poll(subjects).toEqual([SUBJECTS.requested]);
    });

    test('is refused after an email link, which is the mailbox alone', async () => {
      await enrol();
      const phone = newBrowser('phone');
      const code = await createLinkCode(app.user);
      const body = { code, email: app.user.email };
      expectCode(await call(phone, 'actions/sign-in', body), 403, 'second-factor-required');
      expectCode(await requestCode(phone), 403, 'other-method-required');
      // The token of another sign-in in this browser does not help.
      const mallory = newBrowser('phone');
      await begun(mallory);
      expect(await requestCode(mallory)).toMatchObject(ok);
      Object.assign(phone.cookies, { 'factor-reset': mallory.cookies['factor-reset'] });
      expect((await request(phone, await readCode())).status).toBe(410);
      expect(await readReset()).toBeNull();
    });

    test('takes a sign-in that waits in this browser', async () => {
      const { codeAt } = await enrol();
      expectCode(await requestCode(newBrowser()), 410, 'sign-in-expired');
      expectCode(await request(newBrowser(), 'ABC123'), 410, 'sign-in-expired');
      const [phone, other] = [newBrowser('phone'), newBrowser('phone')];
      await begun(phone);
      expectCode(await request(phone, 'ABC123'), 400, 'code-missing');
      expect(await requestCode(phone)).toMatchObject({ status: 200, body: { resendAfter: 30 } });
      const code = await readCode();
      await begun(other);
      expectCode(await request(other, code), 400, 'code-missing');
      // A further sign-in of the same browser requires its own code.
      await begun(phone);
      expectCode(await request(phone, code), 410, 'code-expired');
      expect(await show(phone, { code: codeAt() })).toMatchObject(ok);
      expectCode(await request(phone, code), 410, 'sign-in-expired');
      expect(await readReset()).toBeNull();
    });

    test('takes the right code, in five tries', async () => {
      await enrol();
      const phone = newBrowser('phone');
      await begun(phone);
      await requestCode(phone);
      const code = await readCode();
      for (const triesLeft of [4, 3, 2, 1, 0])
        expect((await request(phone, wrongCode(code))).body).toMatchObject({ code: 'code-wrong', triesLeft });
      expectCode(await request(phone, code), 410, 'code-locked');
      expect(await readReset()).toBeNull();
      const again = await requestCode(phone);
      expectCode(again, 429, 'too-many-requests');
      expect(Number(again.headers.get('retry-after'))).toBeLessThanOrEqual(30);
    });

    test('is over when the first factor counts no longer', async () => {
      await enrol();
      const phone = newBrowser('phone');
      await begun(phone);
      await requestCode(phone);
      const code = await readCode();
      await nextSecond();
      await getIdentityAdmin().revokeRefreshTokens(app.user.uid);
      expectCode(await request(phone, code), 410, 'sign-in-expired');
    });

    test('is over when it counts no longer by the time the reset can begin', async () => {
      await enrol();
      const phone = newBrowser('phone');
      await begun(phone);
      await requestCode(phone);
      const [code, token] = [await readCode(), phone.cookies['factor-reset']];
      await nextSecond();
      const { asked } = await withAccountLock(app.user.uid, async () => {
        const asked = request(phone, code);
        await expect.poll(async () => (await readToken('factor-reset', token)).isUsed).toBe(true);
        await getIdentityAdmin().revokeRefreshTokens(app.user.uid);
        return { asked };
      });
      expectCode(await asked, 410, 'sign-in-expired');
      expect(await readReset()).toBeNull();
    });

    test('three times a day', async () => {
      const { laptop } = await enrol();
      for (let count = 0; count < 3; count += 1) {
        await ask();
        expect(await call(laptop, 'second-factor/cancel-reset')).toMatchObject(ok);
      }
      const phone = newBrowser('phone');
      await begun(phone);
      const answer = await requestCode(phone);
      expectCode(answer, 429, 'too-many-requests');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(86_000);
    });

    test('by a provider too', async () => {
      await enrol();
      const phone = newBrowser('phone');
      const identity = { sub: app.user.uid, email: app.user.email, email_verified: true };
      await begun(phone, await tokenBy(emulator, 'signInWithIdp', idpResponse('google.com', identity)));
      expect(await requestCode(phone)).toMatchObject(ok);
      expect(await request(phone, await readCode())).toMatchObject(ok);
    });
  });

  describe('a reset', () => {
    test('is announced at once, after a day and an hour before, and done after 72 hours', async () => {
      const { laptop } = await enrol();
      await ask();
      await pass('23 hours 59 minutes');
      await expect.poll(subjects).toEqual([SUBJECTS.requested]);
      await pass('1 minute');
      await pass('46 hours 59 minutes');
      await expect.poll(subjects).toEqual([SUBJECTS.requested, SUBJECTS.reminder]);
      await pass('1 minute');
      await expect.poll(subjects).toEqual([SUBJECTS.requested, SUBJECTS.reminder, SUBJECTS.warning]);
      await pass('59 minutes');
      expect(await read()).toMatchObject({ apps: [{}], since: expect.any(Date) as Date });
      expect(await check(laptop)).toBe(200);
      await nextSecond();
      await pass('1 minute 5 seconds');
      expect(await read()).toMatchObject({ since: null, apps: [], codes: [] });
      expect(await claims()).not.toHaveProperty('second_factor');
      expect(await check(laptop)).toBe(401);
      expect(await resetKinds()).toEqual(['factor-reset-requested', 'factor-reset-done']);
      await expect.poll(subjects).toEqual([SUBJECTS.requested, SUBJECTS.reminder, SUBJECTS.warning, SUBJECTS.done]);
      await nextSecond();
      expect(await app.open(newBrowser(), await fetchIdToken(app.user))).toMatchObject(ok);
      // The link's own day is still in the future, because the test has moved only the row. After that day, the state
      // is 'expired'.
      expect((await inspectResetLink(await readLink(SUBJECTS.warning))).state).toBe('canceled');
    });

    test('after an outage is announced an hour before all the same, and done once by one of two processes', async () => {
      await enrol();
      await ask();
      await expect.poll(subjects).toEqual([SUBJECTS.requested]);
      await pass('100 hours');
      await expect.poll(subjects).toEqual([SUBJECTS.requested, SUBJECTS.warning]);
      await pass('30 minutes');
      expect((await readReset())?.startedAt).toBeNull();
      const records = await getRecords();
      await records.transact((tx) => tx.execute(sql`update jobs set sent_at = sent_at - interval '1 hour'`));
      await records.transact((tx) => tx.execute(sql`update factor_resets set due_at = now(), effective_at = now()`));
      const choice = chooseRecords(env());
      const other = choice?.kind === 'postgres' ? await openRecords(choice) : records;
      await Promise.all([advanceFactorResets(records), advanceFactorResets(other)]);
      if (other !== records) await other.close();
      expect(await resetKinds()).toEqual(['factor-reset-requested', 'factor-reset-done']);
      await expect.poll(subjects).toEqual([SUBJECTS.requested, SUBJECTS.warning, SUBJECTS.done]);
    });

    test('waits for its last email to be sent, and says then when it comes', async () => {
      await enrol();
      await ask();
      await writeLastEmail();
      await pass('5 hours');
      expect(await resetKinds()).toEqual(['factor-reset-requested']);
      const reset = await readReset();
      expect(reset?.startedAt).toBeNull();
      const { effectiveAt } = await readResetLink(await readLink(SUBJECTS.warning));
      for (const time of [Date.parse(effectiveAt), Number(reset?.effectiveAt)])
        expect(Math.abs(time - Date.now() - HOUR)).toBeLessThan(60_000);
    });

    test.each([
      ['before', '1 hour', [SUBJECTS.requested]],
      ['after', '71 hours', [SUBJECTS.requested, SUBJECTS.warning]],
    ])('of an account that is disabled %s the last email waits', async (_when, time, told) => {
      await enrol();
      await ask();
      // Two emails that wait at the same time arrive in any order.
      await expect.poll(subjects).toEqual([SUBJECTS.requested]);
      await pass(time);
      await getIdentityAdmin().updateUser(app.user.uid, { disabled: true });
      await pass('300 hours');
      await expect.poll(subjects).toEqual(told);
      await getIdentityAdmin().updateUser(app.user.uid, { disabled: false });
      await pass('2 hours');
      await expect.poll(subjects).toEqual([...told, SUBJECTS.warning]);
      // The email states a future hour, and its link works.
      const { state, effectiveAt } = await inspectResetLink(await readLink(SUBJECTS.warning));
      expect(state).toBe('scheduled');
      expect(Math.abs(Date.parse(effectiveAt ?? '') - Date.now() - HOUR)).toBeLessThan(60_000);
      await pass('2 hours');
      expect(await resetKinds()).toEqual(['factor-reset-requested', 'factor-reset-done']);
    });

    test('of an account that is disabled before its last email could be sent is announced once it is enabled', async () => {
      await enrol();
      await ask();
      await writeLastEmail();
      await getIdentityAdmin().updateUser(app.user.uid, { disabled: true });
      await pass('10 minutes');
      await expect.poll(subjects).toEqual([SUBJECTS.requested]);
      await getIdentityAdmin().updateUser(app.user.uid, { disabled: false });
      await pass('2 hours');
      await expect.poll(subjects).toEqual([SUBJECTS.requested, SUBJECTS.warning]);
    });

    test('of an account that is disabled while it waits for another change waits, too', async () => {
      await enrol();
      await ask();
      await pass('71 hours');
      const endChange = await holdAccountLock(app.user.uid);
      const passing = pass('2 hours');
      await expect.poll(() => countChanges(app.user.uid)).toBe(2);
      await getIdentityAdmin().updateUser(app.user.uid, { disabled: true });
      await endChange();
      await passing;
      expect(await resetKinds()).toEqual(['factor-reset-requested']);
      expect(await claims()).toHaveProperty('second_factor');
    });

    test('ends without effect when the email of the account is another one', async () => {
      await enrol();
      await ask();
      const email = `x-${app.user.email}`;
      await getIdentityAdmin().updateUser(app.user.uid, { email });
      await getIdentityAdmin().setCustomUserClaims(app.user.uid, { ...(await claims()), proved_address: email });
      await pass('73 hours');
      expect(await read()).toMatchObject({ apps: [{}] });
      expect([await resetKinds(), await readReset()]).toEqual([
        ['factor-reset-requested', 'factor-reset-cancelled'],
        null,
      ]);
      await expect.poll(subjects).toContain(SUBJECTS.cancelled);
    });

    test('ends with its account', async () => {
      await enrol();
      await ask();
      await getIdentityAdmin().deleteUser(app.user.uid);
      await pass('73 hours');
      expect(await readReset()).toBeNull();
    });

    test('keeps the records of its account, and is in the data of its owner', async () => {
      await enrol();
      await ask();
      const records = await getRecords();
      await records.transact((tx) =>
        tx.execute(
          sql`update accounts set seen_at = now() - interval '5 years', second_factor_since = null where uid = ${app.user.uid}`,
        ),
      );
      await records.transact((tx) => tx.execute(sql`delete from events where uid = ${app.user.uid}`));
      await records.transact((tx) => tx.execute(sql`delete from authenticator_apps where uid = ${app.user.uid}`));
      await deleteExpired(records, new Date());
      const { factorReset } = await records.transact((tx) => readTables(tx, app.user.uid));
      expect(factorReset).toMatchObject([{ email: app.user.email }]);
    });
  });
}
