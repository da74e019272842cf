// ASVS: 6.4.2, 7.4.3
// Threats: stolen-session
import { codeFor, fillNewPassword, lastMail, NEW_PASSWORD } from '../support/account-journeys';
import { expect, test } from '../support/fixtures';
import {
  cookieHeader,
  getDashboardUrl,
  expectDashboard,
  sessionStatus,
  signIn,
  submitSignIn,
} from '../support/journeys';

test('a forgotten password is reset, and all other sessions end', async ({
  page,
  endpoints,
  user,
  browser,
  accounts,
}) => {
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

  await expect(page.getByText(user.email)).toBeVisible();
  await page.getByRole('link', { name: 'Continue' }).click();
  await expectDashboard(page, endpoints, user);
  await accounts.idToken({ ...user, password: NEW_PASSWORD });
  await elsewhere.close();
});
