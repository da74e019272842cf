// ASVS: 6.8.1
// Threats: pending-credential
import { expectNoViolations } from '../support/axe';
import { expect, test } from '../support/fixtures';
import { expectDashboard } from '../support/journeys';
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
