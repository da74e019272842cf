// ASVS: 6.3.3, 6.3.4
// Threats: factor-skipped
// Every cell: second-factor-required.nightly.test.ts.
import { describe, expect, test } from 'vitest';
import type { SecondFactorRule } from '@/lib/shared/config/app-config';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { createAccountsClient } from '../support/accounts-client';
import { nextSecond, type CookieJar } from '../support/client';
import {
  serveWithRules,
  testFactorsByMethod,
  testOrganizationRules,
  testRulesByMethod,
  REQUIRED,
  RULES,
  SET_UP,
} from '../support/second-factor-required';
import { SoftwareAuthenticator } from '../support/software-authenticator';
import { fetchIdToken, idTokenByCustomToken, shiftIdToken } from '../support/test-users';

const rules = serveWithRules();
const { app, configure, joinOrganization, byOrganization, beginWaiting, wait } = rules;
const { call, newBrowser, expectCode, enrol, assurance, advance, post } = app;
const emulator = { emulatorHost: process.env.FIREBASE_AUTH_EMULATOR_HOST ?? '', projectId: 'demo-campus' };
const accounts = createAccountsClient(emulator);
const waiting = { signIn: 'waiting' };
const required = RULES.filter(([name]) => name === 'required');

// Tests every sign-in method with one rule, and one method with every rule.
testRulesByMethod(rules, Object.keys(rules.ways), required);
testRulesByMethod(
  rules,
  ['password'],
  RULES.filter((rule) => !required.includes(rule)),
);
testFactorsByMethod(rules, ['password']);
testOrganizationRules(rules, required);

describe('an organization', () => {
  test('of which none manages the account asks nothing', async () => {
    await configure({ acme: REQUIRED });
    await joinOrganization('saml.acme', 'campus.test');
    expect(await app.open(newBrowser(), await fetchIdToken(app.user))).toMatchObject({ status: 200 });
  });

  test('whose sign-in counts as two is satisfied by it', async () => {
    await configure({ acme: REQUIRED, origin: REQUIRED });
    await joinOrganization('saml.vault', 'vault.test');
    expect(await byOrganization(newBrowser(), 'saml.vault')).toMatchObject({ status: 200 });
    expectCode(await app.open(newBrowser(), await fetchIdToken(app.user)), 403, SET_UP);
  });
});

describe('an organization that no longer counts as two ends the sessions that relied on it', () => {
  const password = 'quiet-lantern-42';
  test.each<[string, (browser: CookieJar) => Promise<CookieJar>]>([
    ['its own', (browser) => Promise.resolve(browser)],
    [
      'one that has changed the password',
      async (browser) => {
        const change = { current: app.user.password, password };
        expect(await call(browser, 'account/password', change)).toMatchObject({ body: { signedIn: true } });
        return browser;
      },
    ],
    [
      'one that it was handed on to',
      async (browser) => {
        const { customToken } = (await call(browser, 'auto-sign-in')).body ?? {};
        const other = newBrowser();
        expect(await app.open(other, await idTokenByCustomToken(String(customToken)))).toMatchObject({ status: 200 });
        return other;
      },
    ],
    [
      'one that was renewed after a change',
      async (browser) => {
        expect(await call(browser, 'account/end-sessions', { others: true })).toMatchObject({ status: 200 });
        return browser;
      },
    ],
  ])('%s', async (_which, goOn) => {
    await configure({ acme: REQUIRED });
    await joinOrganization('saml.vault', 'vault.test');
    const signedIn = newBrowser('phone');
    expect(await byOrganization(signedIn, 'saml.vault')).toMatchObject({ status: 200 });
    await nextSecond();
    const browser = await goOn(signedIn);
    expect([await app.check(browser), await assurance(browser)]).toEqual([200, 2]);
    await configure({ acme: REQUIRED, countsAsTwoFactors: false });
    advance(21);
    expect(await app.check(browser)).toBe(401);
  });
});

test('a passkey satisfies every rule', async () => {
  const authenticator = new SoftwareAuthenticator();
  await app.enroll(authenticator);
  await configure({ origin: REQUIRED });
  const browser = newBrowser('phone');
  expect(await app.use(browser, authenticator)).toMatchObject({ status: 200 });
  expect(await assurance(browser)).toBe(2);
});

test('the access level is that of the claim', async () => {
  await getIdentityAdmin().setCustomUserClaims(app.user.uid, { accessLevel: 'staff' });
  await configure({ origin: { use: 'required', accessLevels: ['staff'] } });
  expectCode(await app.open(newBrowser(), await fetchIdToken(app.user)), 403, SET_UP);
});

test('a rule that cannot be read requires one', async () => {
  await configure({ origin: { use: 'sometimes' } as unknown as SecondFactorRule });
  expectCode(await app.open(newBrowser(), await fetchIdToken(app.user)), 403, SET_UP);
});

