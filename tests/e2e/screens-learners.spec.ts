import { beginSignIn } from '../../examples/mobile/client.mjs';
import { fillNewPassword } from '../support/account-journeys';
import { expect, test } from '../support/fixtures';
import { signInPageOf, submitSignIn } from '../support/journeys';
import { look } from '../support/look';

test.beforeEach(async ({ page, places, person }) => {
  await page.goto(`${signInPageOf(places)}?return_to=security`);
  await submitSignIn(page, person);
  await expect(page).toHaveURL(`${places.appOrigin}/security`);
  await expect(page.getByRole('button', { name: 'Sign out', exact: true })).toBeVisible();
});

test('security', async ({ page }) => {
  await look(page, 'security');
  await page.getByRole('button', { name: 'Connect GitHub' }).click();
  await expect(page.getByLabel('Current password', { exact: true })).toBeVisible();
  await look(page, 'security.connect');
});

test('courses', async ({ page, places }) => {
  await page.goto(`${places.appOrigin}/user/courses`);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.waitForLoadState('networkidle');
  await look(page, 'courses');
});

test('change of the password', async ({ page, places, person }) => {
  await page.goto(`${places.appOrigin}/account-settings/change-password`);
  await page.waitForLoadState('networkidle');
  await look(page, 'change-password');
  await page.getByLabel('Current password', { exact: true }).fill(person.password);
  await fillNewPassword(page);
  await page.getByRole('button', { name: 'Change password' }).click();
  await expect(page.getByText('Your password is changed.')).toBeVisible();
  await look(page, 'change-password.done');
});

test('a session about to end', async ({ page, places, person, people }) => {
  const value = await people.sessionOf(person, 300);
  await page.context().addCookies([{ name: '_secure-user-session', value, url: places.appOrigin, httpOnly: true }]);
  await page.goto(`${places.appOrigin}/account-settings/change-password`);
  await expect(page.getByRole('button', { name: 'Stay signed in' })).toBeVisible();
  await look(page, 'change-password.session-about-to-end');
});

test('account selection for the mobile app', async ({ page, places }) => {
  await page.goto(beginSignIn(places).address);
  await page.waitForLoadState('networkidle');
  await look(page, 'mobile-account-selection');
});
