// ASVS: 6.3.3, 6.3.4, 7.5.1
// Threats: remembered-browser-stolen, factor-skipped
import { beforeEach, describe, expect, inject, test } from 'vitest';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { digestDevice } from '@/lib/server/session/request';
import { getRecords } from '@/lib/server/storage/records';
import { readRememberedAt } from '@/lib/server/storage/records/sessions';
import { cookieTable } from '@/lib/shared/cookie-table';
import { beginSignIn, codeFrom, exchangeCode } from '../../examples/mobile/client.mjs';
import { createAccountsClient } from '../support/accounts-client';
import { nextSecond, type CookieJar } from '../support/client';
import { keepMobileRequest } from '../support/mobile-app';
import { configureOrigin, serveRemembered } from '../support/remembered-browser';
import type { Enrolled } from '../support/second-factor-app';
import { createTestUser, fetchIdToken, idTokenByCustomToken } from '../support/test-users';
import { createLinkCode } from '../support/sign-in-link';

const app = serveRemembered();
const { call, newBrowser, expectCode, show, assurance, open, signInAgain } = app;
const ok = { status: 200 };

let enrolled: Enrolled;
let phone: CookieJar;
beforeEach(async () => {
  await configureOrigin({ rememberBrowsers: true });
  enrolled = await app.enrol();
  phone = await app.remember(enrolled);
});

const rememberedAt = async ({ cookies }: CookieJar): Promise<Date> => {
  const { uid } = app.user;
  const digest = digestDevice({ secret: cookies.device ?? null }, uid) ?? '';
  return (await readRememberedAt(await getRecords(), uid, digest)) ?? new Date(0);
};

describe('a remembered browser', () => {
  test('is not asked for a code, and its session says that it has shown one factor', async () => {
    expect(await signInAgain(phone)).toMatchObject(ok);
    expect(await assurance(phone)).toBe(1);
    expect(phone.cookies['pending-sign-in']).toBeUndefined();
    await nextSecond();
    expect((await app.renew(phone)).status).toBe(200);
    expect(await app.check(phone)).toBe(200);
  });

  test('is one browser: another one, with the same account, is asked', async () => {
    await app.begun(newBrowser('phone'));
    const copy = phone.copy();
    copy.cookies.device = 'A'.repeat(43);
    await app.begun(copy);
  });

  test('is remembered for one account', async () => {
    const other = await createTestUser();
    const laptop = newBrowser();
    expect(await open(laptop, await fetchIdToken(other))).toMatchObject(ok);
    // The browser's secret is shared, but the digest depends on the browser and the account.
    laptop.cookies.device = phone.cookies.device ?? '';
    await call(laptop, 'initiate-logout');
    expect(await signInAgain(laptop)).toMatchObject(ok);
    expect(await open(laptop, await fetchIdToken(other))).toMatchObject(ok);
    expect(await assurance(laptop)).toBe(1);
  });

  test('is asked where the origin does not remember browsers, and cannot be remembered there', async () => {
    const before = await rememberedAt(phone);
    await configureOrigin({});
    await app.begun(phone);
    expect(await show(phone, { code: enrolled.codeAt(30), remember: true })).toMatchObject(ok);
    expect(await rememberedAt(phone)).toEqual(before);
  });

  test('stays remembered by the sign-in after which what a revocation has left is ended', async () => {
    expect(await signInAgain(phone)).toMatchObject(ok);
    await createAccountsClient({ emulatorHost: inject('emulatorHost'), projectId: 'demo-campus' }).revoke(app.user);
    await nextSecond();
    await app.begun(phone);
    expect(await show(phone, { code: enrolled.codeAt(30), remember: true })).toMatchObject(ok);
    await expect.poll(async () => (await app.list()).map(({ sids }) => sids)).toEqual([[phone.cookies.kk_sid]]);
    expect((await rememberedAt(phone)).getTime()).toBeGreaterThan(0);
  });

  test('is asked on a shared computer, and not remembered by it', async () => {
    const library = newBrowser();
    library.cookies[cookieTable.sharedComputer.name] = '1';
    await app.begun(library);
    expect(await show(library, { code: enrolled.codeAt(30), remember: true })).toMatchObject(ok);
    delete library.cookies[cookieTable.sharedComputer.name];
    await app.begun(library);
    phone.cookies[cookieTable.sharedComputer.name] = '1';
    await app.begun(phone);
  });

  test.each<[string, () => Promise<unknown>]>([
    [
      'a new password by a reset',
      async () => {
        const link = await getIdentityAdmin().generatePasswordResetLink(app.user.email);
        const oobCode = new URL(link).searchParams.get('oobCode') ?? '';
        app.user.password = 'quiet-lantern-42';
        const { password } = app.user;
        expect(await call(newBrowser(), 'actions/reset-password', { oobCode, password })).toMatchObject(ok);
      },
    ],
    [
      '"Sign out everywhere"',
      async () => {
        expect(await call(enrolled.laptop, 'account/sign-out-everywhere', {})).toMatchObject(ok);
      },
    ],
    ['a revocation at the identity provider', () => getIdentityAdmin().revokeRefreshTokens(app.user.uid)],
    [
      'the removal of an app',
      async () => {
        const { apps } = await app.read();
        await app.begin(enrolled.laptop);
        expect(await call(enrolled.laptop, 'second-factor/remove-app', { id: apps[0]?.id })).toMatchObject(ok);
      },
    ],
  ])('is forgotten by %s', async (_what, revoke) => {
    await revoke();
    await nextSecond();
    expectCode(await signInAgain(phone), 403, 'second-factor-required');
  });

  test('is forgotten when its session is ended from another device', async () => {
    expect(await signInAgain(phone)).toMatchObject(ok);
    const session = await app.getId(phone);
    expect(await call(enrolled.laptop, 'account/end-sessions', { session })).toMatchObject(ok);
    await nextSecond();
    expectCode(await signInAgain(phone), 403, 'second-factor-required');
  });

  test('takes an email link as well', async () => {
    const code = await createLinkCode(app.user);
    const { customToken } = (await call(phone, 'actions/sign-in', { code, email: app.user.email })).body ?? {};
    expect(await open(phone, await idTokenByCustomToken(String(customToken)))).toMatchObject(ok);
    expect(await assurance(phone)).toBe(1);
    // In another browser, the token alone opens no session.
    expectCode(
      await open(newBrowser('phone'), await idTokenByCustomToken(String(customToken))),
      403,
      'second-factor-required',
    );
  });
});

