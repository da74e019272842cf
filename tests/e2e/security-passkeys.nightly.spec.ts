// ASVS: 6.3.7, 7.5.1
// Threats: stolen-session
import type { Page } from '@playwright/test';
import { confirmWith, getAlert, openSecurity, signInAtSecurity, openRows } from '../support/account-journeys';
import { addAuthenticator } from '../support/authenticator';
import { expectNoViolations } from '../support/axe';
import { nextSecond } from '../support/client';
import { expect, test } from '../support/fixtures';
import { expectPath, getSignInUrl, signIn, submitSignIn } from '../support/journeys';
import { withoutOffer } from '../support/passkey-journeys';
import { startTimedApp } from '../support/timed-app';
import { getSection, getPasskeys, getAdd, getRemove, addPasskey } from '../support/security-passkeys-journeys';

/** Adds each passkey on a separate authenticator, because an authenticator keeps only one for an account. */
async function addTwoPasskeys(page: Page) {
  const first = await addAuthenticator(page);
  await addPasskey(page);
  await first.setPresence(false);
  const second = await addAuthenticator(page, { transport: 'usb', isSynced: false });
  await addPasskey(page);
  await expect(getPasskeys(page)).toHaveCount(2);
  await first.setPresence(true);
  return { first, second };
}

test.beforeEach(({ page }) => withoutOffer(page));

test('a second passkey on the same device is refused, calmly', async ({ page, endpoints, user }) => {
  await addAuthenticator(page);
  await signIn(page, endpoints, user);
  await openSecurity(page, endpoints);
  await addPasskey(page);
  await getAdd(page).click();
  await expect(getAlert(page)).toContainText('You already have a passkey on this device.');
  await expect(getPasskeys(page)).toHaveCount(1);
});

test('a closed dialog is calm, and the next try succeeds', async ({ page, endpoints, user }) => {
  const authenticator = await addAuthenticator(page, { isUserVerified: false });
  await signIn(page, endpoints, user);
  await openSecurity(page, endpoints);
  await getAdd(page).click();
  await expect(getSection(page).getByText('No passkey was added.')).toBeVisible();
  await expect(getAlert(page)).toHaveCount(0);
  await expect(getAdd(page)).toBeFocused();
  await authenticator.setUserVerified(true);
  await addPasskey(page);
});

