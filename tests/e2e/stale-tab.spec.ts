// Threats: stale-tab
import { expect, test } from '../support/fixtures';
import { openStaleTab } from '../support/stale-tab-journeys';

const NEW_PASSWORD = 'another-horse-8-battery';

test('the sign-out button of a stale tab does not sign the next user out', async ({ context, endpoints, accounts }) => {
  const { second, stale } = await openStaleTab(context, endpoints, accounts, '/app-shell');
  const refused = stale.waitForResponse('**/api/initiate-logout');
  await stale.getByRole('button', { name: 'Sign out', exact: true }).click();
  expect((await refused).status()).toBe(409);
  await expect(stale.getByText(second.name)).toBeVisible();
  await expect(stale).toHaveURL(`${endpoints.appOrigin}/app-shell`);
});

test('a stale tab does not change the password of the next user', async ({ context, endpoints, accounts }) => {
  const { second, stale } = await openStaleTab(context, endpoints, accounts, '/account-settings/change-password');
  await stale.getByLabel('Current password', { exact: true }).fill(second.password);
  await stale.getByLabel('New password', { exact: true }).fill(NEW_PASSWORD);
  const refused = stale.waitForResponse('**/api/account/password');
  await stale.getByRole('button', { name: 'Change password' }).click();
  expect((await refused).status()).toBe(409);
  await expect(stale.getByText(second.name)).toBeVisible();
  await expect(stale.getByLabel('New password', { exact: true })).toHaveValue('');
  await accounts.idToken(second);
});
