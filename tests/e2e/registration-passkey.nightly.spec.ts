// Threats: planted-passkey
import { expect, test } from '../support/fixtures';
import { expectPath, getSignInUrl, pageReady } from '../support/journeys';
import { codeFor } from '../support/account-journeys';

test('a choice that can be taken back: what was typed stays', async ({ page, endpoints }) => {
  await page.goto(`${getSignInUrl(endpoints).replace('/sign-in', '/registration')}`);
  await pageReady(page);
  await page.getByLabel('Name').fill('Mia Test');
  await page.getByRole('button', { name: 'Use a passkey instead of a password' }).click();
  await page.getByRole('button', { name: 'Use a password instead' }).click();
  await expect(page.getByLabel('Password', { exact: true })).toBeVisible();
  await expect(page.getByLabel('Name')).toHaveValue('Mia Test');
});

test('without a passkey after all: a password is chosen by email', async ({ page, endpoints }) => {
  await page.goto(`${endpoints.appOrigin}/registration`);
  await pageReady(page);
  const email = `noa-${Date.now()}@campus.test`;
  await page.getByLabel('Name').fill('Noa Test');
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByRole('button', { name: 'Use a passkey instead of a password' }).click();
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByLabel('Code', { exact: true }).fill(await codeFor(endpoints, email));
  await expectPath(page, endpoints, '/sign-in/add-passkey');
  await pageReady(page);
  await page.getByRole('link', { name: 'Choose a password instead' }).click();
  await expectPath(page, endpoints, '/forget-password');
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue(email);
});
