// ASVS: 6.3.3, 6.3.4
// Threats: factor-skipped
import { mkdtempSync, utimesSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { SecondFactorRule } from '@/lib/shared/config/second-factor-rule';
import { getIdentityAdmin } from '@/lib/server/identity-provider/admin';
import { createAccountsClient } from '../support/accounts-client';
import { nextSecond, type CookieJar } from '../support/client';
import { serveSecondFactor } from '../support/second-factor-app';
import { createWays } from '../support/second-factor-ways';
import { SoftwareAuthenticator } from '../support/software-authenticator';
import { SoftwareApp } from '../support/totp';
import { fetchIdToken, shiftIdToken } from '../support/test-users';

const folder = mkdtempSync(path.join(os.tmpdir(), 'second-factor-rules-'));
const [origins, directory] = [path.join(folder, 'origins.json'), path.join(folder, 'directory.json')];
Object.assign(process.env, { ORIGINS_FILE: origins, DIRECTORY_FILE: directory });

let version = 1;
/** The rules of the origin and of the organization. */
function configure({ origin, acme }: { origin?: SecondFactorRule | undefined; acme?: SecondFactorRule | undefined }) {
  const enabledIdentities = ['password', 'google.com', 'enterprise'];
  const entries = {
    [origins]: { origins: { 'http://localhost': { enabledIdentities, secondFactor: origin } } },
    [directory]: {
      enterprises: {
        'acme.test': { name: 'Acme', provider: 'saml.acme', secondFactor: acme },
        'vault.test': { name: 'Vault', provider: 'saml.vault', countsAsTwoFactors: true, secondFactor: acme },
      },
    },
  };
  version += 1;
  for (const [file, content] of Object.entries(entries)) {
    writeFileSync(file, JSON.stringify(content));
    // Two writes within one clock tick must still be two versions.
    utimesSync(file, version, version);
  }
}
configure({});

const app = serveSecondFactor();
const { call, newBrowser, expectCode, enrol, show, assurance, advance, post } = app;
const { ways, joinOrganization, byOrganization } = createWays(app);
const emulator = { emulatorHost: process.env.FIREBASE_AUTH_EMULATOR_HOST ?? '', projectId: 'demo-campus' };
const accounts = createAccountsClient(emulator);
const SET_UP = 'second-factor-setup-required';
const REQUIRED = { use: 'required' } as const;
const RULES: [string, SecondFactorRule | undefined, boolean][] = [
  ['nothing', undefined, false],
  ['off', { use: 'off' }, false],
  ['optional', { use: 'optional' }, false],
  ['required', REQUIRED, true],
  ['required since a day', { use: 'required', from: '2020-01-01' }, true],
  ['required for its access level', { use: 'required', accessLevels: ['standard'] }, true],
  ['required for another access level', { use: 'required', accessLevels: ['staff'] }, false],
  ['announced', { use: 'required', from: '2999-01-01' }, false],
];
const waiting = { signIn: 'waiting' };

beforeEach(() => configure({}));

/** Begins an app by a sign-in that waits. @returns how to finish it */
async function beginWaiting(browser: CookieJar) {
  const { secret } = await post(browser, 'add-app', waiting);
  const software = new SoftwareApp(secret);
  const codeAt = (offset: number) => software.codeAt(Math.floor((Date.now() / 1000 + offset) / 30));
  const { recoveryCodes } = await post(browser, 'confirm-app', { ...waiting, code: codeAt(-30) });
  await nextSecond();
  const finish = (from = browser) => call(from, 'second-factor/confirm-codes', { ...waiting, recoveryCode: recoveryCodes[0] }); // prettier-ignore
  return { finish, codeAt };
}

const wait = async (browser = newBrowser('phone')) => {
  configure({ origin: REQUIRED });
  expectCode(await app.open(browser, await fetchIdToken(app.user)), 403, SET_UP);
  return browser;
};

describe.each(Object.entries(ways))('%s', (name, signIn) => {
  beforeEach(() => (name.startsWith('an organization') ? joinOrganization('saml.acme', 'acme.test') : undefined));

  test.each(RULES)(
    'an account without a second factor, where the origin says: %s',
    async (_rule, origin, isRequired) => {
      configure({ origin });
      const browser = newBrowser('phone');
      const answer = await signIn(browser);
      if (isRequired) {
        expectCode(answer, 403, SET_UP);
        expect(Object.keys(browser.cookies)).not.toContain('_secure-user-session');
        expect(browser.cookies['pending-sign-in']).toBeDefined();
        expect(JSON.stringify(answer.body)).not.toMatch(/token/i);
      } else {
        expect(answer).toMatchObject({ status: 200 });
        expect(await assurance(browser)).toBe(1);
        expect(answer.body?.secondFactorFrom).toBe(origin && 'from' in origin ? '2999-01-01' : undefined);
      }
    },
  );

  test.each([RULES[1], RULES[3]] as typeof RULES)(
    'one with a second factor is asked for it: %s',
    async (_rule, origin) => {
      await enrol();
      await nextSecond();
      configure({ origin });
      expectCode(await signIn(newBrowser('phone')), 403, 'second-factor-required');
    },
  );

  test('sets one up, and goes on', async () => {
    configure({ origin: REQUIRED });
    const browser = newBrowser('phone');
    expectCode(await signIn(browser), 403, SET_UP);
    const { finish, codeAt } = await beginWaiting(browser);
    const done = await finish();
    expect(done).toMatchObject({ status: 200, body: { uid: app.user.uid, email: app.user.email } });
    expect(browser.cookies['pending-sign-in']).toBeUndefined();
    expect(await assurance(browser)).toBe(2);
    expect(await app.kinds()).toEqual(expect.arrayContaining(['second-factor-on', 'signed-in']));
    await nextSecond();
    expect((await app.renew(browser)).status).toBe(200);
    // It is asked for from now on.
    const other = newBrowser();
    await app.begun(other, name.startsWith('a password reset') ? await fetchIdToken({ ...app.user, password: 'quiet-lantern-42' }) : undefined); // prettier-ignore
    expect(await show(other, { code: codeAt(0) })).toMatchObject({ status: 200 });
  });
});

describe('an organization', () => {
  beforeEach(() => joinOrganization('saml.acme', 'acme.test'));

  test.each(RULES)('asks at every sign-in of its accounts: %s', async (_rule, acme, isRequired) => {
    const open = newBrowser();
    expect(await byOrganization(open, 'saml.acme')).toMatchObject({ status: 200 });
    configure({ acme });
    const answers = [await byOrganization(newBrowser(), 'saml.acme'), await app.open(newBrowser(), await fetchIdToken(app.user))]; // prettier-ignore
    for (const answer of answers) {
      if (isRequired) expectCode(answer, 403, SET_UP);
      else expect(answer.status).toBe(200);
    }
    // A session is one of every origin: only the organization's rule ends it, when it is checked again.
    advance(21);
    expect(await app.check(open)).toBe(isRequired ? 401 : 200);
  });

  test('of which none manages the account asks nothing', async () => {
    configure({ acme: REQUIRED });
    await joinOrganization('saml.acme', 'campus.test');
    expect(await app.open(newBrowser(), await fetchIdToken(app.user))).toMatchObject({ status: 200 });
  });

  test('whose sign-in counts as two is satisfied by it', async () => {
    configure({ acme: REQUIRED, origin: REQUIRED });
    await joinOrganization('saml.vault', 'vault.test');
    expect(await byOrganization(newBrowser(), 'saml.vault')).toMatchObject({ status: 200 });
    expectCode(await app.open(newBrowser(), await fetchIdToken(app.user)), 403, SET_UP);
  });
});

test('a passkey satisfies every rule', async () => {
  const authenticator = new SoftwareAuthenticator();
  await app.enroll(authenticator);
  configure({ origin: REQUIRED });
  const browser = newBrowser('phone');
  expect(await app.use(browser, authenticator)).toMatchObject({ status: 200 });
  expect(await assurance(browser)).toBe(2);
});

test('the access level is that of the claim', async () => {
  await getIdentityAdmin().setCustomUserClaims(app.user.uid, { accessLevel: 'staff' });
  configure({ origin: { use: 'required', accessLevels: ['staff'] } });
  expectCode(await app.open(newBrowser(), await fetchIdToken(app.user)), 403, SET_UP);
});

test('a rule that cannot be read requires one', async () => {
  configure({ origin: { use: 'sometimes' } as unknown as SecondFactorRule });
  expectCode(await app.open(newBrowser(), await fetchIdToken(app.user)), 403, SET_UP);
});

test('an open session is renewed, and its user proves themselves, at an origin that requires more', async () => {
  const laptop = newBrowser();
  await app.signIn(laptop);
  configure({ origin: REQUIRED });
  await nextSecond();
  expect((await app.renew(laptop)).status).toBe(200);
  await post(laptop, 'add-app', { token: await fetchIdToken(app.user) });
});

describe('a sign-in that waits sets nothing up', () => {
  test('of an account that has a second factor', async () => {
    const { codeAt } = await enrol();
    await nextSecond();
    configure({ origin: REQUIRED });
    const stranger = newBrowser('phone');
    await app.begun(stranger);
    expectCode(await call(stranger, 'second-factor/add-app', waiting), 410, 'sign-in-expired');
    expectCode(
      await call(stranger, 'second-factor/confirm-app', { ...waiting, code: codeAt() }),
      410,
      'sign-in-expired',
    );
    expectCode(await call(stranger, 'second-factor/confirm-codes', { ...waiting, recoveryCode: 'x' }), 410, 'sign-in-expired'); // prettier-ignore
  });

  test('of one whose claim an operator has removed', async () => {
    await enrol();
    await nextSecond();
    await getIdentityAdmin().setCustomUserClaims(app.user.uid, {});
    configure({ origin: REQUIRED });
    const stranger = newBrowser('phone');
    expectCode(await app.open(stranger, await fetchIdToken(app.user)), 403, 'second-factor-required');
    expectCode(await call(stranger, 'second-factor/add-app', waiting), 410, 'sign-in-expired');
  });

  test('that had one set up by another browser since', async () => {
    const [phone, stranger] = [await wait(), await wait(newBrowser('laptop'))];
    const late = await beginWaiting(stranger);
    const first = await beginWaiting(phone);
    // The app and the codes of the one that began last are set up.
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
    configure({});
    const signedIn = newBrowser();
    await app.signIn(signedIn);
    expectCode(await call(signedIn, 'second-factor/add-app', waiting), 410, 'sign-in-expired');
  });

  test('after half an hour', async () => {
    const [early, late] = [await wait(), await wait()];
    advance(1_799);
    await post(early, 'add-app', waiting);
    advance(2);
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
    configure({ origin: REQUIRED });
    const token = shiftIdToken(await fetchIdToken(app.user), -301);
    const browser = newBrowser();
    expect([401, 403]).toContain((await app.open(browser, token)).status);
    expect(browser.cookies['pending-sign-in']).toBeUndefined();
  });
});

test('an account that is not verified confirms its address first', async () => {
  configure({ origin: REQUIRED });
  await accounts.setUnverified(app.user);
  expectCode(await app.open(newBrowser(), await fetchIdToken(app.user)), 403, 'email-not-verified');
});
