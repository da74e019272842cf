// ASVS: 7.1.3, 7.3.2, 7.4.4, 7.6.1
import type { Page } from '@playwright/test';
import { expectNoViolations } from '../support/axe';
import { expect, test } from '../support/fixtures';
import { cookieHeader, getDashboardUrl, expectSignInPage, sessionStatus, signIn } from '../support/journeys';
import { SESSION, openShell, focus } from '../support/session-journeys';

const toldOfSignOut = (page: Page) => expect(page.getByText("You've been signed out").first()).toBeVisible();

test('an ended session is noticed on the next focus, and shown', async ({
  page,
  context,
  endpoints,
  user,
  accounts,
}) => {
  await signIn(page, endpoints, user);
  const cookie = await cookieHeader(context, endpoints);
  await openShell(context, endpoints, page);
  await accounts.revoke(user);
  await expect.poll(() => sessionStatus(endpoints, cookie), { timeout: 60_000 }).toBe(401);
  await focus(page);
  await expectSignInPage(page, endpoints);
  await toldOfSignOut(page);
});

test('signing out in one tab signs the others out at once', async ({ page, context, endpoints, user }) => {
  await signIn(page, endpoints, user);
  const [one, other] = [await openShell(context, endpoints), await openShell(context, endpoints)];
  await one.getByRole('button', { name: 'Sign out' }).click();
  await expectSignInPage(one, endpoints);
  await expectSignInPage(other, endpoints);
  await page.goto(getDashboardUrl(endpoints));
  await expectSignInPage(page, endpoints);
});

test('a session about to end shows a warning, and extending it loses nothing', async ({
  page,
  context,
  endpoints,
  user,
  accounts,
}) => {
  await signIn(page, endpoints, user);
  // A session that could not be extended for days: this one expires in five minutes.
  const value = await accounts.createSession(user, 300);
  await context.addCookies([{ name: SESSION, value, url: endpoints.appOrigin, httpOnly: true }]);
  await page.goto(`${endpoints.appOrigin}/account-settings/change-password`);
  const warning = page.getByText(/You'll be signed out at \d+:\d\d [AP]M/);
  await expect(warning).toBeVisible();
  await expectNoViolations(page);
  await page.getByLabel('Current password', { exact: true }).fill('half typed');
  await page.getByRole('button', { name: 'Stay signed in' }).click();
  await expect(warning).toBeHidden();
  await expect(page.getByLabel('Current password', { exact: true })).toHaveValue('half typed');
  const renewed = (await context.cookies()).find(({ name }) => name === SESSION);
  expect(renewed?.expires).toBeGreaterThan(Date.now() / 1000 + 400_000);
});
