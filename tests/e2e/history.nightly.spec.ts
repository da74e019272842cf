import type { Page } from '@playwright/test';
import { expect, test } from '../support/fixtures';
import { expectSignInPage, holdScripts, onceHydrated, pageReady, getSignInUrl } from '../support/journeys';
import type { Endpoints } from '../../scripts/lib/stack.mjs';

/** Makes a client-side navigation that the browser's Back button undoes without a page load, even after a reload. */
async function stepWithoutLoad(page: Page, endpoints: Endpoints): Promise<void> {
  await page.goto(getSignInUrl(endpoints));
  await pageReady(page);
  await page.getByRole('link', { name: 'Forgot password?' }).click();
  await expect(page.getByRole('button', { name: 'Send reset code' })).toBeVisible();
}

test('going back before a page is hydrated shows the previous page', async ({ page, endpoints }) => {
  await stepWithoutLoad(page, endpoints);
  const release = await holdScripts(page);
  await page.reload({ waitUntil: 'commit' });
  await expect(page.getByRole('button', { name: 'Send reset code' })).toBeVisible();
  await page.evaluate(() => history.back());
  await expect(page).toHaveURL(getSignInUrl(endpoints));
  release();
  await pageReady(page);
  await expectSignInPage(page, endpoints);
});

test('going back during hydration shows the previous page', async ({ page, endpoints }) => {
  await stepWithoutLoad(page, endpoints);
  await onceHydrated(page, () => history.back());
  await page.reload({ waitUntil: 'commit' });
  await expect(page).toHaveURL(getSignInUrl(endpoints));
  await expectSignInPage(page, endpoints);
});
