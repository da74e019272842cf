// ASVS: 7.1.2, 7.5.1, 7.5.2, 10.4.9, 10.7.3
import { randomUUID } from 'node:crypto';
import type { Page } from '@playwright/test';
import { confirmWith, openSecurity, signOutEverywhere } from '../support/account-journeys';
import { expectNoViolations } from '../support/axe';
import { expect, test } from '../support/fixtures';
import { answerGoogleApi } from '../support/google-api';
import {
  getDashboardUrl,
  expectDashboard,
  signIn,
  getSignInUrl,
  submitSignIn,
  cookieHeader,
  expectSignInPage,
  sessionStatus,
} from '../support/journeys';
import { startTimedApp } from '../support/timed-app';
import { openProvider, pressProvider, signInAtProvider } from '../support/provider-window';
import type { Endpoints } from '../../scripts/lib/stack.mjs';

test('an email with an international domain is shown as its owner writes it', async ({ page, endpoints, accounts }) => {
  const local = `lena-${randomUUID().slice(0, 8)}`;
  const user = await accounts.create({ email: `${local}@xn--caf-dma.example` });
  await signIn(page, endpoints, { ...user, email: `${local}@café.example` });
  await openSecurity(page, endpoints);
  await expect(page.getByText(`${local}@café.example, confirmed`)).toBeVisible();
});

for (const theme of ['light', 'dark']) {
  test(`no accessibility violation in ${theme}`, async ({ page, endpoints, user }) => {
    await signIn(page, endpoints, user);
    await page.goto(`${endpoints.appOrigin}/security?theme=${theme}`);
    await page.getByRole('button', { name: 'Connect another account' }).click();
    await page.getByRole('button', { name: 'Connect GitHub' }).click();
    await expect(page.getByLabel('Current password', { exact: true })).toBeVisible();
    await expectNoViolations(page);
  });
}

test('a method with another email is not linked', async ({ page, endpoints, user, accounts }) => {
  await signIn(page, endpoints, user);
  await openSecurity(page, endpoints);
  await page.getByRole('button', { name: 'Connect GitHub' }).click();
  await confirmWith(page, user.password);
  const other = { email: `elsewhere-${randomUUID().slice(0, 8)}@campus.test`, name: 'Elsewhere' };
  await signInAtProvider(await openProvider(page, 'GitHub'), other);
  await expect(page.getByRole('alert').filter({ hasText: 'uses a different email address' })).toBeVisible();
  expect(await accounts.fetchMethods(user)).toEqual(['password']);
});

test('a method that belongs to another account is not linked', async ({ page, endpoints, user, accounts }) => {
  const other = await accounts.create();
  await signIn(page, endpoints, user);
  await openSecurity(page, endpoints);
  await page.getByRole('button', { name: 'Connect GitHub' }).click();
  await confirmWith(page, user.password);
  await signInAtProvider(await openProvider(page, 'GitHub'), other);
  await expect(page.getByRole('alert').filter({ hasText: 'belongs to another account' })).toBeVisible();
  expect(await accounts.fetchMethods(user)).toEqual(['password']);
});

test('a blocked popup falls back to linking by redirect', async ({ page, endpoints, user, accounts }) => {
  await signIn(page, endpoints, user);
  await page.addInitScript(() => {
    if (window.location.pathname === '/security') window.open = () => null;
  });
  await openSecurity(page, endpoints);
  await page.getByRole('button', { name: 'Connect LinkedIn' }).click();
  await confirmWith(page, user.password);
  await pressProvider(page, 'LinkedIn');
  await page.waitForURL(/emulator\/auth\/handler/);
  await signInAtProvider(page, user);
  await expect(page.getByText('Connected. You can now sign in this way')).toBeVisible();
  expect(await accounts.fetchMethods(user)).toEqual(['oidc.linkedin', 'password']);
});

test('without a password the provider reauthenticates', async ({ page, endpoints, accounts }) => {
  const identity = { email: `google-${randomUUID().slice(0, 8)}@campus.test`, name: 'Gia' };
  await page.goto(getDashboardUrl(endpoints));
  await signInAtProvider(await openProvider(page, 'Google'), identity);
  await expectDashboard(page, endpoints, identity);
  await openSecurity(page, endpoints);
  await page.getByRole('button', { name: 'Connect GitHub' }).click();
  const proof = await openProvider(page, 'Google');
  await proof.locator('.js-reuse-account', { hasText: identity.email }).click();
  await signInAtProvider(await openProvider(page, 'GitHub'), identity);
  await expect(page.getByText('Connected. You can now sign in this way')).toBeVisible();
  const uid = (await page.context().cookies()).find(({ name }) => name === 'kk_uid')?.value ?? '';
  expect(await accounts.fetchMethods({ uid })).toEqual(['github.com', 'google.com']);

  await page.getByRole('button', { name: 'Disconnect GitHub' }).click();
  const question = page.getByRole('group', { name: 'Disconnect GitHub?' });
  await expect(question).toBeFocused();
  await expect(question.getByRole('listitem').first()).toHaveText('You can still sign in with: Google.');
  await question.getByRole('button', { name: 'Disconnect GitHub' }).click();
  const again = page.getByRole('group', { name: "Confirm it's you to disconnect GitHub." });
  await expect(again).toBeFocused();
  await again.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('button', { name: 'Disconnect GitHub' })).toBeFocused();
});

