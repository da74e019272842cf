// ASVS: 6.2.2, 7.4.3
import type { BrowserContext, Page } from '@playwright/test';
import { getAlert, fillNewPassword, NEW_PASSWORD, lastMail } from '../support/account-journeys';
import { expect, test } from '../support/fixtures';
import { cookieHeader, expectDashboard, signIn, submitSignIn, sessionStatus } from '../support/journeys';
import { startProxy } from '../support/proxy';
import { startOtherApp } from '../../scripts/lib/stack.mjs';

/** Opens a browser with the same cookies and empty storage, in which the identity provider's SDK has no user. */
async function tabWithoutStorage(context: BrowserContext): Promise<Page> {
  const storageState = { cookies: await context.cookies(), origins: [] };
  const fresh = await context.browser()?.newContext({ storageState });
  if (!fresh) throw new Error('No browser');
  return fresh.newPage();
}

test('a learner whose session has ended signs in again, and returns', async ({ page, context, endpoints, user }) => {
  const address = `${endpoints.appOrigin}/account-settings/change-password`;
  await page.goto(address);
  await submitSignIn(page, user);
  await page.getByLabel('Current password', { exact: true }).fill(user.password);
  await fillNewPassword(page);
  const headers = { cookie: await cookieHeader(context, endpoints), origin: endpoints.appOrigin };
  // Block the page's own check, because it would notice the ended session and leave before the button is used.
  const ownCheck = '**/api/check-auth-status';
  await page.route(ownCheck, (route) => route.abort());
  await fetch(`${endpoints.appOrigin}/api/initiate-logout`, { method: 'POST', headers });
  await page.getByRole('button', { name: 'Change password' }).click();
  await expect(getAlert(page)).toContainText('Sign in again to make this change.');
  await page.getByRole('button', { name: 'Sign in again' }).click();
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue(user.email);
  await page.unroute(ownCheck);
  await submitSignIn(page, user);
  await expect(page).toHaveURL(address);
});

test('the password is changed without a user at the identity provider in this browser', async ({
  context,
  page,
  endpoints,
  user,
}) => {
  await signIn(page, endpoints, user);
  const tab = await tabWithoutStorage(context);
  // Auto sign-in would sign the user in to the SDK again.
  await tab.route(/\/api\/auto-sign-in$/, (route) => route.abort());
  await tab.goto(`${endpoints.appOrigin}/account-settings/change-password`);
  await expect(tab.getByRole('button', { name: 'Sign out' })).toBeVisible();
  await tab.getByLabel('Current password', { exact: true }).fill(user.password);
  await fillNewPassword(tab);
  await tab.getByRole('button', { name: 'Change password' }).click();
  await expect(tab.getByRole('heading', { name: 'Your password has been changed' })).toBeVisible();
  // The password change has signed in the user to the SDK again.
  await tab.goto(`${endpoints.appOrigin}/security`);
  await tab.getByRole('button', { name: 'Connect another account' }).click();
  await tab.getByRole('button', { name: 'Connect GitHub' }).click();
  await tab.getByLabel('Current password', { exact: true }).fill(NEW_PASSWORD);
  await tab.getByRole('button', { name: 'Confirm', exact: true }).click();
  await expect(tab.getByRole('button', { name: 'Continue with GitHub' })).toBeVisible();
  await tab.context().close();
});

test('the first-login page requires a sign-in', async ({ page, endpoints }) => {
  await page.goto(`${endpoints.appOrigin}/first-login-reset-password`);
  await expect(page).toHaveURL(`${endpoints.appOrigin}/sign-in`);
});

test('the first-login page leads a signed-in user on', async ({ page, endpoints, user }) => {
  await signIn(page, endpoints, user);
  await page.goto(`${endpoints.appOrigin}/first-login-reset-password`);
  await expectDashboard(page, endpoints, user);
});

test('a guessable password is refused, and the current one stays valid', async ({ page, endpoints, user }) => {
  const address = `${endpoints.appOrigin}/account-settings/change-password`;
  await page.goto(address);
  await submitSignIn(page, user);
  await page.getByLabel('Current password', { exact: true }).fill(user.password);
  await fillNewPassword(page, 'iloveyou1');
  await page.getByRole('button', { name: 'Change password' }).click();
  await expect(getAlert(page)).toHaveText(/This password is too common/);
});

