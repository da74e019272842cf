// ASVS: 7.5.1
import type { Page } from '@playwright/test';
import { confirmWith, getAlert, openSecurity } from '../support/account-journeys';
import { expect, test } from '../support/fixtures';
import { cookieHeader, signIn, submitSignIn } from '../support/journeys';
import { openProvider, signInAtProvider } from '../support/provider-window';
import type { Endpoints } from '../../scripts/lib/stack.mjs';
import type { TestUser } from '../support/accounts-client';

const connected = (page: Page) => page.getByText('Connected. You can now sign in this way.');
const disconnected = (page: Page) => page.getByText('Disconnected. You can no longer sign in this way.');
const passwordRemoved = (page: Page) => page.getByText('Your password is removed.');

async function connectGoogle(page: Page, user: TestUser): Promise<void> {
  await page.getByRole('button', { name: 'Connect Google' }).click();
  await confirmWith(page, user.password);
  await signInAtProvider(await openProvider(page, 'Google'), user);
  await expect(connected(page)).toBeVisible();
}

/** Ends the page's session as another device or tab would, without a message to this tab. */
async function endSessionElsewhere(page: Page, endpoints: Endpoints): Promise<void> {
  const headers = { cookie: await cookieHeader(page.context(), endpoints), origin: endpoints.appOrigin };
  const response = await fetch(`${endpoints.appOrigin}/api/initiate-logout`, { method: 'POST', headers });
  expect(response.status).toBe(200);
}

test('the email stays on the account without its password', async ({ page, endpoints, user, accounts }) => {
  await signIn(page, endpoints, user);
  await openSecurity(page, endpoints);
  await connectGoogle(page, user);
  const google = page.getByRole('listitem').filter({ hasText: 'Google' });
  await expect(google.locator('img[src="/providers/google.svg"]')).toBeVisible();
  await page.getByRole('button', { name: 'Remove my password' }).click();
  await confirmWith(page, user.password, 'Remove my password');
  await expect(passwordRemoved(page)).toBeVisible();
  await expect(page.getByText(`${user.email}, confirmed`)).toBeVisible();
  expect(await accounts.exists(user.email)).toBe(true);
  expect(await accounts.fetchMethods(user)).toEqual(['google.com']);
  await expect(page.getByText('Your only sign-in method')).toBeVisible();
  await expect(page.getByText('To stop using Google, connect another account first.')).toBeVisible();
});

test('a tab opened before a change shows the methods of now', async ({ page, context, endpoints, user }) => {
  await signIn(page, endpoints, user);
  await openSecurity(page, endpoints);
  await connectGoogle(page, user);
  const stale = await context.newPage();
  await openSecurity(stale, endpoints);
  await page.getByRole('button', { name: 'Remove my password' }).click();
  await confirmWith(page, user.password, 'Remove my password');
  await expect(passwordRemoved(page)).toBeVisible();

  await stale.getByRole('button', { name: 'Connect GitHub' }).click();
  await expect(stale.getByRole('button', { name: 'Confirm with Google' })).toBeVisible();
  await expect(stale.getByLabel('Current password', { exact: true })).toHaveCount(0);
});

test('a method removed in another tab is not asked about again', async ({ page, context, endpoints, user }) => {
  await signIn(page, endpoints, user);
  await openSecurity(page, endpoints);
  await connectGoogle(page, user);
  const stale = await context.newPage();
  await openSecurity(stale, endpoints);
  await page.getByRole('button', { name: 'Remove my password' }).click();
  await confirmWith(page, user.password, 'Remove my password');
  await expect(passwordRemoved(page)).toBeVisible();

  await stale.getByRole('button', { name: 'Disconnect Google' }).click();
  await expect(stale.getByText('Your only sign-in method')).toBeVisible();
  await expect(stale.getByRole('heading', { name: 'Sign-in methods' })).toBeFocused();
});

