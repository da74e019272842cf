import { expect, test } from '../support/fixtures';
import { signIn, getSignInUrl, submitSignIn, forgetProvider } from '../support/journeys';
import { startTimedApp } from '../support/timed-app';
import type { Page } from '@playwright/test';

test('a failed auto sign-in is shown once, and the session stays', async ({ page, endpoints, user }) => {
  await signIn(page, endpoints, user);
  await forgetProvider(page, endpoints);
  let attempts = 0;
  await page.route(/\/api\/auto-sign-in$/, (route) => {
    attempts += 1;
    return route.abort();
  });
  await page.goto(`${endpoints.appOrigin}/app-shell`);
  await expect(page.getByText("We couldn't sign you in. Sign in to continue").first()).toBeVisible();
  await page.goto(`${endpoints.appOrigin}/app-shell`);
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible();
  await page.waitForLoadState('networkidle');
  expect(attempts).toBe(1);
  await expect(page.getByText("We couldn't sign you in. Sign in to continue")).toHaveCount(0);
});

test('a session with an old authentication gets no auto sign-in and no message', async ({
  page,
  endpoints: shared,
  user,
}) => {
  const { endpoints, advance, stop } = await startTimedApp(shared);
  await page.goto(`${getSignInUrl(endpoints)}?return_to=courses`);
  await submitSignIn(page, user);
  await expect(page).toHaveURL(`${endpoints.appOrigin}/user/courses`);
  await forgetProvider(page, endpoints);
  await advance(301);
  const statuses: number[] = [];
  page.on('response', (answer) => void (/\/api\/auto-sign-in$/.test(answer.url()) && statuses.push(answer.status())));
  for (const path of ['/app-shell', '/user/courses']) {
    await page.goto(`${endpoints.appOrigin}${path}`);
    await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible();
    await expect.poll(() => statuses).toEqual([403]);
    await page.waitForLoadState('networkidle');
  }
  expect(statuses).toEqual([403]);
  await expect(page.getByText("We couldn't sign you in. Sign in to continue")).toHaveCount(0);
  await stop();
});

const NOTIFICATIONS = {
  AutoSignOut: "You've been signed out",
  AccountConfirmed: 'Your account is confirmed',
  AutoLoginFailed: "We couldn't sign you in. Sign in to continue",
  ForcedSignOut: 'We signed you out to protect your account',
  DeletionScheduled: 'Your account will be deleted in 7 days',
  SignedOut: "You're signed out.",
  SignedOutEverywhere: "You're signed out on all devices.",
  DeviceCleared: 'this browser has forgotten you',
  InviteAccepted: "You've accepted the invitation",
  InviteFailed: "We couldn't accept the invitation",
  InviteExpired: 'This invitation has expired',
};

const LASTING = new Set([
  ...['ForcedSignOut', 'DeletionScheduled', 'InviteFailed', 'InviteExpired'],
  ...['SignedOut', 'SignedOutEverywhere', 'DeviceCleared'],
]);

for (const [key, text] of Object.entries(NOTIFICATIONS)) {
  test(`the notification ${key} is shown`, async ({ page, endpoints }) => {
    await page.goto(`${endpoints.appOrigin}/sign-in?notification=${key}`);
    await expect(page.getByText(text).first()).toBeVisible();
    // A message that stays is part of the page. The others are toasts, which disappear.
    await expect(page.getByRole('main').getByText(text)).toHaveCount(LASTING.has(key) ? 1 : 0);
    await expect(page).toHaveURL(`${endpoints.appOrigin}/sign-in`);
  });
}

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
