// Threats: hindered-browser
import { getAlert } from '../support/account-journeys';
import { expect, test } from '../support/fixtures';
import { getDashboardUrl, expectDashboard, expectSignInPage, submitSignIn } from '../support/journeys';

test('offline the form shows an error and keeps its values; back online it works', async ({
  page,
  context,
  endpoints,
  user,
}) => {
  await page.goto(getDashboardUrl(endpoints));
  await expectSignInPage(page, endpoints);
  await context.setOffline(true);
  await submitSignIn(page, user);
  await expect(getAlert(page)).toContainText('heck your connection');
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue(user.email);
  await context.setOffline(false);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expectDashboard(page, endpoints, user);

  // A network failure must not sign the user out.
  await page.goto(`${endpoints.appOrigin}/app-shell`);
  const signOut = page.getByRole('button', { name: 'Sign out' });
  await expect(signOut).toBeVisible();
  await context.setOffline(true);
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
  await expect(signOut).toBeVisible();
  const rechecked = page.waitForResponse('**/api/check-auth-status');
  await context.setOffline(false);
  expect((await rechecked).status()).toBe(200);
  await expect(signOut).toBeVisible();
});
