// Threats: provider-domains
import type { Page } from '@playwright/test';
import { expect, test } from '../support/fixtures';
import { expectDashboard } from '../support/journeys';
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
