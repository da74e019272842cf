// Threats: stale-tab
import type { Request } from '@playwright/test';
import { getAlert, openSecurity, signOutEverywhere } from '../support/account-journeys';
import { expect, test } from '../support/fixtures';
import { expectSignInPage, sessionStatus, signIn } from '../support/journeys';
import type { AccountsClient, TestUser } from '../support/accounts-client';
import { changeUser, openStaleTab } from '../support/stale-tab-journeys';

/** Another device's session. */
const openElsewhere = async (accounts: AccountsClient, user: TestUser) =>
  `_secure-user-session=${await accounts.createSession(user, 600)}`;

test('"Sign out everywhere" of a stale tab does not end the sessions of the next user', async ({
  context,
  endpoints,
  accounts,
}) => {
  const { first, second, stale } = await openStaleTab(context, endpoints, accounts);
  const devices = [await openElsewhere(accounts, first), await openElsewhere(accounts, second)];
  const refused = stale.waitForResponse('**/api/account/sign-out-everywhere');
  await signOutEverywhere(stale);
  expect((await refused).status()).toBe(409);
  await expect(stale.getByText(second.email).first()).toBeVisible();
  await expect(stale.getByText(first.email)).toHaveCount(0);
  for (const device of devices) expect(await sessionStatus(endpoints, device)).toBe(200);
});

test('a stale tab shows the next user at once', async ({ context, endpoints, accounts }) => {
  const { first, second, stale } = await openStaleTab(context, endpoints, accounts);
  await stale.bringToFront();
  await stale.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
  await expect(stale.getByText(second.email).first()).toBeVisible();
  await expect(stale.getByText(first.email)).toHaveCount(0);
});

test('a sign-in in another tab is checked without a focus, and the page is loaded once', async ({
  context,
  endpoints,
  accounts,
}) => {
  const [first, second] = [await accounts.create(), await accounts.create()];
  const tab = await context.newPage();
  await signIn(tab, endpoints, first);
  const stale = await context.newPage();
  await openSecurity(stale, endpoints);
  const loads: string[] = [];
  stale.on('request', (request: Request) => {
    if (request.isNavigationRequest()) loads.push(request.url());
  });
  await changeUser(tab, endpoints, second);
  await expect(stale.getByText(second.email).first()).toBeVisible();
  expect(loads).toEqual([`${endpoints.appOrigin}/security`]);
});

test('the form of /sign-out signs out only the user it names', async ({ context, endpoints, accounts }) => {
  const { first, second, stale } = await openStaleTab(context, endpoints, accounts, '/sign-out');
  await stale.getByRole('button', { name: 'Sign out', exact: true }).click();
  await expect(getAlert(stale)).toHaveText(/different account/);
  await expect(stale.getByText(second.email)).toBeVisible();
  await expect(stale.getByText(first.email)).toHaveCount(0);
  await stale.getByRole('button', { name: 'Sign out', exact: true }).click();
  await expectSignInPage(stale, endpoints);
});

test('the form of /sign-out signs the other tabs out at once', async ({ context, endpoints, user }) => {
  const tab = await context.newPage();
  await signIn(tab, endpoints, user);
  const other = await context.newPage();
  await openSecurity(other, endpoints);
  await tab.goto(`${endpoints.appOrigin}/sign-out?redirect_uri=${encodeURIComponent(`${endpoints.platformOrigin}/`)}`);
  await tab.getByRole('button', { name: 'Sign out', exact: true }).click();
  await expect(tab).toHaveURL(`${endpoints.platformOrigin}/`);
  await expectSignInPage(other, endpoints);
});

const NEW_PASSWORD = 'another-horse-8-battery';

test('a stale tab does not change the password of the next user', async ({ context, endpoints, accounts }) => {
  const { second, stale } = await openStaleTab(context, endpoints, accounts, '/account-settings/change-password');
  await stale.getByLabel('Current password', { exact: true }).fill(second.password);
  await stale.getByLabel('New password', { exact: true }).fill(NEW_PASSWORD);
  const refused = stale.waitForResponse('**/api/account/password');
  await stale.getByRole('button', { name: 'Change password' }).click();
  expect((await refused).status()).toBe(409);
  await expect(stale.getByText(second.name)).toBeVisible();
  await expect(stale.getByLabel('New password', { exact: true })).toHaveValue('');
  await accounts.idToken(second);
});

test('the sign-out button of a stale tab does not sign the next user out', async ({ context, endpoints, accounts }) => {
  const { second, stale } = await openStaleTab(context, endpoints, accounts, '/app-shell');
  const refused = stale.waitForResponse('**/api/initiate-logout');
  await stale.getByRole('button', { name: 'Sign out', exact: true }).click();
  expect((await refused).status()).toBe(409);
  await expect(stale.getByText(second.name)).toBeVisible();
  await expect(stale).toHaveURL(`${endpoints.appOrigin}/app-shell`);
});
