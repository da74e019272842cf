import type { Page } from '@playwright/test';
import { expect, test } from '../support/fixtures';
import { expectSignInPage, holdScripts, onceHydrated, pageReady, signInPageOf } from '../support/journeys';
import type { Places } from '../support/stack';

/** A client-side navigation that the browser's Back button undoes without a page load, also after a reload. */
async function stepWithoutLoad(page: Page, places: Places): Promise<void> {
  await page.goto(signInPageOf(places));
  await pageReady(page);
  await page.getByRole('link', { name: 'Forgot password?' }).click();
  await expect(page.getByRole('button', { name: 'Send reset code' })).toBeVisible();
}

test('going back before a page is hydrated shows the previous page', async ({ page, places }) => {
  await stepWithoutLoad(page, places);
  const release = await holdScripts(page);
  await page.reload({ waitUntil: 'commit' });
  await expect(page.getByRole('button', { name: 'Send reset code' })).toBeVisible();
  await page.evaluate(() => history.back());
  await expect(page).toHaveURL(signInPageOf(places));
  release();
  await pageReady(page);
  await expectSignInPage(page, places);
});

test('going back during hydration shows the previous page', async ({ page, places }) => {
  await stepWithoutLoad(page, places);
  await onceHydrated(page, () => history.back());
  await page.reload({ waitUntil: 'commit' });
  await expect(page).toHaveURL(signInPageOf(places));
  await expectSignInPage(page, places);
});
