// ASVS: 6.2.2, 7.4.3
import { getAlert, fillNewPassword, lastMail } from '../support/account-journeys';
import { expect, test } from '../support/fixtures';
import { cookieHeader, expectDashboard, sessionStatus, signIn, submitSignIn } from '../support/journeys';
import { startOtherApp } from '../../scripts/lib/stack.mjs';

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

test.describe('a legacy account', () => {
  test('chooses a new password before anything else: V3FirstLogin', async ({
    page,
    context,
    endpoints: shared,
    accounts,
  }) => {
    const { endpoints, stop } = await startOtherApp(shared, { NEXT_PUBLIC_ROLLOUT_MODE: 'V3FirstLogin' });
    const user = await accounts.create();
    await accounts.markLegacy(user);
    await page.goto(`${endpoints.appOrigin}/sign-in`);
    await submitSignIn(page, user);
    await expect(page).toHaveURL(`${endpoints.appOrigin}/first-login-reset-password`);
    expect(await sessionStatus(endpoints, await cookieHeader(context, endpoints))).toBe(401);
    await fillNewPassword(page);
    await page.getByRole('button', { name: 'Reset password' }).click();
    await expectDashboard(page, endpoints, user);
    expect((await context.cookies()).find(({ name }) => name === 'legacy-user-status')?.value).toBe('v3');
    await stop();
  });
});