test('a remembered browser hands the account to the mobile app, which is asked for a code', async () => {
  expect(await signInAgain(phone)).toMatchObject(ok);
  const begun = beginSignIn({ appOrigin: app.origin });
  const request = keepMobileRequest(begun.address);
  phone.cookies['mobile-request'] = request.cookie;
  const answer = await call(phone, 'mobile/authorize', { request: request.name });
  const code = codeFrom(String(answer.body?.address), begun);
  const customToken = await exchangeCode({ appOrigin: app.origin, code, verifier: begun.verifier });
  const mobile = newBrowser('phone');
  expectCode(await open(mobile, await idTokenByCustomToken(customToken)), 403, 'second-factor-required');
  expect(await show(mobile, { code: enrolled.codeAt(30) })).toMatchObject(ok);
  expect(await assurance(mobile)).toBe(2);
});

test('changes of the account take the second factor all the same', async () => {
  expect(await signInAgain(phone)).toMatchObject(ok);
  const [{ id = '' } = {}] = (await app.read()).apps;
  for (const [route, body] of [
    ['second-factor/add-app', {}],
    ['second-factor/recovery-codes', {}],
    ['second-factor/remove-app', { id }],
    ['passkeys/creation-options', { source: 'settings' }],
    ['account/end-sessions', { others: true }],
  ] as const) {
    expectCode(await call(phone, route, body), 403, 'recent-login-required');
    const token = await fetchIdToken(app.user);
    expectCode(await call(phone, route, { ...body, token }), 403, 'second-factor-required');
  }
  // A token of its session does not open it either.
  const { customToken } = (await call(phone, 'auto-sign-in')).body ?? {};
  const token = await idTokenByCustomToken(String(customToken));
  expectCode(await call(phone, 'second-factor/add-app', { token }), 403, 'second-factor-required');
  expectCode(await call(phone, 'account/delete', { token }), 403, 'second-factor-required');
  // With a code, both do.
  await nextSecond();
  const proof = { token: await fetchIdToken(app.user), code: enrolled.codeAt(30) };
  const proved = (await call(phone, 'second-factor/prove', proof)).body ?? {};
  expect(
    await call(phone, 'second-factor/add-app', { token: await idTokenByCustomToken(String(proved.customToken)) }),
  ).toMatchObject(ok);
});

test('a wrong code remembers nothing, and neither does a code without the choice', async () => {
  const other = newBrowser();
  await app.begun(other);
  expectCode(await show(other, { code: enrolled.app.wrongCode(), remember: true }), 400, 'code-wrong');
  expect(await show(other, { code: enrolled.codeAt(30) })).toMatchObject(ok);
  await call(other, 'initiate-logout');
  await nextSecond();
  expectCode(await signInAgain(other), 403, 'second-factor-required');
});
