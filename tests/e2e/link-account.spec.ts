// ASVS: 6.8.1
// Threats: pending-credential
import { randomUUID } from 'node:crypto';
import { expectNoViolations } from '../support/axe';
import { expect, test } from '../support/fixtures';
import { expectDashboard } from '../support/journeys';
import { openProvider, signInAtProvider } from '../support/provider-window';
import { meetAccount, prove, open } from '../support/link-account-journeys';

test('a new method is linked once the password has verified the account', async ({
  page,
  endpoints,
  user,
  accounts,
}) => {
  await open(page, endpoints);
  await meetAccount(page, 'GitHub', user);
  await expect(page.getByText(`You already have an account for ${user.email}`)).toBeVisible();
  await expect(page.getByText('You currently sign in with: your password')).toBeVisible();
  await expectNoViolations(page);
  await prove(page, 'not-my-password');
  await expect(page.getByRole('alert').filter({ hasText: 'Incorrect email or password' })).toBeVisible();
  await prove(page, user.password);
  await expectDashboard(page, endpoints, user);
  expect(await accounts.fetchMethods(user)).toEqual(['github.com', 'password']);
});

test('verifying another account links nothing', async ({ page, endpoints, accounts }) => {
  const identity = { email: `only-google-${randomUUID().slice(0, 8)}@campus.test`, name: 'Gil' };
  await open(page, endpoints);
  await signInAtProvider(await openProvider(page, 'Google'), identity);
  await expectDashboard(page, endpoints, identity);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page).toHaveURL(`${endpoints.platformOrigin}/`);

  await open(page, endpoints);
  await meetAccount(page, 'GitHub', identity);
  const stranger = await accounts.create();
  await signInAtProvider(await openProvider(page, 'Google'), stranger);
  await expect(page.getByRole('alert').filter({ hasText: 'uses a different email address' })).toBeVisible();
  expect(await accounts.fetchMethods(stranger)).toEqual(['google.com', 'password']);
  expect((await page.request.post(`${endpoints.appOrigin}/api/check-auth-status`)).status()).toBe(401);
});
