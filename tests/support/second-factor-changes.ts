import { eq, sql } from 'drizzle-orm';
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { getRecords } from '@/lib/server/storage/records';
import { sessionCookies } from '@/lib/server/storage/records/schema';
import { removeFactors } from '@/lib/server/second-factor/factors';
import { getSessionId, mintCustomToken } from '@/lib/server/session/tokens';
import { SESSION as LIFETIME } from '@/lib/shared/session-contract';
import { nextSecond } from './client';
import { loseAnswer } from './provider-changes';
import type { SecondFactorApp } from './second-factor-app';
import { SESSION } from './session-app';
import { SoftwareAuthenticator } from './software-authenticator';
import { createTestUser, fetchIdToken, idTokenByCustomToken, shiftIdToken } from './test-users';

/** Tests changes of an account with a second factor, and changes of the second factor. */
export function testSecondFactorChanges(app: SecondFactorApp): void {
  const { newBrowser, call, signIn, check, kinds, advance, expectCode, post, begin, enrol, begun, show, read, claims, assurance } = app; // oxfmt-ignore
  const ok = { status: 200 };

  describe('a change of the account', () => {
    test('takes both factors when the session is older than five minutes', async () => {
      const { laptop, codeAt } = await enrol();
      advance(301);
      const token = shiftIdToken(await fetchIdToken(app.user), 301);
      expectCode(await call(laptop, 'second-factor/add-app', { token }), 403, 'second-factor-required');
      expectCode(
        await call(laptop, 'passkeys/creation-options', { source: 'settings', token }),
        403,
        'second-factor-required',
      );
      expect(laptop.cookies['pending-sign-in']).toBeUndefined();
      expectCode(await call(laptop, 'second-factor/prove', { token, code: '000000' }), 400, 'code-wrong');
      const { customToken } = await post(laptop, 'prove', { token, code: codeAt() });
      const both = shiftIdToken(await idTokenByCustomToken(customToken), 301);
      expect(await call(laptop, 'second-factor/recovery-codes', { token: both })).toMatchObject(ok);
      // A code proves only once.
      expectCode(await call(laptop, 'second-factor/prove', { token, code: codeAt() }), 410, 'code-used');
      // The server's clock has stood still since then. On a slow machine, a token of the current time would not be old
      // enough.
      advance(60);
      const old = await fetchIdToken(app.user);
      expectCode(
        await call(laptop, 'second-factor/prove', { token: old, code: codeAt(30) }),
        403,
        'recent-login-required',
      );
    });

    test('of the password keeps a browser signed in that was renewed for longer than a session lives', async () => {
      const { laptop } = await enrol();
      await nextSecond();
      const now = Math.floor(Date.now() / 1000);
      const renewal = { sid: randomUUID(), authenticatedAt: now - LIFETIME.length - 60, renewedAt: now };
      const token = await idTokenByCustomToken(
        await mintCustomToken({ uid: app.user.uid, ...renewal, factor: 'totp', renews: 'password' }),
      );
      const expiresIn = LIFETIME.length * 1000;
      const cookie = await getIdentityAdmin().createSessionCookie(token, { expiresIn });
      // The session's record belongs to the renewed cookie.
      const isOwn = eq(sessionCookies.sid, laptop.cookies.kk_sid ?? '');
      const records = await getRecords();
      await records.transact((tx) =>
        tx
          .update(sessionCookies)
          .set({ sid: getSessionId(cookie) })
          .where(isOwn),
      );
      laptop.cookies[SESSION] = cookie;
      expect(await assurance(laptop)).toBe(2);
      const passwords = { current: app.user.password, password: 'staple-battery-9' };
      expect(await call(laptop, 'account/password', passwords)).toMatchObject({ body: { signedIn: true } });
      expect([await check(laptop), await assurance(laptop)]).toEqual([200, 2]);
      // A browser cannot send such a token, because its proof is too old.
      const late = { ...renewal, renewedAt: Math.floor(Date.now() / 1000) };
      const stolen = await mintCustomToken({ uid: app.user.uid, ...late, factor: 'totp', renews: 'password' });
      expectCode(await app.open(newBrowser(), await idTokenByCustomToken(stolen)), 401, 'token-expired');
    });

    test('of the password keeps the factor: of the session, and of the account', async () => {
      const { laptop, codeAt } = await enrol();
      await nextSecond();
      const password = 'staple-battery-9';
      expect(await call(laptop, 'account/password', { current: app.user.password, password })).toMatchObject(ok);
      expect(await assurance(laptop)).toBe(2);
      // The password alone is no fresh proof of both factors, so the session's proof keeps its age.
      const readProof = () => readProofTime(laptop.cookies[SESSION] ?? '');
      const authenticatedAt = readProof();
      await nextSecond();
      const next = 'lantern-harbor-3';
      expect(await call(laptop, 'account/password', { current: password, password: next })).toMatchObject(ok);
      expect(readProof()).toBe(authenticatedAt);
      const phone = newBrowser('phone');
      await begun(phone, await fetchIdToken({ ...app.user, password: next }));
      expect(await show(phone, { code: codeAt() })).toMatchObject(ok);
    });
  });

  describe('turning it off', () => {
    test('a second app has the same say; without the last one it is off, and all other sessions end', async () => {
      const first = await enrol();
      const { laptop } = first;
      const second = await begin(laptop);
      expect(second.codes).toBeNull();
      expectCode(await call(laptop, 'second-factor/add-app', {}), 409, 'factor-limit');
      const phone = newBrowser('phone');
      await begun(phone);
      expect(await show(phone, { code: second.codeAt() })).toMatchObject(ok);
      const [one, two] = (await read()).apps;
      await nextSecond();
      await post(laptop, 'remove-app', { id: one?.id });
      expect(await check(phone)).toBe(401);
      expect(await assurance(laptop)).toBe(2);
      await begun(phone);
      expectCode(await show(phone, { code: first.codeAt() }), 400, 'code-wrong');
      await nextSecond();
      await post(laptop, 'remove-app', { id: two?.id });
      expect(await read()).toEqual({ since: null, apps: [], newApp: null, codes: [], usedCodes: [], newCodes: [] });
      expect(await claims()).toEqual({ proved_address: app.user.email });
      expect(await call(laptop, 'check-auth-status')).toMatchObject(ok);
      expect(await app.open(newBrowser(), await fetchIdToken(app.user))).toMatchObject(ok);
      expect(await app.readSubjects(4)).toEqual(
        expect.arrayContaining([
          'An authenticator app was removed from your Campus account',
          'Two-step verification is off for your Campus account',
        ]),
      );
    });

    test.each([0, 1])('is done although the answer to change %i of the account is lost', async (lost) => {
      const { laptop } = await enrol();
      const [own] = (await read()).apps;
      await nextSecond();
      const provider = loseAnswer(lost);
      const removed = await call(laptop, 'second-factor/remove-app', { id: own?.id });
      provider.mockRestore();
      expect(removed).toMatchObject({ status: 200, body: { customToken: expect.any(String) as string } });
      expect(await read()).toMatchObject({ since: null, apps: [] });
      expect(await check(laptop)).toBe(200);
    });

    test('needs a proof, and names an app of the own account', async () => {
      const { laptop } = await enrol();
      const [own] = (await read()).apps;
      const stranger = newBrowser();
      await app.open(stranger, await fetchIdToken(await createTestUser()));
      expect(await call(stranger, 'second-factor/remove-app', { id: own?.id })).toMatchObject({
        status: 200,
        body: {},
      });
      advance(301);
      expectCode(await call(laptop, 'second-factor/remove-app', { id: own?.id }), 403, 'recent-login-required');
      expect((await read()).apps).toHaveLength(1);
    });

    test('new recovery codes replace the old ones when one was typed back', async () => {
      const { laptop, codes } = await enrol();
      const { recoveryCodes } = await post(laptop, 'recovery-codes');
      const phone = newBrowser('phone');
      await begun(phone);
      expectCode(await show(phone, { recoveryCode: recoveryCodes[0] }), 400, 'code-wrong');
      await post(laptop, 'confirm-codes', { recoveryCode: recoveryCodes[0] });
      expectCode(await show(phone, { recoveryCode: codes[0] }), 400, 'code-wrong');
      expect(await show(phone, { recoveryCode: recoveryCodes[0] })).toMatchObject({
        status: 200,
        body: { codesLeft: 9 },
      });
      expect(await kinds()).toContain('recovery-codes-replaced');
    });

    test('an owner whose apps were removed with a disavowed sign-in sets up another one, with recovery codes', async () => {
      const { laptop } = await enrol();
      const authenticator = new SoftwareAuthenticator();
      expect(await app.add(laptop, authenticator)).toMatchObject(ok);
      const { uid } = app.user;
      const records = await getRecords();
      // Disavowals before 2026-11-28 left this state.
      await records.transact((tx) => removeFactors(tx, uid, 'all'));
      const phone = newBrowser('phone');
      await begun(phone);
      expect(await app.use(phone, authenticator)).toMatchObject(ok);
      const { codes, codeAt } = await begin(phone);
      expect(codes).toHaveLength(10);
      expectCode(await call(phone, 'second-factor/recovery-codes', {}), 404, 'not-found');
      await nextSecond();
      await post(phone, 'confirm-codes', { recoveryCode: codes[0] });
      expect((await read()).apps).toHaveLength(1);
      const tablet = newBrowser();
      await begun(tablet);
      expect(await call(tablet, 'second-factor/sign-in', { code: codeAt() })).toMatchObject(ok);
    });

    test('claims that an operator has replaced do not turn it off', async () => {
      const { laptop, codeAt } = await enrol();
      await getIdentityAdmin().setCustomUserClaims(app.user.uid, { plan: 'school' });
      const phone = newBrowser('phone');
      await begun(phone);
      expect(await show(phone, { code: codeAt() })).toMatchObject(ok);
      expect(await claims()).toEqual({
        plan: 'school',
        proved_address: app.user.email,
        second_factor: expect.any(Number) as number,
      });
      expect(await assurance(laptop)).toBe(2);
    });

    test('without the claim, a new password keeps this browser signed in, with its factors', async () => {
      const authenticator = new SoftwareAuthenticator();
      await app.enroll(authenticator);
      await nextSecond();
      const { laptop } = await enrol();
      await getIdentityAdmin().setCustomUserClaims(app.user.uid, {});
      const byPasskey = newBrowser('phone');
      expect(await app.use(byPasskey, authenticator)).toMatchObject(ok);
      const passwords = [app.user.password, 'staple-battery-9', 'lantern-harbor-3'];
      expect(await call(laptop, 'account/password', { current: passwords[0], password: passwords[1] })).toMatchObject({
        body: { signedIn: true },
      });
      expect(await assurance(laptop)).toBe(2);
      await nextSecond();
      expect(await app.use(byPasskey, authenticator)).toMatchObject(ok);
      expect(
        await call(byPasskey, 'account/password', { current: passwords[1], password: passwords[2] }),
      ).toMatchObject({ body: { signedIn: true } });
      expect([await assurance(byPasskey), await check(laptop)]).toEqual([2, 401]);
    });

    test('without the claim, no change goes by the first factor alone', async () => {
      const laptop = newBrowser();
      await signIn(laptop);
      const records = await getRecords();
      await records.transact((tx) =>
        tx.execute(sql`update accounts set second_factor_since = now() where uid = ${app.user.uid}`),
      );
      const token = await fetchIdToken(app.user);
      for (const [path, body] of [
        ['passkeys/creation-options', { source: 'settings', token }],
        ['passkeys/creation-options', { source: 'settings' }],
        ['account/data', { token }],
        ['account/unlink-method', { token, method: 'password' }],
        ['account/password', { current: app.user.password, password: 'staple-battery-9' }],
      ] as const)
        expectCode(await call(laptop, path, body), 403, 'second-factor-required');
      expect(await check(laptop)).toBe(200);
      await fetchIdToken(app.user);
    });

    test('claims that leave no room for ours keep the user of a right code out of nothing', async () => {
      const { codeAt } = await enrol();
      const long = { plan: 'x'.repeat(960) };
      await getIdentityAdmin().setCustomUserClaims(app.user.uid, long);
      const phone = newBrowser('phone');
      await begun(phone);
      expect(await show(phone, { code: codeAt() })).toMatchObject(ok);
      expect(await claims()).toEqual(long);
      expect(await check(phone)).toBe(200);
    });
  });
}

/** Reads from a session cookie's claims when its user last authenticated, in seconds since 1970. */
function readProofTime(cookie: string): number {
  const claims = JSON.parse(Buffer.from(cookie.split('.')[1] ?? '', 'base64url').toString()) as {
    learner_identity?: { proved_at: number };
  };
  return claims.learner_identity?.proved_at ?? 0;
}
