import type { Page } from '@playwright/test';
import { startOtherApp } from '../../scripts/lib/stack.mjs';
import { expect, test } from '../support/fixtures';
import { signInAtSecurity } from '../support/account-journeys';
import { expectNoViolations } from '../support/axe';

const getSection = (page: Page) => page.getByRole('region', { name: 'Your data' });

test('canceling the proof changes nothing', async ({ page, endpoints, user }) => {
  await signInAtSecurity(page, endpoints, user);
  const section = getSection(page);
  await section.getByRole('button', { name: 'Delete my account' }).click();
  await expect(section.getByText("When you confirm, you're signed out on all other devices.")).toBeVisible();
  await expectNoViolations(page);
  await section.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('heading', { name: 'Your data' })).toBeFocused();
  await page.reload();
  await expect(section.getByRole('button', { name: 'Delete my account' })).toBeVisible();
});

test('nothing is offered where no records are kept', async ({ page, endpoints, user }) => {
  const app = await startOtherApp(endpoints, { DATABASE_FOLDER: 'off' });
  await signInAtSecurity(page, app.endpoints, user);
  await expect(page.getByRole('heading', { name: 'Sign-in methods' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Your data' })).toHaveCount(0);
  await app.stop();
});
