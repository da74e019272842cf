import type { Page } from '@playwright/test';
import { expect, test } from '../support/fixtures';
import { signIn } from '../support/journeys';
import type { Places } from '../support/stack';

/** As when a browser has thrown away a site's storage, but not its cookies. */
async function forgetProvider(page: Page, { appOrigin }: Places): Promise<void> {
  // An answer without scripts, which might remember again or hold on to what is being thrown away.
  await page.goto(`${appOrigin}/api/health/live`);
  await page.evaluate(async () => {
    localStorage.clear();
    await new Promise((done) => {
      const request = indexedDB.deleteDatabase('firebaseLocalStorageDb');
      request.onsuccess = request.onblocked = request.onerror = done;
    });
  });
}

const remembered = (page: Page) => page.evaluate(() => localStorage.getItem('provider-signed-in'));

test('a session that outlived the provider’s memory signs in there again', async ({ page, places, person }) => {
  await signIn(page, places, person);
  await forgetProvider(page, places);
  const asked = page.waitForResponse(/\/api\/auto-sign-in$/);
  await page.goto(`${places.appOrigin}/app-shell`);
  expect((await asked).status()).toBe(200);
  await expect.poll(() => remembered(page)).toBe('1');
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible();
});

test('when that fails it is said once, and the session goes on', async ({ page, places, person }) => {
  await signIn(page, places, person);
  await forgetProvider(page, places);
  let attempts = 0;
  await page.route(/\/api\/auto-sign-in$/, (route) => {
    attempts += 1;
    return route.abort();
  });
  await page.goto(`${places.appOrigin}/app-shell`);
  await expect(page.getByText('We could not sign you in automatically').first()).toBeVisible();
  await page.goto(`${places.appOrigin}/app-shell`);
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible();
  await page.waitForLoadState('networkidle');
  expect(attempts).toBe(1);
  await expect(page.getByText('We could not sign you in automatically')).toHaveCount(0);
});

const TOASTS = {
  AutoSignOut: 'You have been signed out',
  AccountConfirmed: 'Your account is confirmed',
  AutoLoginFailed: 'We could not sign you in automatically',
  ForcedSignOut: 'You were signed out to protect your account',
  InviteAccepted: 'You have accepted the invitation',
  InviteFailed: 'The invitation could not be accepted',
  InviteExpired: 'This invitation has expired',
};

for (const [key, text] of Object.entries(TOASTS)) {
  test(`the notification ${key} is shown`, async ({ page, places }) => {
    await page.goto(`${places.appOrigin}/sign-in?notification=${key}`);
    await expect(page.getByText(text).first()).toBeVisible();
  });
}
