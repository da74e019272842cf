import type { Page } from '@playwright/test';
import { expect, test } from '../support/fixtures';
import { signIn, forgetProvider } from '../support/journeys';

const remembered = (page: Page) => page.evaluate(() => localStorage.getItem('provider-signed-in'));

test('a live session signs in to the provider again', async ({ page, endpoints, user }) => {
  await signIn(page, endpoints, user);
  await forgetProvider(page, endpoints);
  const asked = page.waitForResponse(/\/api\/auto-sign-in$/);
  await page.goto(`${endpoints.appOrigin}/app-shell`);
  expect((await asked).status()).toBe(200);
  await expect.poll(() => remembered(page)).toBe('1');
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible();
});
