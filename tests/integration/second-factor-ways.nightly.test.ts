// ASVS: 6.3.3, 6.3.4, 6.4.3
// Threats: factor-skipped
// Every method with recovery codes, and without a second factor: second-factor-ways.nightly.test.ts.
import { randomUUID } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { getRecords } from '@/lib/server/storage/records';
import { authenticatorApps, passkeys, pendingSignIns } from '@/lib/server/storage/records/schema';
import { findKeyProblem } from '@/lib/server/second-factor/totp';
import { loadSecondFactor, loadSetUp } from '@/lib/server/web/sign-in-pages';
import { beginSignIn, codeFrom, exchangeCode, signInWithCustomToken } from '../../examples/mobile/client.mjs';
import { createAccountsClient, PASSWORD, tokenBy } from '../support/accounts-client';
import { nextSecond, type CookieJar } from '../support/client';
import { linksIn } from '../support/mail';
import { keepMobileRequest } from '../support/mobile-app';
import { serveSecondFactor, type Enrolled } from '../support/second-factor-app';
import { createWays, testFactorByMethod } from '../support/second-factor-ways';
import { SoftwareAuthenticator } from '../support/software-authenticator';
import {
  createTestUser,
  fetchIdToken,
  fetchOrganizationIdToken,
  idTokenByCustomToken,
  refreshIdToken,
} from '../support/test-users';
import { createLinkCode } from '../support/sign-in-link';

const app = serveSecondFactor();
const { call, newBrowser, expectCode, enrol, show, assurance, advance } = app;
const emulator = { emulatorHost: process.env.FIREBASE_AUTH_EMULATOR_HOST ?? '', projectId: 'demo-campus' };
const accounts = createAccountsClient(emulator);

const { ways, joinOrganization, byOrganization } = createWays(app);

testFactorByMethod(app, Object.keys(ways), { kinds: ['totp'] });

test('the first password of a legacy account is followed by the second factor', async () => {
  const { codeAt } = await enrol();
  await accounts.markLegacy(app.user);
  const browser = newBrowser('phone');
  const token = await fetchIdToken(app.user);
  // If the rollout requires a new password, that step comes first (docs/account-policy.md#sign-in). Here none is due.
  expectCode(await app.open(browser, token), 403, 'second-factor-required');
  expect(await show(browser, { code: codeAt() })).toMatchObject({ status: 200 });
});

test('the page for it is shown in the session of another account, and leads on in one of its own', async () => {
  const page = '/sign-in/second-factor';
  const visit = (browser: CookieJar) => {
    const req = Object.assign(new IncomingMessage(new Socket()), { cookies: { ...browser.cookies } });
    return loadSecondFactor({ req, res: new ServerResponse(req), query: {}, resolvedUrl: page });
  };
  const { laptop } = await enrol();
  await nextSecond();
  await app.begun(laptop);
  expect(await visit(laptop)).toEqual({ redirect: { destination: '/sign-in', permanent: false } });
  const phone = newBrowser('phone');
  expect(await app.open(phone, await fetchIdToken(await createTestUser()))).toMatchObject({ status: 200 });
  await app.begun(phone);
  expect(await visit(phone)).toEqual({ props: { isShared: false, hasPasskeys: false, resetCode: null } });
  // The reloaded page asks for the code of a reset, which belongs to this sign-in only.
  expect(await call(phone, 'second-factor/reset-code')).toMatchObject({ status: 200 });
  expect(await visit(phone)).toMatchObject({ props: { resetCode: { resendAfter: expect.any(Number) as number } } });
  await nextSecond();
  await app.begun(phone);
  expect(await visit(phone)).toMatchObject({ props: { resetCode: null } });
});

test('a passkey is never asked for a code', async () => {
  const { laptop } = await enrol();
  const authenticator = new SoftwareAuthenticator();
  expect(await app.add(laptop, authenticator)).toMatchObject({ status: 200 });
  const browser = newBrowser('phone');
  expect(await app.use(browser, authenticator)).toMatchObject({ status: 200 });
  expect(await assurance(browser)).toBe(2);
  expect(browser.cookies['pending-sign-in']).toBeUndefined();
});

type PasskeyOptions = { options: Parameters<SoftwareAuthenticator['get']>[0]; challenge: string };

