import { codeFor, getAlert, register } from '../support/account-journeys';
import { expect, test } from '../support/fixtures';
import {
  cookieHeader,
  getDashboardUrl,
  expectDashboard,
  pageReady,
  getSdk,
  sessionStatus,
  getSignInUrl,
  expectPath,
} from '../support/journeys';
import { openProvider, pressProvider, signInAtProvider, newIdentity } from '../support/provider-window';

test('the provider window is not loaded before a provider button is clicked', async ({ page, endpoints }) => {
  const asked: string[] = [];
  page.on('request', (request) => void asked.push(request.url()));
  const sdk = getSdk(page);
  await page.goto(getSignInUrl(endpoints));
  await pageReady(page);
  await page.getByLabel('Email', { exact: true }).focus();
  await sdk;
  await page.waitForLoadState('networkidle');
  expect(asked.filter((url) => url.includes('apis.google.com') || url.includes('/auth/iframe'))).toEqual([]);
});

test('Google signs in by popup', async ({ page, endpoints }) => {
  const identity = newIdentity();
  await page.goto(getDashboardUrl(endpoints));
  const popup = await openProvider(page, 'Google');
  await signInAtProvider(popup, identity);
  await expectDashboard(page, endpoints, identity);
});

test('an email that the provider has not verified needs the code', async ({ page, endpoints, accounts }) => {
  const identity = { ...newIdentity(), emailVerified: false };
  const course = `${endpoints.platformOrigin}/user/courses/the-night-sky`;
  await page.goto(course);
  await signInAtProvider(await openProvider(page, 'Facebook'), identity);
  await expectPath(page, endpoints, '/registration/confirm');
  expect(await sessionStatus(endpoints, await cookieHeader(page.context(), endpoints))).toBe(401);
  await page.getByLabel('Code', { exact: true }).fill(await codeFor(endpoints, identity.email));
  await expect(page).toHaveURL(`${endpoints.appOrigin}/registration/success`);
  await page.getByRole('link', { name: 'Continue' }).click();
  await expect(page).toHaveURL(course);
  const uid = (await page.context().cookies()).find(({ name }) => name === 'kk_uid')?.value ?? '';
  expect(await accounts.fetchMethods({ uid })).toEqual(['facebook.com']);

  // From now on, Facebook signs in without linking, and is marked as last used on this device.
  await page.goto(getDashboardUrl(endpoints));
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page).toHaveURL(`${endpoints.platformOrigin}/`);
  await page.goto(getDashboardUrl(endpoints));
  await expect(page.getByRole('button', { name: 'Continue with Facebook' })).toHaveAccessibleDescription('Last used');
  const popup = await openProvider(page, 'Facebook');
  await popup.locator('.js-reuse-account', { hasText: identity.email }).click();
  await expectDashboard(page, endpoints, identity);
});

test('who has registered, left the code, and continues with Google enters another one', async ({
  page,
  endpoints,
  accounts,
}) => {
  const identity = newIdentity();
  await register(page, endpoints, identity.email);
  await codeFor(endpoints, identity.email);
  await page.goto(getDashboardUrl(endpoints));
  await signInAtProvider(await openProvider(page, 'Google'), identity);
  await expectPath(page, endpoints, '/registration/confirm');
  await expect(page.getByText(identity.email)).toBeVisible();
  await expect(getAlert(page)).toHaveCount(0);
  expect(await sessionStatus(endpoints, await cookieHeader(page.context(), endpoints))).toBe(401);
  await page.getByLabel('Code', { exact: true }).fill(await codeFor(endpoints, identity.email, 2));
  await expect(page).toHaveURL(`${endpoints.appOrigin}/registration/success`);
  await page.getByRole('link', { name: 'Continue' }).click();
  await expectDashboard(page, endpoints, identity);
  expect(await accounts.fetchMethodsByEmail(identity.email)).toEqual(['google.com']);
});

test('a closed popup shows an error within a second, and the button works again', async ({ page, endpoints }) => {
  const identity = newIdentity();
  await page.clock.install();
  await page.goto(getSignInUrl(endpoints));
  const popup = await openProvider(page, 'Google');
  await page.clock.pauseAt(Date.now() + 60_000);
  await popup.close();
  await page.clock.runFor(1_000);
  await expect(page.getByRole('alert').filter({ hasText: 'closed before you finished' })).toBeVisible();
  await page.clock.resume();
  await signInAtProvider(await openProvider(page, 'Google'), identity);
  await expectDashboard(page, endpoints, identity);
});

test('a blocked popup falls back to a redirect', async ({ page, endpoints }) => {
  const identity = newIdentity();
  await page.addInitScript(() => {
    if (window.location.pathname === '/sign-in') window.open = () => null;
  });
  await page.goto(getDashboardUrl(endpoints));
  await pressProvider(page, 'Google');
  await page.waitForURL(/emulator\/auth\/handler/);
  await signInAtProvider(page, identity);
  await expectDashboard(page, endpoints, identity);
});

test('the helper has its own path, the only one that may be framed', async ({ request, endpoints }) => {
  const helper = await request.get(`${endpoints.appOrigin}/__/auth/iframe?apiKey=k`);
  // The emulator has its own helper, so there is nothing to proxy.
  expect(helper.status()).toBe(404);
  expect(helper.headers()['content-type']).toBe('application/problem+json');
  expect(helper.headers()['x-frame-options']).toBeUndefined();
  expect((await request.get(getSignInUrl(endpoints))).headers()['x-frame-options']).toBe('DENY');
});
