// Threats: provider-domains
import type { Page } from '@playwright/test';
import { expect, test } from '../support/fixtures';
import { expectDashboard, getDashboardUrl, submitSignIn } from '../support/journeys';
import { signInAtProvider } from '../support/provider-window';
import { newColleague, openEnterprise, continueAs } from '../support/enterprise-journeys';

const startCookie = async (page: Page) =>
  (await page.context().cookies()).find(({ name }) => name === 'sso-login-init')?.value;

test('a work email signs in at its organization, and the callback is kept', async ({ page, endpoints }) => {
  const colleague = newColleague();
  await openEnterprise(page, endpoints);
  await continueAs(page, colleague.email);
  await page.waitForURL(/emulator\/auth\/handler.*saml\.acme/);
  expect(await startCookie(page)).toBe('saml.acme');
  await signInAtProvider(page, colleague);
  await expectDashboard(page, endpoints, colleague);
  expect(await startCookie(page)).toBeUndefined();
});

test('a password with the address of an organization offers the organization', async ({ page, endpoints }) => {
  const colleague = newColleague();
  await page.goto(getDashboardUrl(endpoints));
  await submitSignIn(page, { email: colleague.email, password: 'correct-horse-9' });
  await expect(page.getByRole('alert').filter({ hasText: 'Incorrect email or password.' })).toBeVisible();
  await expect(page.getByRole('status').filter({ hasText: 'Acme signs in with SSO.' })).toBeVisible();
  await page.getByRole('button', { name: 'Continue with Acme' }).click();
  await signInAtProvider(page, colleague);
  await expectDashboard(page, endpoints, colleague);

  // Another domain looks the same as a wrong password.
  await page.context().clearCookies();
  await page.goto(getDashboardUrl(endpoints));
  await submitSignIn(page, { email: 'erin@campus.test', password: 'correct-horse-9' });
  await expect(page.getByRole('alert').filter({ hasText: 'Incorrect email or password.' })).toBeVisible();
  await expect(page.getByText('signs in with SSO')).toHaveCount(0);
});
