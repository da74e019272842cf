// Threats: planted-passkey
import { addAuthenticator } from '../support/authenticator';
import { expect, test } from '../support/fixtures';
import { expectDashboard, expectPath, getDashboardUrl, pageReady } from '../support/journeys';
import { codeFor } from '../support/account-journeys';
import { manageCredentials } from '../support/managed-credentials';
import { passkeyButton, withoutAutofill } from '../support/passkey-journeys';

test('an account without a password: email, code, passkey, and sign-in again', async ({
  page,
  endpoints,
  accounts,
}) => {
  await withoutAutofill(page);
  // The password manager's credentials have no working methods.
  await page.addInitScript(manageCredentials, 'inherited' as const);
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
  // The account has no password that anyone could guess at the identity provider.
  expect(await accounts.fetchMethodsByEmail(email)).toEqual([]);
  await page.context().clearCookies();
  await page.goto(getDashboardUrl(endpoints));
  await pageReady(page);
  await passkeyButton(page).click();
  await expectDashboard(page, endpoints, { name: 'Mia Test' });
});
