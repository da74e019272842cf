// Threats: provider-domains
import { randomUUID } from 'node:crypto';
import type { Page } from '@playwright/test';
import { expect, test } from '../support/fixtures';
import { getDashboardUrl, expectDashboard } from '../support/journeys';
import { signInAtProvider } from '../support/provider-window';
import type { Endpoints } from '../../scripts/lib/stack.mjs';

const newColleague = () => {
  const id = randomUUID().slice(0, 8);
  return { email: `colleague-${id}@acme.test`, name: `Cole ${id}` };
};

async function openEnterprise(page: Page, endpoints: Endpoints): Promise<void> {
  await page.goto(getDashboardUrl(endpoints));
  await page.getByRole('link', { name: 'Sign in with your organization' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in with your organization');
}

async function continueAs(page: Page, email: string): Promise<void> {
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByRole('button', { name: 'Continue with SSO' }).click();
}

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

for (const [email, text] of [
  ['me@campus.test', 'Use your work or school address, not a personal one.'],
  ['me@gmail.com', 'Use your work or school address, not a personal one.'],
  ['me@unknown.test', "We don't recognize this organization"],
  ['me@north.test', 'Your organization uses another sign-in method'],
] as const) {
  test(`${email} gets its own error`, async ({ page, endpoints }) => {
    await openEnterprise(page, endpoints);
    await continueAs(page, email);
    await expect(page.getByRole('alert').filter({ hasText: text })).toBeVisible();
    await page.getByRole('link', { name: 'Sign in another way' }).click();
    await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible();
  });
}

test('an unfinished sign-in at the organization gets a notice, and can be repeated', async ({ page, endpoints }) => {
  const colleague = newColleague();
  await openEnterprise(page, endpoints);
  await continueAs(page, colleague.email);
  await page.waitForURL(/emulator\/auth\/handler/);
  await page.goto(`${endpoints.appOrigin}/sign-in/enterprise`);
  await expect(page.getByText("didn't finish")).toBeVisible();
  await continueAs(page, colleague.email);
  await page.waitForURL(/emulator\/auth\/handler/);
  await signInAtProvider(page, colleague);
  await expectDashboard(page, endpoints, colleague);
});

test('an organization is refused for an email outside its domains', async ({ page, endpoints, user }) => {
  await openEnterprise(page, endpoints);
  await continueAs(page, newColleague().email);
  await page.waitForURL(/emulator\/auth\/handler/);
  await signInAtProvider(page, user);
  await expect(page.getByRole('alert').filter({ hasText: "We don't recognize this organization" })).toBeVisible();
  const answer = await page.request.post(`${endpoints.appOrigin}/api/check-auth-status`);
  expect(answer.status()).toBe(401);
});
