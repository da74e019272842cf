// ASVS: 7.1.2, 7.5.1, 7.5.2, 10.4.9, 10.7.3
import { confirmWith, openSecurity } from '../support/account-journeys';
import { expect, test } from '../support/fixtures';
import { signIn } from '../support/journeys';
import { openProvider, signInAtProvider } from '../support/provider-window';

test('a method is linked and unlinked, each after reauthentication', async ({ page, endpoints, user, accounts }) => {
  await signIn(page, endpoints, user);
  await openSecurity(page, endpoints);
  await page.getByRole('button', { name: 'Connect GitHub' }).click();
  await confirmWith(page, 'not-my-password');
  await expect(page.getByRole('alert').filter({ hasText: /\S/ })).toBeVisible();
  await confirmWith(page, user.password);
  await expect(page.getByRole('group', { name: 'Now connect GitHub.' })).toBeFocused();
  await signInAtProvider(await openProvider(page, 'GitHub'), user);
  await expect(page.getByText('Connected. You can now sign in this way')).toBeVisible();
  expect(await accounts.fetchMethods(user)).toEqual(['github.com', 'password']);

  await page.getByRole('button', { name: 'Disconnect GitHub' }).click();
  await confirmWith(page, user.password, 'Disconnect GitHub');
  await expect(page.getByText('Disconnected. You can no longer sign in')).toBeVisible();
  expect(await accounts.fetchMethods(user)).toEqual(['password']);
});