test('a session that ended elsewhere leads to sign-in and back to the change', async ({ page, endpoints, user }) => {
  await signIn(page, endpoints, user);
  await openSecurity(page, endpoints);
  await endSessionElsewhere(page, endpoints);
  await page.getByRole('button', { name: 'Connect Google' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in');
  await expect(page.getByText("You've been signed out. Sign in to continue.").first()).toBeVisible();
  await submitSignIn(page, user);
  await expect(page.getByText("Confirm it's you first, then connect Google.")).toBeVisible();
  await confirmWith(page, user.password);
  await signInAtProvider(await openProvider(page, 'Google'), user);
  await expect(connected(page)).toBeVisible();
});

test('a session that ends during the change, too', async ({ page, endpoints, user, accounts }) => {
  await signIn(page, endpoints, user);
  await openSecurity(page, endpoints);
  await page.getByRole('button', { name: 'Connect Google' }).click();
  await expect(page.getByLabel('Current password', { exact: true })).toBeVisible();
  await endSessionElsewhere(page, endpoints);
  await confirmWith(page, user.password);
  await expect(getAlert(page)).toContainText('Sign in again to make this change.');
  await page.getByRole('button', { name: 'Sign in again' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in');
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue(user.email);
  await submitSignIn(page, user);
  await expect(page.getByText("Confirm it's you first, then connect Google.")).toBeVisible();
  expect(await accounts.fetchMethods(user)).toEqual(['password']);
});

test('a change that was interrupted is not resumed for another user', async ({ page, endpoints, user, accounts }) => {
  await signIn(page, endpoints, user);
  await openSecurity(page, endpoints);
  await endSessionElsewhere(page, endpoints);
  await page.getByRole('button', { name: 'Connect Google' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in');
  await submitSignIn(page, await accounts.create());
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Account and security');
  await expect(page.getByRole('button', { name: 'Connect another account' })).toBeVisible();
  await expect(page.getByText("Confirm it's you first")).toHaveCount(0);
});

test('a closed popup leaves the change open, and is noticed within a second', async ({ page, endpoints, user }) => {
  await page.clock.install();
  await signIn(page, endpoints, user);
  await openSecurity(page, endpoints);
  await page.getByRole('button', { name: 'Connect Google' }).click();
  await confirmWith(page, user.password);
  const popup = await openProvider(page, 'Google');
  await page.clock.pauseAt(Date.now() + 60_000);
  await popup.close();
  await page.clock.runFor(1_000);
  await expect(getAlert(page)).toContainText('You closed the sign-in window.');
  await page.clock.resume();
  await signInAtProvider(await openProvider(page, 'Google'), user);
  await expect(connected(page)).toBeVisible();
});

test('canceling a change closes its popup', async ({ page, endpoints, user, accounts }) => {
  await signIn(page, endpoints, user);
  await openSecurity(page, endpoints);
  await page.getByRole('button', { name: 'Connect Google' }).click();
  await confirmWith(page, user.password);
  const popup = await openProvider(page, 'Google');
  const closed = popup.waitForEvent('close');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await closed;
  await expect(page.getByRole('button', { name: 'Connect Google' })).toBeFocused();
  expect(await accounts.fetchMethods(user)).toEqual(['password']);
});

test('a removed method can be connected again at once, without signing in again', async ({ page, endpoints, user }) => {
  await signIn(page, endpoints, user);
  await openSecurity(page, endpoints);
  await connectGoogle(page, user);
  await page.getByRole('button', { name: 'Disconnect Google' }).click();
  await confirmWith(page, user.password, 'Disconnect Google');
  await expect(disconnected(page)).toBeVisible();
  await connectGoogle(page, user);
});

test('a removed method signs other browsers out', async ({ page, browser, endpoints, user }) => {
  await signIn(page, endpoints, user);
  await openSecurity(page, endpoints);
  await connectGoogle(page, user);
  const other = await (await browser.newContext()).newPage();
  await signIn(other, endpoints, user);
  await page.getByRole('button', { name: 'Disconnect Google' }).click();
  await confirmWith(page, user.password, 'Disconnect Google');
  await expect(disconnected(page)).toBeVisible();
  await openSecurity(page, endpoints);
  await other.goto(`${endpoints.appOrigin}/security`);
  await expect(other.getByRole('heading', { level: 1 })).toHaveText('Sign in');
  await other.context().close();
});