test.describe('a legacy account', () => {
  test('is sent to the legacy sign-in: V2FirstLogin', async ({ page, endpoints: shared, accounts }) => {
    const legacy = `${shared.platformOrigin}/?old-sign-in`;
    const { endpoints, stop } = await startOtherApp(shared, {
      NEXT_PUBLIC_ROLLOUT_MODE: 'V2FirstLogin',
      NEXT_PUBLIC_LEGACY_SIGN_IN_URL: legacy,
    });
    const user = await accounts.create();
    await accounts.markLegacy(user);
    await page.goto(`${endpoints.appOrigin}/sign-in`);
    await submitSignIn(page, user);
    await expect(page).toHaveURL(legacy);
    await stop();
  });

  test('signs in, and is invited the next time: V3AndV2', async ({ page, endpoints, accounts }) => {
    const user = await accounts.create();
    await accounts.markLegacy(user);
    await signIn(page, endpoints, user);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await expect(page).toHaveURL(`${endpoints.platformOrigin}/`);
    await page.goto(`${endpoints.appOrigin}/sign-in`);
    await page.getByRole('link', { name: 'Choose a new password' }).click();
    await expect(page).toHaveURL(`${endpoints.appOrigin}/forget-password`);
  });
});

test('a password is set although no session can be made: the learner is told, and signs in with it', async ({
  page,
  endpoints: shared,
  accounts,
}) => {
  const nothingListens = 1;
  let isOut = false;
  const provider = await startProxy((path) =>
    isOut && path.endsWith(':createSessionCookie') ? nothingListens : undefined,
  );
  provider.passTo(`http://${shared.emulatorHost}`);
  const { endpoints, stop } = await startOtherApp(shared, {
    NEXT_PUBLIC_ROLLOUT_MODE: 'V3FirstLogin',
    FIREBASE_AUTH_EMULATOR_HOST: new URL(provider.origin).host,
  });
  const user = await accounts.create();
  await accounts.markLegacy(user);
  const signInWith = async (password: string) => {
    await expect(page).toHaveURL(`${endpoints.appOrigin}/forget-password/confirmation`);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Your password has been changed');
    isOut = false;
    await page.getByRole('link', { name: 'Sign in' }).click();
    const other = page.getByRole('button', { name: 'Use another account' });
    const email = page.getByLabel('Email', { exact: true });
    await expect(other.or(email)).toBeVisible();
    if (await other.isVisible()) await other.click();
    await submitSignIn(page, { email: user.email, password });
    await expectDashboard(page, endpoints, user);
  };

  await page.goto(`${endpoints.appOrigin}/sign-in`);
  await submitSignIn(page, user);
  await expect(page).toHaveURL(`${endpoints.appOrigin}/first-login-reset-password`);
  isOut = true;
  await fillNewPassword(page);
  await page.getByRole('button', { name: 'Reset password' }).click();
  await signInWith(NEW_PASSWORD);

  await page.goto(`${endpoints.appOrigin}/account-settings/change-password`);
  await page.getByLabel('Current password', { exact: true }).fill(NEW_PASSWORD);
  await fillNewPassword(page, user.password);
  isOut = true;
  await page.getByRole('button', { name: 'Change password' }).click();
  await signInWith(user.password);
  await stop();
  await provider.stop();
});

test('changing the password keeps this browser signed in and ends all others', async ({
  page,
  context,
  endpoints,
  user,
  browser,
}) => {
  const elsewhere = await browser.newContext();
  await signIn(await elsewhere.newPage(), endpoints, user);
  const other = await cookieHeader(elsewhere, endpoints);
  const address = `${endpoints.appOrigin}/account-settings/change-password`;
  await page.goto(address);
  await submitSignIn(page, user);
  await expect(page).toHaveURL(address);

  await page.getByLabel('Current password', { exact: true }).fill('not-my-password');
  await fillNewPassword(page);
  await page.getByRole('button', { name: 'Change password' }).click();
  await expect(getAlert(page)).toHaveText('Your current password is incorrect. Try again.');
  await expect(page.getByLabel('Current password', { exact: true })).toBeFocused();

  await page.getByLabel('Current password', { exact: true }).fill(user.password);
  await page.getByRole('button', { name: 'Change password' }).click();
  await expect(page.getByRole('heading', { name: 'Your password has been changed' })).toBeVisible();
  expect(await sessionStatus(endpoints, other)).toBe(401);
  expect(await sessionStatus(endpoints, await cookieHeader(context, endpoints))).toBe(200);
  expect((await lastMail(endpoints, user.email)).subject).toBe('Your Campus password was changed');
  await page.reload();
  await expect(page.getByLabel('Current password', { exact: true })).toBeVisible();
  await page.getByRole('link', { name: 'Forgot password?' }).click();
  await expect(page.getByRole('heading', { name: 'Forgot your password?' })).toBeVisible();
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue(user.email);
  await elsewhere.close();
});
