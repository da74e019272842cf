// Threats: stale-tab
import { expect, test } from '../support/fixtures';
import { openStaleTab } from '../support/stale-tab-journeys';

test('the sign-out button of a stale tab does not sign the next user out', async ({ context, endpoints, accounts }) => {
  const { second, stale } = await openStaleTab(context, endpoints, accounts, '/app-shell');
  const refused = stale.waitForResponse('**/api/initiate-logout');
  await stale.getByRole('button', { name: 'Sign out', exact: true }).click();
  expect((await refused).status()).toBe(409);
  await expect(stale.getByText(second.name)).toBeVisible();
  await expect(stale).toHaveURL(`${endpoints.appOrigin}/app-shell`);
});
