import { sql } from 'drizzle-orm';
import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import type { GetServerSidePropsContext } from 'next';
import { expect, test, vi } from 'vitest';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { idTokenByCustomToken } from '@/lib/server/identity/identity-toolkit';
import { mintCustomTokenForProof } from '@/lib/server/session/tokens';
import { getRecords } from '@/lib/server/storage/records';
import { devices } from '@/lib/server/storage/records/schema';
import { loadSecurityPage } from '@/lib/server/web/security';
import { getSessionBackend, revokeAllSessions } from '@/lib/server/session/require-session';
import { getStore } from '@/lib/server/storage/store';
import { beginSignIn, codeFrom, exchangeCode } from '../../examples/mobile/client.mjs';
import { nextSecond, type CookieJar } from './client';
import { authorizeMobileApp } from './mobile-app';
import { lockSessions, serveSessions, SESSION } from './session-app';
import { createTestUser, fetchIdToken, refreshIdToken } from './test-users';

const OF_KEY = { id: 'AAAA', rawId: 'AAAA', type: 'public-key', clientExtensionResults: {} };
const ATTESTATION = { ...OF_KEY, response: { clientDataJSON: 'AAAA', attestationObject: 'AAAA' } };
const ASSERTION = { ...OF_KEY, response: { clientDataJSON: 'AAAA', authenticatorData: 'AAAA', signature: 'AAAA' } };

/** Tests of the first tier, which nothing else covers. */
export function testSessionListBasics(): void {
  const app = serveSessions();
  const { newBrowser, call, open, signIn, check, list, kinds, getId } = app;

  test('each browser is listed with its name and sign-in method, and the sign-in is recorded with it', async () => {
    const [laptop, phone] = [newBrowser(), newBrowser('phone')];
    const { cookies } = await signIn(laptop);
    expect(cookies.device).toMatchObject({
      maxAge: 34_560_000,
      httpOnly: true,
      secure: true,
      sameSite: 'lax',
      path: '/',
    });
    expect(cookies.device?.value).toMatch(/^[\w-]{43}$/);
    await nextSecond();
    await signIn(phone);
    expect(await list()).toMatchObject([
      { browser: 'Chrome', system: 'Android', method: 'password' },
      { browser: 'Firefox', system: 'Windows', method: 'password' },
    ]);
    expect(await kinds()).toEqual(['signed-in', 'signed-in']);
  });

  test('ending one session ends its browser at once, and no other', async () => {
    const [laptop, phone] = [newBrowser(), newBrowser('phone')];
    await signIn(laptop);
    await signIn(phone);
    expect(await check(phone)).toBe(200);
    expect((await call(laptop, 'account/end-sessions', { session: await getId(phone) })).status).toBe(200);
    expect([await check(phone), await check(laptop)]).toEqual([401, 200]);
    expect(await list()).toHaveLength(1);
    expect((await kinds())[0]).toBe('device-signed-out');
  });

  test('an id that is foreign, unknown or over gets the same answer and ends nothing', async () => {
    const [laptop, foreign] = [newBrowser(), newBrowser()];
    await signIn(laptop);
    const stranger = await createTestUser();
    await open(foreign, await fetchIdToken(stranger));
    const [theirs] = await list(stranger.uid);
    const before = (await kinds()).length;
    for (const session of [theirs?.id ?? '', '00000000-0000-4000-8000-000000000000']) {
      const answer = await call(laptop, 'account/end-sessions', { session });
      expect([answer.status, answer.body]).toEqual([200, {}]);
    }
    expect(await check(foreign)).toBe(200);
    expect(await kinds()).toHaveLength(before);
  });
}