test('the password can go when two passkeys sign in, and a passkey is the proof', async ({ page, endpoints, user }) => {
  await signIn(page, endpoints, user);
  await openSecurity(page, endpoints);
  const { second } = await addTwoPasskeys(page);
  await expect(getPasskeys(page).nth(1)).toContainText('Only on this device or security key');
  await page.getByRole('button', { name: 'Remove my password' }).click();
  await expect(page.getByText("Confirm it's you to remove your password.")).toBeVisible();
  await page.getByRole('button', { name: 'Confirm with a passkey' }).click();
  await expect(page.getByText('Your password is removed.')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Password', exact: true })).toHaveCount(0);

  await test.step('the data is downloaded with a passkey', async () => {
    await second.setPresence(false);
    await page.getByRole('button', { name: 'Download my data' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Confirm with a passkey' }).click();
    await download;
    await expect(page.getByText('Your data was downloaded.')).toBeVisible();
  });

  await test.step('the last passkey stays', async () => {
    await expect(getRemove(page)).toHaveCount(2);
    await getRemove(page).nth(1).click();
    await expect(getSection(page)).toContainText('You can still sign in with: 1 other passkey.');
    await page.getByRole('button', { name: 'Remove passkey' }).click();
    await expect(getSection(page).getByText('is removed. It no longer signs you in.')).toBeVisible();
    await expect(getPasskeys(page)).toContainText('Your only sign-in method');
    await expect(getRemove(page)).toHaveCount(0);
  });
});

test('a dialog that is closed during a proof keeps the change open', async ({ page, endpoints, user }) => {
  const authenticator = await addAuthenticator(page);
  await signIn(page, endpoints, user);
  await openSecurity(page, endpoints);
  await addPasskey(page);
  await authenticator.setUserVerified(false);
  await page.getByRole('button', { name: 'Connect GitHub' }).click();
  const prove = page.getByRole('button', { name: 'Confirm with a passkey' });
  await prove.click();
  await expect(getAlert(page)).toContainText('No passkey was used.');
  await authenticator.setUserVerified(true);
  await prove.click();
  await expect(page.getByRole('button', { name: 'Continue with GitHub' })).toBeVisible();
});

test('after more than 5 minutes a passkey takes a proof', async ({ page, endpoints: shared, user }) => {
  // Starts another app.
  test.slow();
  const { endpoints, advance, stop } = await startTimedApp(shared);
  await addAuthenticator(page);
  await signInAtSecurity(page, endpoints, user);
  await advance(400);
  await openSecurity(page, endpoints);
  await getAdd(page).click();
  await expect(page.getByRole('group', { name: "Confirm it's you first, then add a passkey." })).toBeFocused();
  await expectNoViolations(page);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(getAdd(page)).toBeFocused();
  await getAdd(page).click();
  await expect(page.getByRole('group', { name: "Confirm it's you first, then add a passkey." })).toBeFocused();
  await advance(0);
  await confirmWith(page, user.password);
  await expect(page.getByText('Continue to add your passkey.')).toBeVisible();
  await expect(getPasskeys(page)).toHaveCount(0);
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await page.getByRole('button', { name: 'Skip' }).click();

  await advance(400);
  await getRemove(page).click();
  await page.getByRole('button', { name: 'Remove passkey' }).click();
  await expect(page.getByText(/Confirm it's you to remove Chrome.* on Linux\./)).toBeVisible();
  await advance(0);
  await confirmWith(page, user.password, 'Remove passkey');
  await expect(page.getByText(/^Chrome.* on Linux is removed\./)).toBeVisible();
  await stop();
});

test('works with the keyboard alone', async ({ page, endpoints, user }) => {
  await addAuthenticator(page);
  await signIn(page, endpoints, user);
  await openSecurity(page, endpoints);
  await getAdd(page).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('form', { name: 'Name your passkey' }).getByLabel('Name', { exact: true })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('heading', { name: 'Passkeys' })).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'Rename' })).toBeFocused();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Rename' })).toBeFocused();
  await page.keyboard.press('Enter');
  await page.keyboard.type('Desk');
  await page.keyboard.press('Enter');
  await expect(getPasskeys(page)).toContainText('Desk');
  await expect(page.getByRole('heading', { name: 'Passkeys' })).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  await expect(page.getByRole('group', { name: 'Remove Desk?' })).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Desk is removed.')).toBeVisible();
});

for (const theme of ['light', 'dark']) {
  for (const width of [390, 1280]) {
    test(`no accessibility violation in ${theme} at ${String(width)}`, async ({ page, endpoints, user }) => {
      await page.setViewportSize({ width, height: 900 });
      await addAuthenticator(page);
      await signIn(page, endpoints, user);
      await page.goto(`${endpoints.appOrigin}/security?theme=${theme}`);
      await openRows(page);
      const analyze = async () => {
        await expectNoViolations(page);
      };
      await analyze();
      await addPasskey(page);
      await analyze();
      await page.getByRole('button', { name: 'Rename' }).click();
      await analyze();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await getRemove(page).click();
      await analyze();
    });
  }
}

test('a passkey that was copied is turned off, and can be removed', async ({ page, endpoints, user }) => {
  // This passkey is not synced, because copies of a synced passkey belong to its owner.
  const authenticator = await addAuthenticator(page, { isSynced: false });
  await signIn(page, endpoints, user);
  await openSecurity(page, endpoints);
  await addPasskey(page);
  const [copy] = await authenticator.credentials();
  await page.getByRole('button', { name: 'Connect GitHub' }).click();
  const prove = page.getByRole('button', { name: 'Confirm with a passkey' });
  await prove.click();
  await expect(page.getByRole('button', { name: 'Continue with GitHub' })).toBeVisible();
  await page.getByRole('button', { name: 'Cancel' }).click();
  if (!copy) throw new Error('This authenticator has no key');
  await authenticator.clear();
  await authenticator.add({ ...copy, signCount: 0 });
  await page.getByRole('button', { name: 'Connect GitHub' }).click();
  await prove.click();
  await expect(getAlert(page)).toContainText('This passkey is turned off because a copy of it may exist.');
  // The copy may have signed in, so all sessions are ended. The provider counts whole seconds.
  await nextSecond();
  // Goes to the page directly, because the platform does not check again within five seconds.
  await page.goto(`${getSignInUrl(endpoints)}?return_to=security`);
  await submitSignIn(page, user);
  await expectPath(page, endpoints, '/security');
  await expect(getPasskeys(page)).toContainText('Turned off: a copy of it may exist. Remove it and add a new one.');
  await getRemove(page).click();
  await page.getByRole('button', { name: 'Remove passkey' }).click();
  await expect(page.getByText(/^Chrome.* on Linux is removed\./)).toBeVisible();
  await expect.poll(() => authenticator.credentials()).toHaveLength(0);
});

test('offers nothing that the browser cannot do', async ({ page, endpoints, user }) => {
  await page.addInitScript(() => Reflect.deleteProperty(window, 'PublicKeyCredential'));
  await signIn(page, endpoints, user);
  await openSecurity(page, endpoints);
  await expect(getSection(page)).toContainText("This browser can't use passkeys.");
  await expect(getAdd(page)).toHaveCount(0);
});

test('a panel that did not load is loaded again in place', async ({ page, endpoints, user }) => {
  await signIn(page, endpoints, user);
  await openSecurity(page, endpoints);
  const scripts = '**/_next/static/chunks/*.js';
  // Blocked before the pointer approaches the button, because that preloads its panel.
  await page.route(scripts, (route) => route.abort());
  const setUp = page.getByRole('button', { name: 'Set up an authenticator app' });
  await setUp.click();
  await expect(page.getByText("Part of this page didn't load.")).toBeVisible();
  await page.unroute(scripts);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByLabel('Authentication code')).toBeVisible();
});
