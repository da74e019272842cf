// Threats: planted-factor, unproved-rename
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { getIdentityAdmin } from '@/lib/server/identity-provider/admin';
import { nextSecond } from '../support/client';
import { FOREIGN_CHANGES, interleaveProvider, type Prepared } from '../support/interleaving';
import { configureOrigin, serveRemembered } from '../support/remembered-browser';
import { createTestUser, fetchIdToken, type TestUser } from '../support/test-users';
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
};

beforeEach(() => configureOrigin({}));

describe.each(Object.entries(CHANGES))('%s', (_name, prepare) => {
  test('and a foreign change of the email at any moment in between', async () => {
    const places = await interleave(async () => {
      const user = await createTestUser();
      await getIdentityAdmin().setCustomUserClaims(user.uid, { proved_address: user.email });
      return { ...user, ...(await prepare(user)) };
    }, FOREIGN_CHANGES.email);
    expect(places).toBeGreaterThan(3);
  });
});
