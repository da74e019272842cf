// ASVS: 7.1.2, 7.5.1, 7.5.2, 10.4.9, 10.7.3
import { confirmWith, openSecurity, signOutEverywhere } from '../support/account-journeys';
import { expect, test } from '../support/fixtures';
import { cookieHeader, expectSignInPage, sessionStatus, signIn } from '../support/journeys';
import { openProvider, signInAtProvider } from '../support/provider-window';

test('an anonymous visitor signs in first and returns', async ({ page, endpoints, user }) => {
  await page.goto(`${endpoints.appOrigin}/security`);
  await page.getByLabel('Email', { exact: true }).fill(user.email);
  await page.getByLabel('Password', { exact: true }).fill(user.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Security');
  // Wait for hydration.
  await expect(page.getByRole('button', { name: 'Sign out', exact: true })).toBeVisible();
  await expect(page.getByRole('main')).toContainText(user.email);
  await expect(page.getByText('is confirmed.')).toBeVisible();
  await expect(page.getByText(/Last sign-in: [A-Z][a-z]+ \d{1,2}, \d{4}/)).toBeVisible();
  // The only sign-in method cannot be removed.
  await expect(page.getByText('Your only sign-in method')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Remove my password' })).toHaveCount(0);
});

test('a method is linked and unlinked, each after reauthentication', async ({ page, endpoints, user, accounts }) => {
  await signIn(page, endpoints, user);
  await openSecurity(page, endpoints);
  await page.getByRole('button', { name: 'Connect GitHub' }).click();
  await confirmWith(page, 'not-my-password');
  await expect(page.getByRole('alert').filter({ hasText: /\S/ })).toBeVisible();
  await confirmWith(page, user.password);
  await expect(page.getByRole('group', { name: "Thanks, that's you. Now connect GitHub." })).toBeFocused();
  await signInAtProvider(await openProvider(page, 'GitHub'), user);
  await expect(page.getByText('Connected. You can now sign in this way')).toBeVisible();
  expect(await accounts.fetchMethods(user)).toEqual(['github.com', 'password']);

  await page.getByRole('button', { name: 'Disconnect GitHub' }).click();
  await confirmWith(page, user.password, 'Disconnect GitHub');
  await expect(page.getByText('Disconnected. You can no longer sign in')).toBeVisible();
  expect(await accounts.fetchMethods(user)).toEqual(['password']);
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
  await expect(page.getByText("You've been signed out. Sign in to continue.").first()).toBeVisible();
  expect(await sessionStatus(endpoints, here)).toBe(401);
  await expect.poll(() => sessionStatus(endpoints, elsewhere), { timeout: 60_000 }).toBe(401);
  await phone.close();
});
