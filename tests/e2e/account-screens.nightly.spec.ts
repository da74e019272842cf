// ASVS: 6.2.7
import type { Page } from '@playwright/test';
import { getAlert, askForReset, freshEmail, linkFor, register } from '../support/account-journeys';
import { expectNoViolations } from '../support/axe';
import { expect, test } from '../support/fixtures';
import { signIn } from '../support/journeys';

/** @param heading heading of the page, which may still be loading */
async function expectAccessible(page: Page, heading: string): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toHaveText([heading]);
  await expectNoViolations(page);
}

for (const colorScheme of ['light', 'dark'] as const)
  test.describe(`in ${colorScheme}`, () => {
    test.use({ colorScheme });

    test('no accessibility violation during registration', async ({ page, endpoints }) => {
      await page.goto(`${endpoints.appOrigin}/registration`);
      await expectAccessible(page, 'Create your account');
      await page.getByRole('button', { name: 'Create account' }).click();
      await expect(getAlert(page).first()).toBeVisible();
      await expectAccessible(page, 'Create your account');
      await register(page, endpoints, freshEmail());
      await expectAccessible(page, 'Check your email');
      await page.getByLabel('Code', { exact: true }).fill('ABCDEF');
      await expect(getAlert(page)).toBeVisible();
      await expectAccessible(page, 'Check your email');
    });

    test('no accessibility violation during a password reset', async ({ page, endpoints, user, browser }) => {
      // Five screen checks, each taking several seconds on a busy machine.
      test.slow();
      await page.goto(`${endpoints.appOrigin}/forget-password`);
      await expectAccessible(page, 'Forgot your password?');
      await askForReset(page, endpoints, user.email);
      await expectAccessible(page, 'Check your email');
      await page.goto(`${endpoints.appOrigin}/forget-password/reset`);
      await expectAccessible(page, 'Choose a new password');
      const other = await (await browser.newContext({ colorScheme })).newPage();
      await other.goto(await linkFor(endpoints, user.email));
      await expect(other.getByLabel('New password', { exact: true })).toBeVisible();
      await expectAccessible(other, 'Choose a new password');
      await other.goto(`${endpoints.appOrigin}/forget-password/reset`);
      await expectAccessible(other, 'Request a new code');
      await other.context().close();
    });

    test('no accessibility violation in the account settings', async ({ page, endpoints, user }) => {
      await signIn(page, endpoints, user);
      await page.goto(`${endpoints.appOrigin}/account-settings/change-password`);
      await page.getByRole('button', { name: 'Change password' }).click();
      await expect(getAlert(page).first()).toBeVisible();
      await expectAccessible(page, 'Change your password');
    });
  });
