// ASVS: 6.2.7
import { test } from '../support/fixtures';
import { expectDashboard, getDashboardUrl, pageReady } from '../support/journeys';

test('values that a password manager sets without events are submitted', async ({ page, endpoints, user }) => {
  await page.goto(getDashboardUrl(endpoints));
  await pageReady(page);
  const fill = (label: string, text: string) =>
    page.getByLabel(label, { exact: true }).evaluate((field: HTMLInputElement, value) => (field.value = value), text);
  await fill('Email', user.email);
  await fill('Password', user.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expectDashboard(page, endpoints, user);
});
