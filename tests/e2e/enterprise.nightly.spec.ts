// Threats: provider-domains
import { expect, test } from '../support/fixtures';
import { expectDashboard } from '../support/journeys';
import { signInAtProvider } from '../support/provider-window';
import { newColleague, openEnterprise, continueAs } from '../support/enterprise-journeys';

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
    const field = page.getByLabel('Email', { exact: true });
    await expect(field).toBeFocused();
    await expect(field).toHaveAttribute('aria-invalid', 'true');
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
