import {
  alertOf,
  askForReset,
  codeFor,
  fillNewPassword,
  freshEmail,
  linkFor,
  register,
} from '../support/account-journeys';
import { expect, test } from '../support/fixtures';
import { startTimedApp } from '../support/other-app';

test('an expired code gets an error and a button for a new one', async ({ page, places: shared, person }) => {
  const { places, advance, stop } = await startTimedApp(shared);
  const email = freshEmail();
  await register(page, places, email);
  const code = await codeFor(places, email);
  await advance(901);
  await page.getByLabel('Code', { exact: true }).fill(code);
  await expect(alertOf(page)).toContainText('This code has expired');
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Request a new code');

  await advance(0);
  await askForReset(page, places, person.email);
  const resetCode = await codeFor(places, person.email);
  await advance(901);
  await page.getByLabel('Code', { exact: true }).fill(resetCode);
  await fillNewPassword(page);
  await page.getByRole('button', { name: 'Reset password' }).click();
  await expect(alertOf(page)).toContainText('This code has expired');
  await stop();
});

test('an expired confirmation link gets an error and offers another', async ({ page, places: shared }) => {
  const { places, advance, stop } = await startTimedApp(shared);
  const email = freshEmail();
  await register(page, places, email);
  const link = await linkFor(places, email);
  await advance(86_401);
  await page.goto(link);
  await expect(page.getByText('This link has expired. Request a new one.')).toBeVisible();
  await page.getByRole('link', { name: 'Request a new link' }).click();
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByRole('button', { name: 'Email me a sign-in link' }).click();
  await page.goto(await linkFor(places, email, 2));
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Confirm your email');
  await stop();
});

test('an expired link gets an error', async ({ page, places, person }) => {
  await askForReset(page, places, person.email);
  // The emulator's codes never expire: simulate the real provider's response by intercepting the request.
  await page.route('**/accounts:resetPassword*', (route) =>
    route.fulfill({ status: 400, json: { error: { code: 400, message: 'EXPIRED_OOB_CODE' } } }),
  );
  await page.goto(await linkFor(places, person.email));
  await expect(page.getByText('This link has expired. Request a new one.')).toBeVisible();
  await page.getByRole('link', { name: 'Request a new code' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Forgot your password?');
});