describe('a passkey that the browser made by itself, without user verification,', () => {
  const addUnverified = async (authenticator: SoftwareAuthenticator) => {
    const laptop = newBrowser();
    await app.signIn(laptop);
    const added = await app.add(laptop, authenticator, { flags: ['be', 'bs'] }, { source: 'upgrade' });
    expect(added).toMatchObject({ status: 200 });
  };
  const unverified = () => app.stored().then((all) => all.filter(({ userVerified }) => !userVerified).length);

  test('is one factor, also for what its session is handed on to', async () => {
    const authenticator = new SoftwareAuthenticator();
    await addUnverified(authenticator);
    const browser = newBrowser('phone');
    expect(await app.use(browser, authenticator)).toMatchObject({ status: 200 });
    expect(await assurance(browser)).toBe(1);
    expect((await app.list()).map(({ method }) => method)).toContain('passkey');
    await nextSecond();
    expect((await app.renew(browser)).status).toBe(200);
    const { customToken } = (await call(browser, 'auto-sign-in')).body ?? {};
    const other = newBrowser();
    expect(await app.open(other, await idTokenByCustomToken(String(customToken)))).toMatchObject({ status: 200 });
    expect([await assurance(browser), await assurance(other), await unverified()]).toEqual([1, 1, 1]);
    const asked = newBrowser();
    asked.cookies.acr_values = 'aal2';
    expectCode(await app.use(asked, authenticator), 403, 'second-factor-setup-required');
    // The set-up page does not offer the passkey instead, because that would lead back to the set-up.
    browser.cookies.acr_values = 'aal2';
    for (const { cookies } of [asked, browser]) {
      const req = Object.assign(new IncomingMessage(new Socket()), { cookies: { ...cookies } });
      const context = { req, res: new ServerResponse(req), query: {}, resolvedUrl: '/sign-in/set-up-second-factor' };
      expect(await loadSetUp(context)).toMatchObject({ props: { account: { passkeys: 0 } } });
    }
  });

  test('waits for a code, and is two factors once a code was shown with it', async () => {
    const authenticator = new SoftwareAuthenticator();
    await addUnverified(authenticator);
    const { laptop, codeAt, codes } = await enrol();
    // Shown again by a signed-in user, the passkey does not prove a second factor either.
    const { options, challenge } = (await call(laptop, 'passkeys/proof-options')).body as PasskeyOptions;
    const proved = await call(laptop, 'passkeys/prove', { challenge, response: authenticator.get(options) });
    const token = await idTokenByCustomToken(String(proved.body?.customToken));
    expectCode(await call(laptop, 'account/data', { token }), 403, 'second-factor-required');
    const browser = newBrowser('phone');
    expectCode(await app.use(browser, authenticator), 403, 'second-factor-required');
    expect([await app.check(browser), await unverified()]).toEqual([401, 1]);
    expectCode(await show(browser, { code: '000000' }), 400, 'code-wrong');
    expect(await unverified()).toBe(1);
    expect(await show(browser, { code: codeAt() })).toMatchObject({ status: 200 });
    expect([await assurance(browser), await unverified()]).toEqual([2, 0]);
    const next = newBrowser('phone');
    expect(await app.use(next, authenticator)).toMatchObject({ status: 200 });
    expect(await assurance(next)).toBe(2);
    // A code that is shown with another first factor does not initialize a passkey.
    const second = new SoftwareAuthenticator();
    await (await getRecords()).transact((tx) => tx.update(passkeys).set({ userVerified: false }));
    expect(await app.add(next, second)).toMatchObject({ status: 200 });
    const byPassword = newBrowser();
    await app.begun(byPassword);
    expect(await show(byPassword, { recoveryCode: codes[3] })).toMatchObject({ status: 200 });
    expect(await unverified()).toBe(1);
  });
});

test('an organization whose sign-in counts as two is not asked for a code, by its own provider alone', async () => {
  await joinOrganization('saml.vault', 'vault.test');
  await enrol();
  await nextSecond();
  const browser = newBrowser('phone');
  expect(await byOrganization(browser, 'saml.vault')).toMatchObject({ status: 200 });
  expect(await assurance(browser)).toBe(2);
  // A token that is minted from that session has the same assurance.
  const { customToken } = (await call(browser, 'auto-sign-in')).body ?? {};
  const other = newBrowser();
  expect(await app.open(other, await idTokenByCustomToken(String(customToken)))).toMatchObject({ status: 200 });
  expect(await assurance(other)).toBe(2);
  expectCode(await app.open(newBrowser(), await fetchIdToken(app.user)), 403, 'second-factor-required');
});

