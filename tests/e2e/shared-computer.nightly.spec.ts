// Threats: left-provider-user
import { startOtherApp } from '../../scripts/lib/stack.mjs';
import { expect, test } from '../support/fixtures';
import { expectSignInPage, holdScripts, signIn, submitSignIn } from '../support/journeys';
import { freshEmail, register } from '../support/account-journeys';
import {
  UNTIL_CLOSED,
  signInShared,
  getExpiry,
  kept,
  clearThisDevice,
  expectNoTrace,
} from '../support/shared-computer';

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
  // Once it is idle, the page signs in at the identity provider, which stores the user in this browser.
  await expect.poll(() => kept(page)).toContain(user.email);
});

test('a user who must choose a password first stays in the tab, although the SDK was started before the checkbox', async ({
  page,
  endpoints: shared,
  accounts,
}) => {
  const { endpoints, stop } = await startOtherApp(shared, { NEXT_PUBLIC_ROLLOUT_MODE: 'V3FirstLogin' });
  const user = await accounts.create();
  await accounts.markLegacy(user);
  await page.goto(`${endpoints.appOrigin}/sign-in`);
  await page.getByRole('button', { name: 'Continue with Google' }).hover();
  const getDatabases = () => page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name));
  await expect.poll(getDatabases).toContain('firebaseLocalStorageDb');
  await page.getByLabel('This is a shared computer').check();
  await submitSignIn(page, user);
  await expect(page).toHaveURL(`${endpoints.appOrigin}/first-login-reset-password`);
  await expect(page.getByLabel('New password', { exact: true })).toBeVisible();
  const traces = await kept(page);
  expect(traces).not.toContain(user.email);
  expect(traces).not.toContain(user.uid);
  // The tab is closed without a new password. The next person's sign-in signs that user out.
  const next = await accounts.create();
  await page.goto(`${endpoints.appOrigin}/sign-in?return_to=courses`);
  await submitSignIn(page, next);
  await expect(page).toHaveURL(`${endpoints.appOrigin}/user/courses`);
  expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain(user.uid);
  await stop();
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

test('signing out and clearing the device leaves no data', async ({ page, endpoints, user }) => {
  await signIn(page, endpoints, user);
  await page.goto(`${endpoints.appOrigin}/security`);
  await clearThisDevice(page);
  await expectSignInPage(page, endpoints);
  await expectNoTrace(page, [user]);
});
