import type { BrowserContext, Page } from '@playwright/test';
import { expect } from './fixtures';
import type { Endpoints } from '../../scripts/lib/stack.mjs';

export const SESSION = '_secure-user-session';

/** Opens a page of this app that does not redirect a signed-in learner, and waits for the session check. */
export async function openShell(context: BrowserContext, endpoints: Endpoints, page?: Page): Promise<Page> {
  const tab = page ?? (await context.newPage());
  await tab.goto(`${endpoints.appOrigin}/app-shell`);
  await expect(tab.getByRole('button', { name: 'Sign out' })).toBeVisible();
  return tab;
}

/** Simulates the browser events of a learner who returns to the tab. */
export async function focus(page: Page): Promise<void> {
  await page.bringToFront();
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
}
