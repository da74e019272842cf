// ASVS: 6.1.3
// Threats: enumeration, uncaught-error
import { expect, test } from '../support/fixtures';
import {
  cookieHeader,
  getDashboardUrl,
  expectDashboard,
  expectSignInPage,
  sessionStatus,
  getSignInUrl,
  submitSignIn,
} from '../support/journeys';

test('from the dashboard through sign-in and back, and out again', async ({ page, context, endpoints, user }) => {
  await page.goto(getDashboardUrl(endpoints));
  await expectSignInPage(page, endpoints);

  await submitSignIn(page, { ...user, password: 'not-my-password' });
  await expect(page.getByRole('alert').filter({ hasText: /\S/ })).toBeVisible();
  expect(await sessionStatus(endpoints, await cookieHeader(context, endpoints))).toBe(401);

  await submitSignIn(page, user);
  await expectDashboard(page, endpoints, user);
  await page.reload();
  await expectDashboard(page, endpoints, user);

  const oldCookie = await cookieHeader(context, endpoints);
  expect(await sessionStatus(endpoints, oldCookie)).toBe(200);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page).toHaveURL(`${endpoints.platformOrigin}/`);
  await page.goto(getDashboardUrl(endpoints));
  await expectSignInPage(page, endpoints);
  expect(await sessionStatus(endpoints, oldCookie)).toBe(401);
});

test('an unknown email and a wrong password get the same response', async ({ page, endpoints, user }) => {
  const messageFor = async (email: string) => {
    await page.goto(getSignInUrl(endpoints));
    await submitSignIn(page, { email, password: 'not-my-password' });
    const alert = page.getByRole('alert').filter({ hasText: /\S/ });
    await expect(alert).toBeVisible();
    return alert.textContent();
  };
  expect(await messageFor('unknown@campus.test')).toBe(await messageFor(user.email));
});