/** Tests of the list of sessions on one kind of database. */
export function testSessionList(): void {
  const app = serveSessions();
  const { newBrowser, call, open, signIn, check, renew, list, kinds, getId, advance, expectCode } = app;

  test('a browser that signs in again stays one entry, and all its cookies end together', async () => {
    const laptop = newBrowser();
    await signIn(laptop);
    const before = laptop.copy();
    await nextSecond();
    await signIn(laptop);
    expect(laptop.cookies[SESSION]).not.toBe(before.cookies[SESSION]);
    expect(await list()).toHaveLength(1);
    expect(await kinds()).toEqual(['signed-in', 'signed-in']);
    await call(laptop, 'initiate-logout');
    expect(await check(before)).toBe(401);
    expect(await list()).toEqual([]);
  });

  test('two accounts on one browser have nothing in common in the records', async () => {
    const laptop = newBrowser();
    await signIn(laptop);
    const other = await createTestUser();
    expect((await open(laptop, await fetchIdToken(other))).status).toBe(200);
    const rows = await (await getRecords()).transact((tx) => tx.select().from(devices));
    const digests = rows.filter(({ uid }) => [app.user.uid, other.uid].includes(uid)).map((row) => row.cookieDigest);
    expect(new Set(digests).size).toBe(2);
    expect(JSON.stringify(rows)).not.toContain(laptop.cookies.device);
  });

  /**
   * Signs in a browser like a passkey or an emailed code, with a token whose session id differs from the cookie's.
   * @returns a function that exchanges its code for the app
   */
  const beginApp = async (browser: CookieJar) => {
    const token = await idTokenByCustomToken(await mintCustomTokenForProof(app.user.uid, { at: new Date() }));
    expect((await open(browser, token)).status).toBe(200);
    const request = beginSignIn({ appOrigin: app.origin });
    const device = `device=${browser.cookies.device ?? ''}`;
    const answer = await authorizeMobileApp(app.origin, request.address, browser.cookies[SESSION] ?? '', {}, [device]);
    const code = codeFrom(String(answer.body?.address), request);
    return () => exchangeCode({ appOrigin: app.origin, code, verifier: request.verifier });
  };

  /** Signs in the mobile app by a browser that has just given a proof. */
  const signInApp = async (browser: CookieJar) => {
    const exchange = await beginApp(browser);
    const mobile = newBrowser('phone');
    expect((await open(mobile, await idTokenByCustomToken(await exchange()))).status).toBe(200);
    return mobile;
  };

  test('a code for the mobile app ends with the session that it came from, however its user signed in', async () => {
    const [laptop, phone] = [newBrowser(), newBrowser('phone')];
    await signIn(laptop);
    const exchange = await beginApp(phone);
    expect((await call(laptop, 'account/end-sessions', { session: await getId(phone) })).status).toBe(200);
    await expect(exchange()).rejects.toThrow('invalid_grant');
  });

  test.each(['its owner', 'the browser', 'the app'] as const)(
    'a browser signed in by a passkey and the mobile app that it signed in end together, by %s',
    async (who) => {
      const [laptop, phone] = [newBrowser(), newBrowser('phone')];
      await signIn(laptop);
      const mobile = await signInApp(phone);
      expect(await list()).toHaveLength(3);
      if (who === 'its owner') await call(laptop, 'account/end-sessions', { session: await getId(phone) });
      else await call(who === 'the app' ? mobile : phone, 'initiate-logout');
      expect([await check(laptop), await check(phone), await check(mobile)]).toEqual([200, 401, 401]);
      expect(await list()).toHaveLength(1);
    },
  );

  test('a browser signed in by a passkey that ends the session of the app alone goes on', async () => {
    const phone = newBrowser('phone');
    const mobile = await signInApp(phone);
    expect((await call(phone, 'account/end-sessions', { session: await getId(mobile) })).status).toBe(200);
    expect([await check(phone), await check(mobile)]).toEqual([200, 401]);
    expect(await list()).toHaveLength(1);
    // The cookie is already ended. A stolen device of the app has it.
    expect((await call(mobile, 'initiate-logout')).status).toBe(200);
    expect(await check(phone)).toBe(200);
    const release = await lockSessions();
    expect((await call(mobile, 'initiate-logout')).status).toBe(200);
    release();
    expect(await check(phone)).toBe(200);
  });

  test('the same where the browser has signed in by a passkey before, and goes on with that session', async () => {
    const [laptop, phone] = [newBrowser(), newBrowser('phone')];
    await signIn(laptop);
    await signInApp(phone);
    await nextSecond();
    const second = await signInApp(phone);
    expect((await call(laptop, 'account/end-sessions', { session: await getId(second) })).status).toBe(200);
    expect([await check(phone), await check(second)]).toEqual([200, 401]);
    await nextSecond();
    const third = await signInApp(phone);
    expect((await call(laptop, 'account/end-sessions', { session: await getId(phone) })).status).toBe(200);
    expect([await check(laptop), await check(phone), await check(third)]).toEqual([200, 401, 401]);
    expect(await list()).toHaveLength(1);
  });

  test('the same for sessions from before 2026-11-27, without the row of their proof', async () => {
    const [laptop, phone] = [newBrowser(), newBrowser('phone')];
    await signIn(laptop);
    const signInAppBefore = async () => {
      await nextSecond();
      const mobile = await signInApp(phone);
      const records = await getRecords();
      await records.transact((tx) => tx.execute(sql`delete from session_cookies where length(sid) = 36`));
      return mobile;
    };
    const first = await signInAppBefore();
    expect((await call(laptop, 'account/end-sessions', { session: await getId(first) })).status).toBe(200);
    expect([await check(phone), await check(first)]).toEqual([200, 401]);
    expect((await call(phone, 'initiate-logout')).status).toBe(200);
    const second = await signInAppBefore();
    expect((await call(laptop, 'account/end-sessions', { session: await getId(phone) })).status).toBe(200);
    expect([await check(laptop), await check(phone), await check(second)]).toEqual([200, 401, 401]);
    expect(await list()).toHaveLength(1);
  });

  test('a cookie of the app that is over does not end what its browser had before, and goes on with', async () => {
    const [laptop, phone, mobile] = [newBrowser(), newBrowser('phone'), newBrowser('phone')];
    await signIn(laptop);
    await signIn(mobile);
    const exchange = await beginApp(phone);
    expect((await open(mobile, await idTokenByCustomToken(await exchange()))).status).toBe(200);
    const dead = mobile.copy();
    expect((await call(laptop, 'account/end-sessions', { session: await getId(phone) })).status).toBe(200);
    await nextSecond();
    await signIn(mobile);
    await call(dead, 'initiate-logout');
    expect([await check(mobile), await check(dead)]).toEqual([200, 401]);
  });

  test('ending all others keeps this one', async () => {
    const [laptop, phone, tablet] = [newBrowser(), newBrowser('phone'), newBrowser('phone')];
    for (const browser of [laptop, phone, tablet]) await signIn(browser);
    expect((await call(laptop, 'account/end-sessions', { others: true })).status).toBe(200);
    expect([await check(phone), await check(tablet), await check(laptop)]).toEqual([401, 401, 200]);
    expect((await kinds())[0]).toBe('other-devices-signed-out');
    expect(await list()).toMatchObject([
      { browser: 'Firefox', sids: expect.arrayContaining([laptop.cookies.kk_sid]) as string[] },
    ]);
  });

  test('two that end all others at once: one does, and revokes what has no record', async () => {
    const [laptop, phone] = [newBrowser(), newBrowser('phone')];
    await signIn(laptop);
    await signIn(phone);
    const unused = await fetchIdToken(app.user);
    await nextSecond();
    const ends = [laptop, phone].map((browser) => call(browser, 'account/end-sessions', { others: true }));
    expect((await Promise.all(ends)).map(({ status }) => status).sort()).toEqual([200, 401]);
    expectCode(await open(newBrowser(), unused), 401, 'token-revoked');
    expect((await kinds()).filter((each) => each === 'other-devices-signed-out')).toHaveLength(1);
  });

  test('needs a proof within 5 minutes: of the session, or by an ID token of the same account', async () => {
    const [laptop, phone] = [newBrowser(), newBrowser('phone')];
    await signIn(laptop);
    await signIn(phone);
    const session = await getId(phone);
    advance(400);
    expectCode(await call(laptop, 'account/end-sessions', { session }), 403, 'recent-login-required');
    const foreign = await fetchIdToken(await createTestUser());
    expectCode(await call(laptop, 'account/end-sessions', { session, token: foreign }), 403, 'recent-login-required');
    expect(await check(phone)).toBe(200);
    vi.useRealTimers();
    const token = await fetchIdToken(app.user);
    expect((await call(laptop, 'account/end-sessions', { session, token })).status).toBe(200);
    expect(await check(phone)).toBe(401);
  });

  test('a renewal makes a longer session of the same sign-in, without a token', async () => {
    const laptop = newBrowser();
    await signIn(laptop);
    const before = laptop.copy();
    await nextSecond();
    expect((await renew(laptop)).status).toBe(200);
    expect(laptop.cookies[SESSION]).not.toBe(before.cookies[SESSION]);
    expect([await check(laptop), await check(before)]).toEqual([200, 200]);
    expect((await list()).map(({ sids }) => sids.length)).toEqual([2]);
    expect(await kinds()).toEqual(['signed-in']);
    // This renewal is like the previous one. It is not limited by the proof, unlike a session by a custom token.
    await nextSecond();
    expect((await renew(laptop)).status).toBe(200);
    const { body } = await call(laptop, 'check-auth-status');
    expect(Date.parse(String(body?.expiresAt)) - Date.now()).toBeGreaterThan(431_990_000);
    await call(laptop, 'initiate-logout');
    expect(await check(before)).toBe(401);
  });

  test('the last sign-in on /security is not moved by a renewal', async () => {
    const laptop = newBrowser();
    await signIn(laptop);
    const readLastSignIn = async () => {
      const session = await getSessionBackend().check(laptop.cookies[SESSION] ?? '');
      const req = { headers: {}, cookies: {}, socket: {} } as GetServerSidePropsContext['req'];
      const { props } = (await loadSecurityPage(session, { req })) as { props: { account: { lastSignIn: string } } };
      return props.account.lastSignIn;
    };
    const before = await readLastSignIn();
    const [one] = await list();
    expect(before).toBe(one?.firstSeenAt.toISOString());
    await nextSecond();
    await renew(laptop);
    expect(await readLastSignIn()).toBe(before);
  });

  test('a renewed session ends with a revocation after its proof', async () => {
    const laptop = newBrowser();
    await signIn(laptop);
    await nextSecond();
    expect((await renew(laptop)).status).toBe(200);
    await revokeAllSessions(app.user.uid, 'sign-out-everywhere');
    expect(await check(laptop)).toBe(401);
    expectCode(await renew(laptop), 401, 'token-revoked');
    await expect.poll(() => list()).toEqual([]);
  });

  test('a renewed session does not outlive its sign-in method', async () => {
    const laptop = newBrowser();
    await signIn(laptop);
    await nextSecond();
    await renew(laptop);
    await getIdentityAdmin().updateUser(app.user.uid, { providersToUnlink: ['password'] });
    expect((await renew(laptop)).status).toBe(401);
  });

  test('two renewals at once both get a session that is valid', async () => {
    const laptop = newBrowser();
    await signIn(laptop);
    await nextSecond();
    const tabs = Array.from({ length: 6 }, () => laptop.copy());
    expect((await Promise.all(tabs.map(renew))).map(({ status }) => status)).toEqual(tabs.map(() => 200));
    for (const tab of tabs) expect(await check(tab)).toBe(200);
    expect(await list()).toHaveLength(1);
  });

  test('a copied session cookie is not renewed in another browser, nor without the secret', async () => {
    const [laptop, thief] = [newBrowser(), newBrowser()];
    await signIn(laptop);
    thief.cookies[SESSION] = laptop.cookies[SESSION] ?? '';
    expectCode(await renew(thief), 403, 'recent-login-required');
    thief.cookies.device = 'A'.repeat(43);
    expectCode(await renew(thief), 403, 'recent-login-required');
  });

  test('a copied session cookie changes nothing in another browser, nor becomes a session of it, with a proof either', async () => {
    const [laptop, phone, thief] = [newBrowser(), newBrowser('phone'), newBrowser()];
    await signIn(phone);
    await nextSecond();
    await signIn(laptop);
    thief.cookies[SESSION] = laptop.cookies[SESSION] ?? '';
    const token = await fetchIdToken(app.user);
    const one = { session: await getId(phone) };
    for (const which of [{ others: true }, one]) {
      expectCode(await call(thief, 'account/end-sessions', { ...which, token }), 403, 'recent-login-required');
      expectCode(await call(thief, 'account/end-sessions', which), 403, 'recent-login-required');
    }
    const password = { current: app.user.password, password: 'quiet-lantern-42' };
    expectCode(await call(thief, 'account/password', password), 403, 'recent-login-required');
    expectCode(await call(thief, 'account/delete', { token }), 403, 'recent-login-required');
    for (const browser of [laptop, phone]) expect(await check(browser)).toBe(200);
    expect(await list()).toHaveLength(2);
    expect((await call(laptop, 'account/end-sessions', { others: true, token })).status).toBe(200);
    expect([await check(laptop), await check(phone)]).toEqual([200, 401]);
  });

  test('a copied session cookie gets no answer of any call that changes the account or leads to that, and uses up nothing', async () => {
    const [laptop, phone, thief] = [newBrowser(), newBrowser('phone'), newBrowser()];
    await signIn(phone);
    await nextSecond();
    await signIn(laptop);
    const [session, id, token] = [await getId(phone), randomUUID(), await fetchIdToken(app.user)];
    const bodies: Record<string, object | undefined> = {
      'account/check-sign-in': { session, isOwn: false },
      'account/data': { token },
      'account/delete': { token },
      'account/email': { email: `thief-${app.user.email}`, token },
      'account/email/confirm': { code: 'ABC123' },
      'account/end-sessions': { session, token },
      'account/name': { name: 'Thief' },
      'account/password': { current: app.user.password, password: 'quiet-lantern-42' },
      'account/recovery-email': { change: 'remove', token },
      'account/unlink-method': { token, method: 'google.com' },
      'auto-sign-in': undefined,
      'passkeys/add': { challenge: 'a.b.c', response: ATTESTATION },
      'passkeys/creation-options': { source: 'settings', token },
      'passkeys/prove': { challenge: 'a.b.c', response: ASSERTION },
      'passkeys/remove': { id, token },
      'passkeys/rename': { id, name: 'Lost phone' },
      'second-factor/add-app': { token },
      'second-factor/cancel-reset': undefined,
      'second-factor/confirm-app': { code: '123456' },
      'second-factor/confirm-codes': { recoveryCode: 'AAAA-BBBB-CCCC' },
      'second-factor/prove': { token, code: '123456' },
      'second-factor/recovery-codes': { token },
      'second-factor/remove-app': { id, token },
      'second-factor/step-up': { code: '123456' },
    };
    // These calls require no recent proof. They work without a session, end sessions, keep the account, or only read.
    const others = ['account/activity', 'account/first-password', 'account/keep', 'account/sign-out-everywhere'];
    const ofOthers = ['passkeys', 'passkeys/proof-options', 'passkeys/sign-in', 'passkeys/sign-in-options'];
    const ofFactors = ['second-factor/reset', 'second-factor/reset-code', 'second-factor/sign-in'];
    const files = ['account', 'passkeys', 'second-factor'].flatMap((folder) =>
      readdirSync(`pages/api/${folder}`, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts'))
        .map((file) => `${folder}/${file}`.replace(/(\/index)?\.ts$/, '')),
    );
    expect([...Object.keys(bodies), ...others, ...ofOthers, ...ofFactors].sort()).toEqual(
      [...files, 'auto-sign-in'].sort(),
    );
    thief.cookies[SESSION] = laptop.cookies[SESSION] ?? '';
    for (const [route, body] of Object.entries(bodies))
      expectCode(await call(thief, route, body), 403, 'recent-login-required');
    for (let time = 0; time < 12; time += 1) await call(thief, 'account/name', bodies['account/name']);
    expect((await call(laptop, 'account/name', { name: 'Mia Moreau' })).status).toBe(200);
    expect(await check(phone)).toBe(200);
    const readPage = async ({ cookies }: CookieJar) => {
      const live = await getSessionBackend().check(cookies[SESSION] ?? '');
      const req = { headers: {}, cookies, socket: {} } as unknown as GetServerSidePropsContext['req'];
      const { props } = (await loadSecurityPage(live, { req })) as {
        props: { isOwnBrowser: boolean; signIns: object[] };
      };
      return [props.isOwnBrowser, props.signIns.length];
    };
    // The laptop's sign-in is checked in the previously known browser, and not in a copy of that browser's session.
    thief.cookies[SESSION] = phone.cookies[SESSION] ?? '';
    expect(await Promise.all([phone, thief].map(readPage))).toEqual([
      [true, 1],
      [false, 0],
    ]);
  });

  test('a copied session cookie of a shared computer changes nothing, and becomes none of another browser', async () => {
    const [laptop, shared, thief] = [newBrowser(), newBrowser(), newBrowser()];
    await signIn(laptop);
    await nextSecond();
    shared.cookies['shared-computer'] = '1';
    await signIn(shared);
    thief.cookies[SESSION] = shared.cookies[SESSION] ?? '';
    // A false claim does not turn the browser into that computer.
    for (const claim of [undefined, '1']) {
      if (claim) thief.cookies['shared-computer'] = claim;
      expectCode(await call(thief, 'account/end-sessions', { others: true }), 403, 'recent-login-required');
      expectCode(await call(thief, 'account/name', { name: 'Thief' }), 403, 'recent-login-required');
      expectCode(await call(thief, 'auto-sign-in'), 403, 'recent-login-required');
      expectCode(await renew(thief), 403, 'recent-login-required');
    }
    expect([await check(laptop), await check(shared)]).toEqual([200, 200]);
    expect((await call(shared, 'account/end-sessions', { others: true })).status).toBe(200);
    expect([await check(laptop), await check(shared)]).toEqual([401, 200]);
  });

  test('a browser that was signed out from elsewhere stays out, with every token that its SDK can get', async () => {
    const [laptop, phone] = [newBrowser(), newBrowser('phone')];
    await signIn(laptop);
    await nextSecond();
    const token = await fetchIdToken(app.user);
    expect((await open(phone, token)).status).toBe(200);
    const cookies = { ...phone.cookies };
    await call(laptop, 'account/end-sessions', { session: await getId(phone) });
    const again = () => Object.assign(phone.cookies, cookies);
    expectCode(await open(again() && phone, token), 403, 'recent-login-required');
    expectCode(await open(newBrowser('phone'), token), 403, 'recent-login-required');
    expectCode(await renew(again() && phone), 401, 'session-required');
    advance(400);
    const refreshed = refreshIdToken(token, 400);
    expectCode(await open(again() && phone, refreshed), 403, 'recent-login-required');
    expectCode(await open(newBrowser('phone'), refreshed), 403, 'recent-login-required');
    vi.useRealTimers();
    // A new sign-in opens a session.
    await nextSecond();
    expect((await open(newBrowser('phone'), await fetchIdToken(app.user))).status).toBe(200);
  });

  test('an earlier proof of a session that was signed out from elsewhere opens none, in any browser', async () => {
    const [laptop, phone] = [newBrowser(), newBrowser('phone')];
    await signIn(laptop);
    await nextSecond();
    const first = await fetchIdToken(app.user);
    expect((await open(phone, first)).status).toBe(200);
    await nextSecond();
    await signIn(phone);
    const secret = phone.copy();
    await call(laptop, 'account/end-sessions', { session: await getId(phone) });
    expectCode(await open(secret, first), 403, 'recent-login-required');
    expectCode(await open(newBrowser('phone'), first), 403, 'recent-login-required');
    expect(await check(laptop)).toBe(200);
  });

  test('an older ID token continues only the live session of its own browser', async () => {
    const [laptop, thief] = [newBrowser(), newBrowser()];
    const token = await fetchIdToken(app.user);
    await open(laptop, token);
    await nextSecond();
    advance(400);
    const refreshed = refreshIdToken(token, 400);
    expect((await open(laptop, refreshed)).status).toBe(200);
    expectCode(await open(newBrowser(), refreshed), 403, 'recent-login-required');
    thief.cookies[SESSION] = laptop.cookies[SESSION] ?? '';
    expectCode(await open(thief, refreshed), 403, 'recent-login-required');
    expect((await list()).map(({ sids }) => sids.length)).toEqual([2]);
    expect(await kinds()).toEqual(['signed-in']);
  });

  test('a token of a sign-in just made opens a session when the clock of the server is ahead', async () => {
    const token = await fetchIdToken(app.user);
    advance(400);
    expect((await open(newBrowser(), token)).status).toBe(200);
  });

  test('a shared computer keeps its secret until its browser closes', async () => {
    const shared = newBrowser();
    shared.cookies['shared-computer'] = '1';
    const { device } = (await signIn(shared)).cookies;
    expect([device?.maxAge, device?.expires]).toEqual([undefined, undefined]);
    const { cookies } = await renew(shared);
    expect([cookies.device?.value, cookies.device?.maxAge]).toEqual([device?.value, undefined]);
    expect(await list()).toHaveLength(1);
    // Signing out there deletes it, like other personal data.
    const { cookies: cleared } = await call(shared, 'clear-device');
    expect(cleared.device?.maxAge).toBe(0);
  });

  test('the last use is recorded of the browser alone, and at most every 15 minutes', async () => {
    const laptop = newBrowser();
    await signIn(laptop);
    const [first] = await list();
    const platform = laptop.copy();
    delete platform.headers['sec-fetch-site'];
    advance(1_000);
    expect(await check(platform)).toBe(200);
    expect(await check(laptop)).toBe(200);
    await expect
      .poll(async () => (await list())[0]?.lastSeenAt.getTime())
      .toBeGreaterThan(first?.lastSeenAt.getTime() ?? 0);
    const second = (await list())[0]?.lastSeenAt;
    advance(800);
    await check(platform);
    expect((await list())[0]?.lastSeenAt).toEqual(second);
  });

  test('an ended session stays ended when the marks are lost, within 20 s', async () => {
    const [laptop, phone] = [newBrowser(), newBrowser('phone')];
    await signIn(laptop);
    await signIn(phone);
    await call(laptop, 'account/end-sessions', { session: await getId(phone) });
    await forgetMark(phone);
    advance(21);
    expect(await check(phone)).toBe(401);
  });
}

async function forgetMark(browser: CookieJar): Promise<void> {
  await getStore().delete(`ended-session:${browser.cookies.kk_sid ?? ''}`);
}
