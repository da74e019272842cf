// ASVS: 6.5.5
import {
  getAlert,
  askForReset,
  codeFor,
  fillNewPassword,
  freshEmail,
  linkFor,
  register,
} from '../support/account-journeys';
import { expect, test } from '../support/fixtures';
import { startTimedApp } from '../support/timed-app';

test('an expired code gets an error and a button for a new one', async ({ page, endpoints: shared, user }) => {
  const { endpoints, advance, stop } = await startTimedApp(shared);
  const email = freshEmail();
  await register(page, endpoints, email);
  const code = await codeFor(endpoints, email);
  await advance(901);
  await page.getByLabel('Code', { exact: true }).fill(code);
  await expect(getAlert(page)).toContainText('This code has expired');
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Request a new code');

  await advance(0);
  await askForReset(page, endpoints, user.email);
  const resetCode = await codeFor(endpoints, user.email);
  await advance(901);
  await page.getByLabel('Code', { exact: true }).fill(resetCode);
  await fillNewPassword(page);
  await page.getByRole('button', { name: 'Reset password' }).click();
  await expect(getAlert(page)).toContainText('This code has expired');
  await stop();
});

test('an expired confirmation link leads to another registration', async ({ page, endpoints: shared }) => {
  const { endpoints, advance, stop } = await startTimedApp(shared);
  const email = freshEmail();
  await register(page, endpoints, email);
  const link = await linkFor(endpoints, email);
  await advance(86_401);
  await page.goto(link);
  await expect(page.getByText('This link has expired. Create your account again')).toBeVisible();
  await page.getByRole('link', { name: 'Create an account' }).click();
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue(email);
  await stop();
});

test('an expired link gets an error', async ({ page, endpoints, user }) => {
  await askForReset(page, endpoints, user.email);
  // The emulator's codes never expire. So the test intercepts the request and simulates the real provider's response.
  await page.route('**/accounts:resetPassword*', (route) =>
    route.fulfill({ status: 400, json: { error: { code: 400, message: 'EXPIRED_OOB_CODE' } } }),
  );
  await page.goto(await linkFor(endpoints, user.email));
  await expect(page.getByText('This link has expired. Request a new one.')).toBeVisible();
  await page.getByRole('link', { name: 'Request a new code' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Forgot your password?');
});
