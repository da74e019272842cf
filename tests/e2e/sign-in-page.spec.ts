import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect, test } from '../support/fixtures';
import {
  expectDashboard,
  holdScripts,
  onceHydrated,
  pageReady,
  sdkOf,
  signInPageOf,
  submitSignIn,
} from '../support/journeys';

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

async function violations(page: Page): Promise<string[]> {
  const { violations: found } = await new AxeBuilder({ page }).withTags(WCAG).analyze();
  return found.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`);
}

for (const theme of ['light', 'dark']) {
  test(`no accessibility violation in ${theme}`, async ({ page, places }) => {
    await page.goto(`${signInPageOf(places)}?theme=${theme}`);
    await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible();
    expect(await violations(page)).toEqual([]);
  });

  test(`no accessibility violation after a refused sign-in in ${theme}`, async ({ page, places }) => {
    await page.goto(`${signInPageOf(places)}?theme=${theme}`);
    await submitSignIn(page, { email: 'nobody@campus.test', password: 'not-my-password' });
    await expect(page.getByRole('alert').filter({ hasText: /\S/ })).toBeVisible();
    expect(await violations(page)).toEqual([]);
  });
}

test('the keyboard alone is enough to sign in', async ({ page, places, person }) => {
  await page.goto(signInPageOf(places));
  const email = page.getByLabel('Email', { exact: true });
  for (let i = 0; i < 12 && !(await email.evaluate((field) => field === document.activeElement)); i += 1)
    await page.keyboard.press('Tab');
  await page.keyboard.type(person.email);
  const password = page.getByLabel('Password', { exact: true });
  for (let i = 0; i < 5 && !(await password.evaluate((field) => field === document.activeElement)); i += 1)
    await page.keyboard.press('Tab');
  await page.keyboard.type(person.password);
  await page.keyboard.press('Enter');
  await expectDashboard(page, places, person);
});

test('an empty form shows what is missing and focuses it', async ({ page, places }) => {
  await page.goto(signInPageOf(places));
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  const email = page.getByLabel('Email', { exact: true });
  await expect(email).toBeFocused();
  await expect(email).toHaveAttribute('aria-invalid', 'true');
});

test('a double click signs in once', async ({ page, places, person }) => {
  let sessions = 0;
  page.on('request', (request) => void (request.url().endsWith('/api/create-user-session') && (sessions += 1)));
  await page.goto(signInPageOf(places));
  await page.getByLabel('Email', { exact: true }).fill(person.email);
  await page.getByLabel('Password', { exact: true }).fill(person.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).dblclick();
  await expectDashboard(page, places, person);
  expect(sessions).toBe(1);
});

test('a notification is shown once and removed from the URL', async ({ page, places }) => {
  await page.goto(`${signInPageOf(places)}?notification=AutoSignOut`);
  await expect(page.getByText("You've been signed out").first()).toBeVisible();
  await expect(page).not.toHaveURL(/notification/);
});

test('an unknown notification shows nothing', async ({ page, places }) => {
  await page.goto(`${signInPageOf(places)}?notification=%3Cb%3Eyou%20won`);
  // The parameter has been read and removed.
  await expect(page).not.toHaveURL(/notification/);
  await expect(page.getByText('you won')).toHaveCount(0);
});

test('an unknown path is a 404 with a link', async ({ page, places }) => {
  const answer = await page.goto(`${places.appOrigin}/no-such-page`);
  expect(answer?.status()).toBe(404);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.getByRole('link').first()).toBeVisible();
  expect(await violations(page)).toEqual([]);
});

test('a form filled and submitted before hydration is sent exactly once', async ({ page, places, person }) => {
  let calls = 0;
  page.on('request', (request) => (calls += request.url().endsWith('/api/create-user-session') ? 1 : 0));
  const release = await holdScripts(page);
  await page.goto(signInPageOf(places), { waitUntil: 'commit' });
  await submitSignIn(page, person);
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue(person.password);
  expect(calls).toBe(0);
  release();
  await expectDashboard(page, places, person);
  expect(calls).toBe(1);
});

test('focusing the form before hydration preloads what submitting needs', async ({ page, places }) => {
  const release = await holdScripts(page);
  await page.goto(signInPageOf(places), { waitUntil: 'commit' });
  await page.getByLabel('Password', { exact: true }).focus();
  const sdk = sdkOf(page);
  release();
  await sdk;
});

test('a button clicked during hydration acts once', async ({ page, places }) => {
  await onceHydrated(page, () => document.querySelector<HTMLButtonElement>('header button')?.click());
  await page.goto(`${signInPageOf(places)}?theme=light`);
  await pageReady(page);
  await page.waitForLoadState('networkidle');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
});

test('the button clicked last before hydration acts afterwards', async ({ page, places }) => {
  const release = await holdScripts(page);
  await page.goto(signInPageOf(places), { waitUntil: 'commit' });
  await page.getByRole('button', { name: 'Continue with GitHub' }).click();
  await page.getByRole('button', { name: 'Continue with Google' }).click();
  const popup = page.waitForEvent('popup');
  release();
  await expect(await popup).toHaveURL(/providerId=google\.com/);
  expect(page.context().pages()).toHaveLength(2);
});
