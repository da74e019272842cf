// Threats: planted-factor, unproved-rename
import { beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { isApiProblem } from '@/lib/shared/problem';
import { getIdentityAdmin } from '@/lib/server/identity-provider/admin';
import { getRecords } from '@/lib/server/records';
import { readSecondFactor } from '@/lib/server/records/second-factor';
import { turnSecondFactorOff } from '@/lib/server/second-factor/turn-off';
import { nextSecond } from '../support/client';
import { FOREIGN_CHANGES, interleaveProvider, type Prepared } from '../support/interleaving';
import { codeIn, mailsTo } from '../support/mail';
import { configureOrigin, serveRemembered } from '../support/remembered-browser';
import { createTestUser, fetchIdToken, type TestUser } from '../support/test-users';
import { SoftwareAuthenticator } from '../support/software-authenticator';
import { SoftwareApp } from '../support/totp';

const interleave = interleaveProvider();
const app = serveRemembered();
const { call, newBrowser, open, post, show } = app;
vi.setConfig({ testTimeout: 300_000 });

const waiting = { signIn: 'waiting' };

async function signIn(user: TestUser) {
  const browser = newBrowser();
  expect((await open(browser, await fetchIdToken(user))).status).toBe(200);
  return browser;
}

async function enrol(user: TestUser) {
  const laptop = await signIn(user);
  const begun = await app.begin(laptop);
  await nextSecond();
  await post(laptop, 'confirm-codes', { recoveryCode: begun.codes[0] });
  return { laptop, ...begun };
}

/** The owner's own identity: same email. */
const linkGoogle = ({ uid, email }: TestUser) =>
  getIdentityAdmin().updateUser(uid, { providerToLink: { providerId: 'google.com', uid, email } });

const CHANGES: Record<string, (user: TestUser) => Promise<Pick<Prepared, 'run'>>> = {
  'a second factor turned on': async (user) => {
    const laptop = await signIn(user);
    const { codes } = await app.begin(laptop);
    await nextSecond();
    return { run: () => call(laptop, 'second-factor/confirm-codes', { recoveryCode: codes[0] }) };
  },
  'a second factor set up for a sign-in that waits': async (user) => {
    configureOrigin({ secondFactor: { use: 'required' } });
    const phone = newBrowser('phone');
    app.expectCode(await open(phone, await fetchIdToken(user)), 403, 'second-factor-setup-required');
    const { secret } = await post(phone, 'add-app', waiting);
    await expect.poll(() => (Date.now() / 1000) % 30, { timeout: 10_000 }).toBeLessThan(25);
    const code = new SoftwareApp(secret).codeAt(Math.floor(Date.now() / 30_000) - 1);
    const { recoveryCodes } = await post(phone, 'confirm-app', { ...waiting, code });
    await nextSecond();
    return { run: () => call(phone, 'second-factor/confirm-codes', { ...waiting, recoveryCode: recoveryCodes[0] }) };
  },
  'a claim restored by a sign-in': async (user) => {
    const { codeAt } = await enrol(user);
    await getIdentityAdmin().setCustomUserClaims(user.uid, { proved_address: user.email });
    await nextSecond();
    const phone = newBrowser('phone');
    app.expectCode(await open(phone, await fetchIdToken(user)), 403, 'second-factor-required');
    return { run: () => show(phone, { code: codeAt() }) };
  },
  'an authenticator app removed': async (user) => {
    const { laptop } = await enrol(user);
    const [installed] = (await readSecondFactor(await getRecords(), user.uid)).apps;
    await nextSecond();
    return { run: () => call(laptop, 'second-factor/remove-app', { id: installed?.id }) };
  },
  'a second factor turned off by an operator': async (user) => {
    await enrol(user);
    // An operator repeats what has failed because the account had to be restored.
    const isRestored = (error: unknown) => isApiProblem(error) && error.code === 'token-revoked';
    return {
      run: () => turnSecondFactorOff(user.uid).catch((error: unknown) => void expect(error).toSatisfy(isRestored)),
    };
  },
  'a password changed': async (user) => {
    const laptop = await signIn(user);
    const body = { current: user.password, password: 'quiet-lantern-42' };
    return { run: () => call(laptop, 'account/password', body) };
  },
  'a password reset with a code': async (user) => {
    const browser = newBrowser();
    await call(browser, 'password-reset', { email: user.email });
    const code = codeIn((await mailsTo({ mailboxUrl: inject('mailboxUrl') }, user.email, 1)).at(-1) ?? { text: '' });
    return { run: () => call(browser, 'password-reset/confirm', { code, password: 'quiet-lantern-42' }) };
  },
  'a passkey added': async (user) => {
    const laptop = await signIn(user);
    const { body } = await call(laptop, 'passkeys/creation-options', { source: 'settings' });
    const { options, challenge } = body as {
      options: Parameters<SoftwareAuthenticator['create']>[0];
      challenge: string;
    };
    const response = new SoftwareAuthenticator().create(options);
    return { run: () => call(laptop, 'passkeys/add', { challenge, response }) };
  },
  'a method unlinked': async (user) => {
    await linkGoogle(user);
    const laptop = await signIn(user);
    const token = await fetchIdToken(user);
    return { run: () => call(laptop, 'account/unlink-method', { token, method: 'google.com' }) };
  },
  'a deletion requested': async (user) => {
    const laptop = await signIn(user);
    const token = await fetchIdToken(user);
    return { run: () => call(laptop, 'account/delete', { token }) };
  },
};

beforeEach(() => configureOrigin({}));

describe.each(Object.entries(CHANGES))('%s', (_name, prepare) => {
  test('and a foreign change of the email at any moment in between', async () => {
    const moments = await interleave(async () => {
      const user = await createTestUser();
      await getIdentityAdmin().setCustomUserClaims(user.uid, { proved_address: user.email });
      return { ...user, ...(await prepare(user)) };
    }, FOREIGN_CHANGES.email);
    expect(moments).toBeGreaterThan(3);
  });
});