test('an open session is renewed, and its user proves themselves, at an origin that requires more', async () => {
  const laptop = newBrowser();
  await app.signIn(laptop);
  await configure({ origin: REQUIRED });
  await nextSecond();
  expect((await app.renew(laptop)).status).toBe(200);
  await post(laptop, 'add-app', { token: await fetchIdToken(app.user) });
});

describe('a sign-in that waits sets nothing up', () => {
  test('of an account that has a second factor', async () => {
    const { codeAt } = await enrol();
    await nextSecond();
    await configure({ origin: REQUIRED });
    const stranger = newBrowser('phone');
    await app.begun(stranger);
    expectCode(await call(stranger, 'second-factor/add-app', waiting), 410, 'sign-in-expired');
    expectCode(
      await call(stranger, 'second-factor/confirm-app', { ...waiting, code: codeAt() }),
      410,
      'sign-in-expired',
    );
    expectCode(
      await call(stranger, 'second-factor/confirm-codes', { ...waiting, recoveryCode: 'x' }),
      410,
      'sign-in-expired',
    );
  });

  test('of one whose claim an operator has removed', async () => {
    await enrol();
    await nextSecond();
    await getIdentityAdmin().setCustomUserClaims(app.user.uid, {});
    await configure({ origin: REQUIRED });
    const stranger = newBrowser('phone');
    expectCode(await app.open(stranger, await fetchIdToken(app.user)), 403, 'second-factor-required');
    expectCode(await call(stranger, 'second-factor/add-app', waiting), 410, 'sign-in-expired');
  });

  test('that had one set up by another browser since', async () => {
    const [phone, stranger] = [await wait(), await wait(newBrowser('laptop'))];
    const late = await beginWaiting(stranger);
    const first = await beginWaiting(phone);
    // Only the app and the codes that were begun last are set up.
    expectCode(await late.finish(), 400, 'code-wrong');
    expect(await first.finish()).toMatchObject({ status: 200 });
    expectCode(await late.finish(), 410, 'sign-in-expired');
    expectCode(await call(stranger, 'second-factor/add-app', waiting), 410, 'sign-in-expired');
  });

  test('twice, or by parallel requests', async () => {
    const phone = await wait();
    const { finish } = await beginWaiting(phone);
    const copies = [phone.copy(), phone.copy(), phone.copy()];
    const answers = await Promise.all(copies.map((copy) => finish(copy)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410]);
    expectCode(await finish(phone), 410, 'sign-in-expired');
  });

  test('without its cookie, or with that of a session alone', async () => {
    await wait();
    expectCode(await call(newBrowser(), 'second-factor/add-app', waiting), 410, 'sign-in-expired');
    expectCode(await call(newBrowser(), 'second-factor/add-app', {}), 401, 'session-required');
    await configure({});
    const signedIn = newBrowser();
    await app.signIn(signedIn);
    expectCode(await call(signedIn, 'second-factor/add-app', waiting), 410, 'sign-in-expired');
  });

  test('after half an hour', async () => {
    const [early, late] = [await wait(), await wait()];
    // On a slow machine, the two sign-ins began some time ago.
    advance(1_700);
    await post(early, 'add-app', waiting);
    advance(101);
    expectCode(await call(late, 'second-factor/add-app', waiting), 410, 'sign-in-expired');
  });

  test('with codes that came after half an hour: the account stays without', async () => {
    const phone = await wait();
    const { finish } = await beginWaiting(phone);
    advance(1_801);
    expectCode(await finish(), 410, 'sign-in-expired');
    expect(await app.claims()).toEqual({});
    expect((await app.read()).apps).toEqual([]);
  });

  test('after the email was changed, or sign-ins were revoked', async () => {
    const phone = await wait();
    const { finish } = await beginWaiting(phone);
    await nextSecond();
    await getIdentityAdmin().revokeRefreshTokens(app.user.uid);
    expectCode(await finish(), 410, 'sign-in-expired');
    const other = await wait();
    await getIdentityAdmin().updateUser(app.user.uid, { email: `x-${app.user.email}` });
    expectCode(await call(other, 'second-factor/add-app', waiting), 410, 'sign-in-expired');
  });

  test('by a first factor of more than five minutes ago', async () => {
    await configure({ origin: REQUIRED });
    const token = shiftIdToken(await fetchIdToken(app.user), -301);
    const browser = newBrowser();
    expect([401, 403]).toContain((await app.open(browser, token)).status);
    expect(browser.cookies['pending-sign-in']).toBeUndefined();
  });
});

test('an account that is not verified confirms its address first', async () => {
  await configure({ origin: REQUIRED });
  await accounts.setUnverified(app.user);
  expectCode(await app.open(newBrowser(), await fetchIdToken(app.user)), 403, 'email-not-verified');
});
