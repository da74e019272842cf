// Threats: planted-passkey
import { addAuthenticator } from '../support/authenticator';
import { expect, test } from '../support/fixtures';
import { expectDashboard, expectPath, getDashboardUrl, getSignInUrl, pageReady } from '../support/journeys';
import { codeFor } from '../support/account-journeys';
import { passkeyButton, withoutAutofill } from '../support/passkey-journeys';

test('an account without a password: email, code, passkey, and sign-in again', async ({
  page,
  endpoints,
  accounts,
}) => {
  await withoutAutofill(page);
  const authenticator = await addAuthenticator(page);
  const email = `mia-${Date.now()}@campus.test`;
  await page.goto(getDashboardUrl(endpoints));
  await page.getByRole('link', { name: 'Create an account' }).click();
  await expectPath(page, endpoints, '/registration');
  await pageReady(page);
  await page.getByLabel('Name').fill('Mia Test');
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByRole('button', { name: 'Use a passkey instead of a password' }).click();
  await expect(page.getByLabel('Password', { exact: true })).toHaveCount(0);
  await page.getByRole('button', { name: 'Create account' }).click();
  await expectPath(page, endpoints, '/registration/confirm');
  await page.getByLabel('Code', { exact: true }).fill(await codeFor(endpoints, email));
  await expectPath(page, endpoints, '/sign-in/add-passkey');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Create your passkey');
  await pageReady(page);
  await page.getByRole('button', { name: 'Create a passkey' }).click();
  await expectDashboard(page, endpoints, { name: 'Mia Test' });
  expect(await authenticator.credentials()).toMatchObject([{ userName: email }]);
  // There is no password to guess at the identity provider.
  expect(await accounts.fetchMethodsByEmail(email)).toEqual([]);
  await page.context().clearCookies();
  await page.goto(getDashboardUrl(endpoints));
  await pageReady(page);
  await passkeyButton(page).click();
  await expectDashboard(page, endpoints, { name: 'Mia Test' });
});

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