test('to remove such an organization signs out, and leaves no sign-in that waits', async () => {
  await joinOrganization('saml.vault', 'vault.test');
  await enrol();
  await nextSecond();
  const browser = newBrowser('phone');
  expect(await byOrganization(browser, 'saml.vault')).toMatchObject({ status: 200 });
  const token = await fetchOrganizationIdToken('saml.vault', app.user.email);
  const removed = await call(browser, 'account/unlink-method', { token, method: 'saml.vault' });
  expect([removed.status, removed.body]).toEqual([200, {}]);
  expect(await accounts.fetchMethods(app.user)).toEqual(['password']);
  const waiting = await (await getRecords()).transact((tx) => tx.select().from(pendingSignIns));
  expect(waiting.filter(({ uid }) => uid === app.user.uid)).toEqual([]);
});

test('an identity that another user of the organization has linked is one factor', async () => {
  Object.assign(app.user, await accounts.create({ email: `${randomUUID()}@vault.test` }));
  const { codeAt } = await enrol();
  const insider = `${randomUUID()}@vault.test`;
  // The provider's public API allows this to anyone who knows the password.
  const providerToLink = { providerId: 'saml.vault', uid: insider, email: insider };
  await getIdentityAdmin().updateUser(app.user.uid, { providerToLink });
  await nextSecond();
  const browser = newBrowser('phone');
  expectCode(
    await app.open(browser, await fetchOrganizationIdToken('saml.vault', insider)),
    403,
    'second-factor-required',
  );
  expect(await show(browser, { code: codeAt() })).toMatchObject({ status: 200 });
});

test.each([
  ['two', 'saml.vault', 'vault.test'],
  ['one', 'saml.acme', 'acme.test'],
])(
  'an account that was unverified since is proved by its organization, which counts as %s',
  async (_count, provider, domain) => {
    await joinOrganization(provider, domain);
    const { codeAt } = await enrol();
    await nextSecond();
    await accounts.setUnverified(app.user);
    const browser = newBrowser('phone');
    const answer = await byOrganization(browser, provider);
    if (provider === 'saml.acme') {
      expectCode(answer, 403, 'second-factor-required');
      expect(await show(browser, { code: codeAt() })).toMatchObject({ status: 200 });
    } else expect(answer).toMatchObject({ status: 200 });
    expect(await assurance(browser)).toBe(2);
    expect((await getIdentityAdmin().getUser(app.user.uid)).emailVerified).toBe(true);
  },
);

describe('tokens of a session with both factors carry them on', () => {
  const signInByBoth = async (): Promise<{ browser: CookieJar } & Enrolled> => {
    const enrolled = await enrol();
    const browser = newBrowser('phone');
    await app.begun(browser);
    expect(await show(browser, { code: enrolled.codeAt() })).toMatchObject({ status: 200 });
    return { browser, ...enrolled };
  };

  test('to the SDK of the browser', async () => {
    const { browser } = await signInByBoth();
    const { customToken } = (await call(browser, 'auto-sign-in')).body ?? {};
    const other = newBrowser();
    expect(await app.open(other, await idTokenByCustomToken(String(customToken)))).toMatchObject({ status: 200 });
    expect(await assurance(other)).toBe(2);
  });

  test('to the mobile app', async () => {
    const { browser } = await signInByBoth();
    const begun = beginSignIn({ appOrigin: app.origin });
    const request = keepMobileRequest(begun.address);
    browser.cookies['mobile-request'] = request.cookie;
    const answer = await call(browser, 'mobile/authorize', { request: request.name });
    expect(answer.status).toBe(200);
    const code = codeFrom(String(answer.body?.address), begun);
    const customToken = await exchangeCode({ appOrigin: app.origin, code, verifier: begun.verifier });
    const token = await signInWithCustomToken({ emulatorHost: emulator.emulatorHost, customToken });
    const mobile = newBrowser('phone');
    expect(await app.open(mobile, token)).toMatchObject({ status: 200 });
    expect(await assurance(mobile)).toBe(2);
  });

  test('and those from before it was on open nothing', async () => {
    const before = newBrowser('phone');
    await app.signIn(before);
    const { customToken } = (await call(before, 'auto-sign-in')).body ?? {};
    const idToken = await idTokenByCustomToken(String(customToken));
    await enrol();
    expect(await app.check(before)).toBe(401);
    for (const token of [idToken, await idTokenByCustomToken(String(customToken))])
      expect([401, 403]).toContain((await app.open(newBrowser(), token)).status);
  });
});

