import type { Page } from '@playwright/test';
import { expect, test } from '../support/fixtures';
import { getSignInUrl } from '../support/journeys';

/** Returns the theme that is set before the body is painted. */
async function themeBeforePaint(page: Page, address: string): Promise<string | null> {
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      if (!document.body) return;
      observer.disconnect();
      requestAnimationFrame(() =>
        sessionStorage.setItem('theme-at-first-frame', document.documentElement.dataset.theme ?? 'none'),
      );
    }).observe(document, { childList: true, subtree: true });
  });
  await page.goto(address);
  await expect.poll(() => page.evaluate(() => sessionStorage.getItem('theme-at-first-frame'))).not.toBeNull();
  return page.evaluate(() => sessionStorage.getItem('theme-at-first-frame'));
}

for (const theme of ['light', 'dark'] as const) {
  const opposite = theme === 'dark' ? 'light' : 'dark';

  test(`the query chooses ${theme} before the first paint`, async ({ page, endpoints }) => {
    await page.emulateMedia({ colorScheme: opposite });
    expect(await themeBeforePaint(page, `${getSignInUrl(endpoints)}?theme=${theme}`)).toBe(theme);
  });

  test(`${theme} is kept for the next visit`, async ({ page, endpoints }) => {
    await page.emulateMedia({ colorScheme: opposite });
    await page.goto(`${getSignInUrl(endpoints)}?theme=${theme}`);
    await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
    expect(await themeBeforePaint(page, getSignInUrl(endpoints))).toBe(theme);
    await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
  });

  test(`without a choice the system's ${theme} is used`, async ({ page, endpoints }) => {
    await page.emulateMedia({ colorScheme: theme });
    expect(await themeBeforePaint(page, getSignInUrl(endpoints))).toBe(theme);
  });
}

test('an unknown theme is ignored', async ({ page, endpoints }) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto(`${getSignInUrl(endpoints)}?theme=%22%3E%3Cscript%3E`);
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
});
