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

test('a code that was typed too late says so, and a new one is a press away', async ({
  page,
  places: shared,
  person,
}) => {
  const { places, advance, stop } = await startTimedApp(shared);
  const email = freshEmail();
  await register(page, places, email);
  const code = await codeFor(places, email);
  await advance(901);
  await page.getByLabel('Code', { exact: true }).fill(code);
  await expect(alertOf(page)).toContainText('This code has expired');
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('No code to wait for');

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

test('a link that was opened too late says so', async ({ page, places, person }) => {
  await askForReset(page, places, person.email);
  // The emulator's codes never expire: what the real provider answers then is played at the edge of the network.
  await page.route('**/accounts:resetPassword*', (route) =>
    route.fulfill({ status: 400, json: { error: { code: 400, message: 'EXPIRED_OOB_CODE' } } }),
  );
  await page.goto(await linkFor(places, person.email));
  await expect(page.getByText('This link has expired. Ask for a new one.')).toBeVisible();
  await page.getByRole('link', { name: 'Send a new one' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Forgot your password?');
});