test.describe('without a provider session in the browser, after five minutes,', () => {
  /** Opens a session of the app with the shifted clock. Its browser keeps only its cookies. */
  async function openOldSession(page: Page, shared: Endpoints, signIn: (endpoints: Endpoints) => Promise<void>) {
    const app = await startTimedApp(shared);
    await page.goto(`${getSignInUrl(app.endpoints)}?return_to=security`);
    await signIn(app.endpoints);
    await expect(page).toHaveURL(`${app.endpoints.appOrigin}/security`);
    const storageState = { cookies: await page.context().cookies(), origins: [] };
    const context = await page.context().browser()?.newContext({ storageState });
    if (!context) throw new Error('No browser');
    await answerGoogleApi(context);
    await app.advance(301);
    const tab = await context.newPage();
    const refused = tab.waitForResponse(/\/api\/auto-sign-in$/);
    await openSecurity(tab, app.endpoints);
    expect((await refused).status()).toBe(403);
    return { tab, stop: () => Promise.all([context.close(), app.stop()]) };
  }

  test('the password reauthenticates', async ({ page, endpoints, user, accounts }) => {
    const { tab, stop } = await openOldSession(page, endpoints, () => submitSignIn(page, user));
    await tab.getByRole('button', { name: 'Connect GitHub' }).click();
    await confirmWith(tab, 'not-my-password');
    await expect(
      tab.getByRole('alert').filter({ hasText: 'Your current password is incorrect. Try again.' }),
    ).toBeVisible();
    await expect(tab.getByLabel('Current password', { exact: true })).toBeFocused();
    await confirmWith(tab, user.password);
    await signInAtProvider(await openProvider(tab, 'GitHub'), user);
    await expect(tab.getByText('Connected. You can now sign in this way')).toBeVisible();
    expect(await accounts.fetchMethods(user)).toEqual(['github.com', 'password']);
    await stop();
  });

  test('a provider reauthenticates, with the same account only', async ({ page, endpoints, accounts }) => {
    const identity = { email: `google-${randomUUID().slice(0, 8)}@campus.test`, name: 'Gia' };
    const stranger = { email: `google-${randomUUID().slice(0, 8)}@campus.test`, name: 'Gus' };
    const { tab, stop } = await openOldSession(page, endpoints, async () =>
      signInAtProvider(await openProvider(page, 'Google'), identity),
    );
    await tab.getByRole('button', { name: 'Connect GitHub' }).click();
    await signInAtProvider(await openProvider(tab, 'Google'), stranger);
    await expect(tab.getByRole('alert').filter({ hasText: 'uses a different email address' })).toBeVisible();
    expect(await accounts.exists(stranger.email)).toBe(false);
    const proof = await openProvider(tab, 'Google');
    await proof.locator('.js-reuse-account', { hasText: identity.email }).click();
    await signInAtProvider(await openProvider(tab, 'GitHub'), identity);
    await expect(tab.getByText('Connected. You can now sign in this way')).toBeVisible();
    const uid = (await tab.context().cookies()).find(({ name }) => name === 'kk_uid')?.value ?? '';
    expect(await accounts.fetchMethods({ uid })).toEqual(['github.com', 'google.com']);
    await stop();
  });
});

test('an anonymous visitor signs in first and returns', async ({ page, endpoints, user }) => {
  await page.goto(`${endpoints.appOrigin}/security`);
  await page.getByLabel('Email', { exact: true }).fill(user.email);
  await page.getByLabel('Password', { exact: true }).fill(user.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Account and security');
  // Wait for hydration.
  await expect(page.getByRole('button', { name: 'Sign out', exact: true })).toBeVisible();
  await expect(page.getByRole('main')).toContainText(user.email);
  await expect(page.getByText(/, confirmed$/)).toBeVisible();
  await expect(page.getByText(/Last sign-in: [A-Z][a-z]+ \d{1,2}, \d{4}/)).toBeVisible();
  // The only sign-in method cannot be removed.
  await expect(page.getByText('Your only sign-in method')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Remove my password' })).toHaveCount(0);
});

test('signing out everywhere ends the sessions of all devices', async ({ page, browser, endpoints, user }) => {
  const phone = await browser.newContext();
  await signIn(await phone.newPage(), endpoints, user);
  const elsewhere = await cookieHeader(phone, endpoints);
  await signIn(page, endpoints, user);
  const here = await cookieHeader(page.context(), endpoints);
  await openSecurity(page, endpoints);
  await signOutEverywhere(page);
  await expectSignInPage(page, endpoints);
  await expect(page.getByText("You're signed out on all devices.")).toBeVisible();
  expect(await sessionStatus(endpoints, here)).toBe(401);
  await expect.poll(() => sessionStatus(endpoints, elsewhere), { timeout: 60_000 }).toBe(401);
  await phone.close();
});
