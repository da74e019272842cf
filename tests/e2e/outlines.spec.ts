import type { Page } from '@playwright/test';
import { register, freshEmail } from '../support/account-journeys';
import { expect, test } from '../support/fixtures';
import { signInPageOf, submitSignIn } from '../support/journeys';

/** What a screen reader finds on the main screens, in its order: a change of these files is a change for who listens. */
const expectOutline = (page: Page, name: string) =>
  expect(page.locator('body')).toMatchAriaSnapshot({ name: `${name}.aria.yml` });

for (const [name, path] of [
  ['sign-in', '/sign-in'],
  ['registration', '/registration'],
  ['forget-password', '/forget-password'],
  ['enterprise', '/sign-in/enterprise'],
] as const)
  test(`outline of ${name}`, async ({ page, places }) => {
    await page.goto(`${places.appOrigin}${path}`);
    await page.waitForLoadState('networkidle');
    await expectOutline(page, name);
  });

test('outline of registration-confirm', async ({ page, places }) => {
  await register(page, places, freshEmail());
  await expectOutline(page, 'registration-confirm');
});

test('outline of courses and security', async ({ page, places, person }) => {
  await page.goto(`${signInPageOf(places)}?return_to=courses`);
  await submitSignIn(page, person);
  await expect(page).toHaveURL(`${places.appOrigin}/user/courses`);
  await expect(page.getByRole('button', { name: 'Sign out', exact: true })).toBeVisible();
  await expectOutline(page, 'courses');
  await page.goto(`${places.appOrigin}/security`);
  await expect(page.getByRole('button', { name: 'Sign out', exact: true })).toBeVisible();
  await expectOutline(page, 'security');
});