test('"This wasn\'t me" leaves the last app, and the need for a code, until the second factor is reset', async () => {
  await app.signIn(newBrowser());
  await nextSecond();
  const intruder = newBrowser('phone');
  await app.signIn(intruder);
  const { codeAt } = await app.begin(intruder).then(async (begun) => {
    await nextSecond();
    await app.post(intruder, 'confirm-codes', { recoveryCode: begun.codes[0] });
    return begun;
  });
  const mails = await app.readMails(2);
  const [link = ''] = linksIn(mails.find(({ subject }) => subject.startsWith('New sign-in')) ?? { text: '' });
  await nextSecond();
  const code = new URL(link).searchParams.get('oobCode');
  // Turning on the factor has revoked all sign-ins, so the mailbox is asked again.
  const first = await call(newBrowser(), 'actions/disavow-sign-in', { code });
  expect(first).toMatchObject({ status: 200, body: { asksMailbox: true } });
  const again = (await app.readMails(3)).find(({ subject }) => subject.startsWith('Confirm that'));
  const [newLink = ''] = linksIn(again ?? { text: '' });
  const body = { code: new URL(newLink).searchParams.get('oobCode') };
  expect((await call(newBrowser(), 'actions/disavow-sign-in', body)).body).toEqual({ email: app.user.email });
  expect(await app.check(intruder)).toBe(401);
  expect(await app.read()).toMatchObject({ apps: [{}] });
  await nextSecond();
  await app.begun(intruder);
  expectCode(await show(intruder, { code: '000000' === codeAt() ? '000001' : '000000' }), 400, 'code-wrong');
  // An operator turns it off for the owner (docs/operate/a-learner-has-lost-the-second-factor.md).
  const { turnSecondFactorOff } = await import('@/lib/server/second-factor/removal');
  expect(await turnSecondFactorOff(app.user.uid)).toBe(true);
  expect(await app.open(newBrowser(), await fetchIdToken(app.user))).toMatchObject({ status: 200 });
  expect(await app.kinds()).toContain('second-factor-off');
});

test('a process starts without the secret of an app that is being set up, not of one that is on', async () => {
  const browser = newBrowser();
  await app.signIn(browser);
  await app.post(browser, 'add-app');
  const change = async (values: Partial<typeof authenticatorApps.$inferInsert>) =>
    (await getRecords()).query((tx) =>
      tx.update(authenticatorApps).set(values).where(eq(authenticatorApps.uid, app.user.uid)),
    );
  await change({ keyId: 'replaced' });
  expect(await findKeyProblem()).toEqual([]);
  await change({ confirmedAt: new Date() });
  expect(await findKeyProblem()).toEqual([expect.stringContaining('opens no key replaced')]);
});

test('an ID token of a sign-in more than five minutes ago is no first factor', async () => {
  await enrol();
  await nextSecond();
  const token = refreshIdToken(await fetchIdToken(app.user), 301);
  advance(301);
  const browser = newBrowser('phone');
  expectCode(await app.open(browser, token), 403, 'recent-login-required');
  expect(browser.cookies['pending-sign-in']).toBeUndefined();
});

test('a proof by both factors ends with its session', async () => {
  const { laptop, codeAt } = await enrol();
  await nextSecond();
  const { customToken } = await app.post(laptop, 'prove', { token: await fetchIdToken(app.user), code: codeAt() });
  expect((await call(laptop, 'initiate-logout')).status).toBe(200);
  const token = await idTokenByCustomToken(customToken);
  expectCode(await app.open(newBrowser('phone'), token), 401, 'token-revoked');
});

test("the provider's public API gives no session: neither a new password nor a new email changes what is asked", async () => {
  const { codeAt } = await enrol();
  await nextSecond();
  const idToken = await fetchIdToken(app.user);
  const password = `x${PASSWORD}`;
  await tokenBy(emulator, 'update', { idToken, password });
  const browser = newBrowser('phone');
  expectCode(await app.open(browser, await fetchIdToken({ ...app.user, password })), 403, 'second-factor-required');
  const email = `${randomUUID()}@campus.test`;
  await tokenBy(emulator, 'update', { idToken: await fetchIdToken({ ...app.user, password }), email });
  // A reset for that email does not move the account, because the proved email is restored.
  await call(browser, 'password-reset', { email });
  // The response comes before the work.
  const signIn = () => fetchIdToken({ email, password }).then(String, (error: Error) => error.message);
  await expect.poll(signIn).toContain('EMAIL_NOT_FOUND');
  expect((await getIdentityAdmin().getUser(app.user.uid)).email).toBe(app.user.email);
  expect(await app.check(browser)).toBe(401);
  // The intruder's password is removed, and the second factor stays.
  await expect(fetchIdToken({ ...app.user, password })).rejects.toThrow('INVALID_PASSWORD');
  await nextSecond();
  const code = await createLinkCode(app.user);
  expectCode(await call(browser, 'actions/sign-in', { code, email: app.user.email }), 403, 'second-factor-required');
  expect(await show(browser, { code: codeAt() })).toMatchObject({ status: 200 });
});
