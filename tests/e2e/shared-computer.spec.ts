import type { BrowserContext, Page } from '@playwright/test';
import { expect, test } from '../support/fixtures';
import {
  getDashboardUrl,
  expectDashboard,
  expectSignInPage,
  holdScripts,
  signIn,
  submitSignIn,
} from '../support/journeys';
import { freshEmail, register } from '../support/account-journeys';
import type { TestUser } from '../support/accounts-client';
import type { Endpoints } from '../../scripts/lib/stack.mjs';

const UNTIL_CLOSED = -1;

async function signInShared(page: Page, endpoints: Endpoints, user: TestUser): Promise<void> {
  await page.goto(getDashboardUrl(endpoints));
  await page.getByLabel('This is a shared computer').check();
  await submitSignIn(page, user);
  await expectDashboard(page, endpoints, user);
}

const getExpiry = async (context: BrowserContext, name: string) =>
  (await context.cookies()).find((cookie) => cookie.name === name)?.expires;

/** All data that this browser keeps beyond the tab, as text. */
const kept = (page: Page) =>
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

test('the sign-in ends with the browser, and leaves no hint', async ({ page, context, endpoints, user }) => {
  await signInShared(page, endpoints, user);
  for (const name of ['_secure-user-session', 'kk_logged_in', 'kk_uid', 'shared-computer'])
    expect(await getExpiry(context, name)).toBe(UNTIL_CLOSED);
  await page.goto(`${endpoints.appOrigin}/app-shell`);
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible();
  const traces = await kept(page);
  expect(traces).not.toContain(user.email);
  expect(traces).not.toContain(user.uid);
  expect(traces).not.toContain('last-sign-in-method');
});

test('the checkbox counts even if selected before hydration', async ({ page, context, endpoints }) => {
  const release = await holdScripts(page);
  await page.goto(`${endpoints.appOrigin}/sign-in`, { waitUntil: 'commit' });
  const box = page.getByLabel('This is a shared computer');
  await box.check();
  release();
  await expect.poll(() => getExpiry(context, 'shared-computer')).toBe(UNTIL_CLOSED);
  await expect(box).toBeChecked();
  await page.unrouteAll({ behavior: 'wait' });
});

test('without the checkbox the session persists', async ({ page, context, endpoints, user }) => {
  await signIn(page, endpoints, user);
  expect(await getExpiry(context, '_secure-user-session')).toBeGreaterThan(Date.now() / 1000 + 400_000);
  await page.goto(`${endpoints.appOrigin}/app-shell`);
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible();
  expect(await kept(page)).toContain(user.email);
});

const clearThisDevice = (page: Page) => page.getByRole('button', { name: 'Sign out and clear this device' }).click();

/** Cookies that every page load sets for any visitor. */
const IMPERSONAL = ['callbackUrl', 'kk_logged_in'];

async function expectNoTrace(page: Page, accounts: { email: string }[]): Promise<void> {
  const cookies = await page.context().cookies();
  expect(cookies.map(({ name }) => name).filter((name) => !IMPERSONAL.includes(name))).toEqual([]);
  const traces = await kept(page);
  for (const { email } of accounts) expect(traces).not.toContain(email);
  expect(traces).not.toContain('last-sign-in-method');
}

test('signing out and clearing the device leaves no data', async ({ page, endpoints, user }) => {
  await signIn(page, endpoints, user);
  await page.goto(`${endpoints.appOrigin}/security`);
  await clearThisDevice(page);
  await expectSignInPage(page, endpoints);
  await expectNoTrace(page, [user]);
});

test('clearing the device deletes an earlier user’s registration', async ({ page, endpoints, user }) => {
  const registrant = { email: freshEmail() };
  await register(page, endpoints, registrant.email);
  await signIn(page, endpoints, user);
  await page.goto(`${endpoints.appOrigin}/registration/confirm`);
  await expect(page.getByText(registrant.email)).toBeVisible();

  await page.goto(`${endpoints.appOrigin}/security`);
  await clearThisDevice(page);
  await expectSignInPage(page, endpoints);
  await expectNoTrace(page, [user, registrant]);
  await page.goto(`${endpoints.appOrigin}/registration/confirm`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Request a new code');
  await expect(page.getByText(registrant.email)).toHaveCount(0);
});

test('signing out of a shared computer clears the device too', async ({ page, endpoints, user }) => {
  const registrant = { email: freshEmail() };
  await register(page, endpoints, registrant.email);
  await signInShared(page, endpoints, user);
  await page.goto(`${endpoints.appOrigin}/app-shell`);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expectSignInPage(page, endpoints);
  await expectNoTrace(page, [user, registrant]);
});

test('clearing the device clears its other tabs', async ({ page, context, endpoints, user }) => {
  await signIn(page, endpoints, user);
  const other = await context.newPage();
  const isKnown = other.waitForResponse(/check-auth-status/);
  await other.goto(`${endpoints.appOrigin}/self-check`);
  await isKnown;
  await other.evaluate(() => sessionStorage.setItem('carried-email', 'lena@campus.test'));
  await page.goto(`${endpoints.appOrigin}/security`);
  await clearThisDevice(page);
  await expectSignInPage(page, endpoints);
  await expect.poll(() => other.evaluate(() => sessionStorage.getItem('carried-email')).catch(() => '')).toBeNull();
});
