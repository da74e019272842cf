// ASVS: 6.4.2, 7.4.3
// Threats: stolen-session
import { askForReset, codeFor, fillNewPassword, lastMail, linkFor, NEW_PASSWORD } from '../support/account-journeys';
import { expect, test } from '../support/fixtures';
import {
  cookieHeader,
  getDashboardUrl,
  expectDashboard,
  sessionStatus,
  signIn,
  submitSignIn,
} from '../support/journeys';

test('a forgotten password is reset, and all other sessions end', async ({ page, endpoints, user, browser }) => {
  const elsewhere = await browser.newContext();
  await signIn(await elsewhere.newPage(), endpoints, user);
  const cookie = await cookieHeader(elsewhere, endpoints);
  expect(await sessionStatus(endpoints, cookie)).toBe(200);

  await page.goto(getDashboardUrl(endpoints));
  await submitSignIn(page, { ...user, password: 'not-my-password' });
  await page.getByRole('link', { name: 'Forgot password?' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Forgot your password?');
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue(user.email);
  await page.getByRole('button', { name: 'Send reset code' }).click();
  await page.getByLabel('Code', { exact: true }).fill(await codeFor(endpoints, user.email));
  await fillNewPassword(page);
  await page.getByRole('button', { name: 'Reset password' }).click();
  await expect(page).toHaveURL(`${endpoints.appOrigin}/forget-password/confirmation`);
  expect(await sessionStatus(endpoints, cookie)).toBe(401);
  expect((await lastMail(endpoints, user.email, 2)).subject).toBe('Your Campus password was changed');

  await page.getByRole('link', { name: 'Sign in' }).click();
  await submitSignIn(page, { ...user, password: NEW_PASSWORD });
  await expectDashboard(page, endpoints, user);
  await elsewhere.close();
});

test('the link in the email sets a new password on another device, once', async ({
  page,
  endpoints,
  user,
  browser,
}) => {
  await askForReset(page, endpoints, user.email);
  const link = await linkFor(endpoints, user.email);
  const other = await (await browser.newContext()).newPage();
  await other.goto(link);
  await expect(other.getByText(user.email)).toBeVisible();
  await expect(other).toHaveURL(`${endpoints.appOrigin}/actions`);
  await fillNewPassword(other);
  await other.getByRole('button', { name: 'Reset password' }).click();
  await expect(other).toHaveURL(`${endpoints.appOrigin}/forget-password/confirmation`);

  await other.goto(link);
  await expect(other.getByRole('heading', { level: 1 })).toHaveText('This link no longer works');
  await other.getByRole('link', { name: 'Request a new code' }).click();
  await expect(other).toHaveURL(`${endpoints.appOrigin}/forget-password`);
  await other.context().close();
});
