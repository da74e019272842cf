// ASVS: 6.3.4, 7.5.1
// Threats: planted-factor, factor-skipped, factor-reset-abused, factor-lock-out
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { beforeEach, describe, expect, test } from 'vitest';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { withAccountLock } from '@/lib/server/storage';
import { requestFactorReset, readFactorReset } from '@/lib/server/notifications/scheduled/factor-resets';
import { reportUnfinishedSignIns } from '@/lib/server/second-factor/notify';
import { turnSecondFactorOff } from '@/lib/server/second-factor/removal';
import { findPendingSignIn } from '@/lib/server/session/pending-sign-in';
import { mintRenewedToken, verifyToken } from '@/lib/server/session/tokens';
import { toSessionRequest } from '@/lib/server/session/request';
import { getSessionBackend } from '@/lib/server/session/require-session';
import { LIMITS } from '@/lib/server/storage/rate-limits/table';
import { getRecords } from '@/lib/server/storage/records';
import { loadSecondFactor, loadSetUp } from '@/lib/server/web/sign-in-pages';
import { digest } from '@/lib/server/runtime/keys';
import { cookieTable } from '@/lib/shared/cookie-table';
import { nextSecond, type CookieJar } from '../support/client';
import { configureOrigin, serveRemembered } from '../support/remembered-browser';
import { createTestUser, fetchIdToken, idTokenByCustomToken } from '../support/test-users';
import { awaitRoomInStep, SoftwareApp } from '../support/totp';

const app = serveRemembered();
const { call, newBrowser, expectCode, show, assurance, open } = app;
const waiting = { signIn: 'waiting' };
const getCodeAt = (software: SoftwareApp, offset = 0) => software.codeAt(Math.floor((Date.now() / 1000 + offset) / 30));

/** Begins a sign-in with only the password, where a second factor is required. */
async function beginSetUp(): Promise<CookieJar> {
  const browser = newBrowser('phone');
  expectCode(await open(browser, await fetchIdToken(app.user)), 403, 'second-factor-setup-required');
  return browser;
}
/** Begins an app and shows its first code. @returns its recovery codes */
async function checkApp(browser: CookieJar): Promise<string[]> {
  const { secret } = await app.post(browser, 'add-app', waiting);
  await awaitRoomInStep();
  const answer = await app.post(browser, 'confirm-app', { ...waiting, code: getCodeAt(new SoftwareApp(secret), -30) });
  return answer.recoveryCodes;
}

