import type { BrowserContext, Page } from '@playwright/test';
import { expect } from './fixtures';
import { getDashboardUrl, expectDashboard, submitSignIn } from './journeys';
import type { TestUser } from './accounts-client';
import type { Endpoints } from '../../scripts/lib/stack.mjs';

export const UNTIL_CLOSED = -1;

export async function signInShared(page: Page, endpoints: Endpoints, user: TestUser): Promise<void> {
  await page.goto(getDashboardUrl(endpoints));
  await page.getByLabel('This is a shared computer').check();
  await submitSignIn(page, user);
  await expectDashboard(page, endpoints, user);
}

export const getExpiry = async (context: BrowserContext, name: string) =>
  (await context.cookies()).find((cookie) => cookie.name === name)?.expires;

/** Returns all data that this browser keeps beyond the tab, as text. */
export const kept = (page: Page) =>
  page.evaluate(async () => {
    const databases = await indexedDB.databases();
    const stored = await Promise.all(
      databases.map(
        ({ name = '' }) =>
          new Promise<unknown>((resolve) => {
            const opening = indexedDB.open(name);
            opening.onerror = () => resolve(null);
            opening.onsuccess = () => {
              const database = opening.result;
              const stores = [...database.objectStoreNames];
              if (stores.length === 0) return resolve(null);
              const all = database
                .transaction(stores)
                .objectStore(stores[0] ?? '')
                .getAll();
              all.onsuccess = () => resolve(all.result);
            };
          }),
      ),
    );
    return JSON.stringify([{ ...localStorage }, stored]);
  });

export const clearThisDevice = (page: Page) =>
  page.getByRole('button', { name: 'Sign out and clear this device' }).click();

/** Cookies that every page load sets for any visitor. */
const IMPERSONAL = ['callbackUrl', 'kk_logged_in'];

export async function expectNoTrace(page: Page, accounts: { email: string }[]): Promise<void> {
  const cookies = await page.context().cookies();
  expect(cookies.map(({ name }) => name).filter((name) => !IMPERSONAL.includes(name))).toEqual([]);
  const traces = await kept(page);
  for (const { email } of accounts) expect(traces).not.toContain(email);
  expect(traces).not.toContain('last-sign-in-method');
}