describe('where a second factor is required', () => {
  beforeEach(() => configureOrigin({ secondFactor: { use: 'required' } }));

  test('two set-ups of one account cannot be mixed: a further one ends the one before, with its recovery codes', async () => {
    const [thief, owner] = [await beginSetUp(), await beginSetUp()];
    const [planted = ''] = await checkApp(thief);
    const { secret } = await app.post(owner, 'add-app', waiting);
    const software = new SoftwareApp(secret);
    await awaitRoomInStep();
    const [confirmed, mixed] = await Promise.all([
      call(owner, 'second-factor/confirm-app', { ...waiting, code: getCodeAt(software, -30) }),
      call(thief, 'second-factor/confirm-codes', { ...waiting, recoveryCode: planted }),
    ]);
    expect(confirmed.status).toBe(200);
    expect([400, 410]).toContain(mixed.status);
    expect(await app.check(thief)).toBe(401);
    const [own] = confirmed.body?.recoveryCodes as string[];
    await nextSecond();
    expect((await call(owner, 'second-factor/confirm-codes', { ...waiting, recoveryCode: own })).status).toBe(200);
    await nextSecond();
    const other = newBrowser('phone');
    await app.begun(other);
    expectCode(await show(other, { recoveryCode: planted }), 400, 'code-wrong');
    expect((await show(other, { code: getCodeAt(software) })).status).toBe(200);
  });

  test('codes that belong to an app that was dropped turn nothing on', async () => {
    const [thief, owner] = [await beginSetUp(), await beginSetUp()];
    const [own = ''] = await checkApp(owner);
    await checkApp(thief);
    expectCode(await call(owner, 'second-factor/confirm-codes', { ...waiting, recoveryCode: own }), 400, 'code-wrong');
    expect(await app.read()).toMatchObject({ since: null, apps: [] });
  });

  test('a sign-in that waits does not use up what its owner may try', async () => {
    const [thief, owner] = [await beginSetUp(), await beginSetUp()];
    await app.post(thief, 'add-app', waiting);
    let refused = 0;
    for (let tries = 0; tries < 70 && refused === 0; tries += 1)
      refused = Number((await call(thief, 'second-factor/confirm-app', { ...waiting, code: '000000' })).status === 429);
    expect(refused).toBe(1);
    expect((await app.post(owner, 'add-app', waiting)).secret).toMatch(/^[A-Z2-7 ]+$/);
  });

  test.each(['unlisted.invalid', 'localhost.:3000'])('an unlisted host, %s, has the rule of the app', async (host) => {
    const { request } = await import('node:http');
    const body = JSON.stringify({ token: await fetchIdToken(app.user) });
    const headers = {
      host,
      origin: 'http://localhost:3000',
      'content-type': 'application/json',
      'sec-fetch-site': 'same-origin',
    };
    const status = await new Promise((resolve, reject) => {
      const sent = request(`${app.origin}/api/create-user-session`, { method: 'POST', headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      sent.on('error', reject).end(body);
    });
    expect(status).toBe(403);
  });
});

describe('where the origin remembers browsers', () => {
  beforeEach(() => configureOrigin({ rememberBrowsers: true }));

  test('a token of a remembered browser tells of one factor, and opens no session elsewhere', async () => {
    const phone = await app.remember(await app.enrol());
    expect((await app.signInAgain(phone)).status).toBe(200);
    const { customToken } = (await call(phone, 'auto-sign-in')).body ?? {};
    const token = await idTokenByCustomToken(String(customToken));
    const { learner_identity: claims } = await getIdentityAdmin().verifyIdToken(token);
    expect(claims).not.toHaveProperty('factor');
    expectCode(await open(newBrowser(), token), 403, 'second-factor-required');
    expect((await open(phone, token)).status).toBe(200);
    expect(await assurance(phone)).toBe(1);
  });

  test('a copied session cookie and a code make no session of another browser', async () => {
    const enrolled = await app.enrol();
    const phone = await app.remember(enrolled);
    expect((await app.signInAgain(phone)).status).toBe(200);
    const thief = phone.copy();
    delete thief.cookies[cookieTable.device.name];
    const code = enrolled.codeAt(30);
    expectCode(await call(thief, 'second-factor/step-up', { code }), 403, 'recent-login-required');
    expect(await assurance(phone)).toBe(1);
  });
});

test('a step-up asks for the code of its session, and not where the sign-in of another account waits', async () => {
  await configureOrigin({ rememberBrowsers: true });
  const phone = await app.remember(await app.enrol());
  expect((await app.signInAgain(phone)).status).toBe(200);
  phone.cookies[cookieTable.acrValues.name] = 'aal2';
  const visit = async (load: typeof loadSecondFactor | typeof loadSetUp) => {
    const req = Object.assign(new IncomingMessage(new Socket()), { cookies: { ...phone.cookies } });
    const res = new ServerResponse(req);
    return { result: await load({ req, res, query: {}, resolvedUrl: '/' }), set: String(res.getHeader('set-cookie')) };
  };
  const stepUp = { props: { stepUp: true, accountUid: app.user.uid, hasPasskeys: false } };
  expect((await visit(loadSecondFactor)).result).toEqual(stepUp);
  expectCode(await open(phone, await fetchIdToken(await createTestUser())), 403, 'second-factor-setup-required');
  expect((await visit(loadSecondFactor)).result).toEqual({
    props: { isShared: false, hasPasskeys: false, resetCode: null },
  });
  // On a later visit, the platform's request takes precedence over an abandoned sign-in.
  phone.cookies[cookieTable.pendingSignIn.name] = 'left';
  const { result, set } = await visit(loadSetUp);
  expect(result).toEqual({ redirect: { destination: '/sign-in/second-factor', permanent: false } });
  expect(set).toMatch(/pending-sign-in=;/);
});

test('what replaces a session leaves no sign-in behind that waits, where the claim is missing', async () => {
  await configureOrigin({});
  await app.enrol();
  await nextSecond();
  await getIdentityAdmin().setCustomUserClaims(app.user.uid, {});
  const signedIn = await verifyToken(await fetchIdToken(app.user));
  const token = await idTokenByCustomToken(await mintRenewedToken(signedIn, null));
  const request = toSessionRequest(Object.assign(new IncomingMessage(new Socket()), { cookies: {} }));
  const replaced = withAccountLock(app.user.uid, (locked) => getSessionBackend().replace(token, request, locked));
  await expect(replaced).rejects.toMatchObject({ code: 'recent-login-required' });
  await reportUnfinishedSignIns(await getRecords(), new Date(Date.now() + 6 * 60_000));
  expect(await app.kinds()).not.toContain('sign-in-unfinished');
});

test('a further app cancels a reset that runs: its owner has a second factor after all', async () => {
  await configureOrigin({});
  const { laptop } = await app.enrol();
  await nextSecond();
  const phone = newBrowser('phone');
  await app.begun(phone);
  const { uid, email } = app.user;
  const brand = {
    origin: 'http://localhost:3000',
    brandName: 'Campus',
    accent: '#1f5f5b',
    support: 'help@campus.test',
  };
  const client = { network: null, browser: null, system: null };
  const pending = digest(phone.cookies[cookieTable.pendingSignIn.name] ?? '');
  const records = await getRecords();
  const reset = await withAccountLock(uid, (locked) =>
    requestFactorReset(records, locked, { digest: pending, email, brand, client, hours: 72 }, () => true),
  );
  expect(reset).not.toBeNull();
  await app.begin(laptop);
  expect(await readFactorReset(records, uid)).toBeNull();
  expect(await app.kinds()).toContain('factor-reset-cancelled');
});

test('an owner whose claim is missing is told of a sign-in that asks for two factors', async () => {
  await configureOrigin({});
  await app.enrol();
  await nextSecond();
  await getIdentityAdmin().setCustomUserClaims(app.user.uid, {});
  const thief = newBrowser('phone');
  thief.cookies[cookieTable.acrValues.name] = 'aal2';
  expectCode(await open(thief, await fetchIdToken(app.user)), 403, 'second-factor-required');
  await reportUnfinishedSignIns(await getRecords(), new Date(Date.now() + 6 * 60_000));
  expect(await app.kinds()).toContain('sign-in-unfinished');
});

test('a code that was accepted marks no account whose second factor was turned off in the meantime', async () => {
  await configureOrigin({});
  const { codeAt } = await app.enrol();
  const { uid } = app.user;
  await nextSecond();
  await getIdentityAdmin().setCustomUserClaims(uid, {});
  const phone = newBrowser('phone');
  await app.begun(phone);
  const key = digest(phone.cookies[cookieTable.pendingSignIn.name] ?? '');
  const records = await getRecords();
  const { shown } = await withAccountLock(uid, async (locked) => {
    const shown = show(phone, { code: codeAt() });
    await expect.poll(() => findPendingSignIn(records, key, new Date())).toBeNull();
    await turnSecondFactorOff(locked);
    return { shown };
  });
  expectCode(await shown, 410, 'sign-in-expired');
  expect(await app.claims()).not.toHaveProperty('second_factor');
});

test('who knows the password alone keeps the owner in a known browser not from the second factor', async () => {
  const { laptop } = await app.enrol();
  await call(laptop, 'initiate-logout');
  const token = await fetchIdToken(app.user);
  const stranger = newBrowser('phone');
  for (let count = 0; count < LIMITS['pending-sign-in'].points; count += 1)
    expectCode(await open(stranger, token), 403, 'second-factor-required');
  expectCode(await open(stranger, token), 429, 'too-many-requests');
  expectCode(await open(laptop, token), 403, 'second-factor-required');
});
