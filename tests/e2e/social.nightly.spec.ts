import type { Page } from '@playwright/test';
import type { Endpoints } from '../../scripts/lib/stack.mjs';
import { expect, test } from '../support/fixtures';
import {
  getDashboardUrl,
  expectDashboard,
  getSignInUrl,
  cookieHeader,
  pageReady,
  getSignInCode,
  sessionStatus,
  expectPath,
} from '../support/journeys';
import {
  answerAs,
  openProvider,
  pressProvider,
  signInAtProvider,
  newIdentity,
  PROVIDERS,
} from '../support/provider-window';
import { codeFor, register } from '../support/account-journeys';

test('the provider used last comes first, and is marked', async ({ page, endpoints }) => {
  const identity = newIdentity();
  await page.goto(getDashboardUrl(endpoints));
  await signInAtProvider(await openProvider(page, 'GitHub'), identity);
  await expectDashboard(page, endpoints, identity);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page).toHaveURL(`${endpoints.platformOrigin}/`);
  await page.goto(getSignInUrl(endpoints));
  const first = page.getByRole('main').getByRole('button').first();
  await expect(first).toHaveAccessibleName('Continue with GitHub');
  await expect(first).toHaveAccessibleDescription('Last used');
});

test('a sign-in in a popup can be canceled at once', async ({ page, endpoints }) => {
  const identity = newIdentity();
  await page.goto(getDashboardUrl(endpoints));
  const popup = await openProvider(page, 'Google');
  await expect(page.getByText('Continue with Google in the window that opened.')).toBeVisible();
  const closed = popup.waitForEvent('close');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await closed;
  await expect(page.getByText('Continue with Google in the window that opened.')).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Continue with Google' })).toBeFocused();
  await expect(page.getByRole('alert').filter({ hasText: /\S/ })).toHaveCount(0);
  await signInAtProvider(await openProvider(page, 'GitHub'), identity);
  await expectDashboard(page, endpoints, identity);
});

/** Delays Google's scripts, without which the SDK opens no window. @returns a function that releases them */
async function holdGoogle(page: Page): Promise<() => void> {
  let release = () => undefined as void;
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route('https://apis.google.com/**', async (route) => {
    await held;
    await route.fallback();
  });
  return release;
}

/** Selects Google on the sign-in page, whose window cannot open before `release`. */
async function pressHeldGoogle(page: Page, endpoints: Endpoints) {
  const release = await holdGoogle(page);
  await page.goto(getDashboardUrl(endpoints));
  const windows: Page[] = [];
  page.on('popup', (popup) => windows.push(popup));
  await pressProvider(page, 'Google');
  return { release, windows };
}

test('a sign-in can be canceled before its window has opened, which then does not open', async ({
  page,
  endpoints,
}) => {
  const identity = newIdentity();
  const { release, windows } = await pressHeldGoogle(page, endpoints);
  await expect(page.getByText('Opening a window for Google.')).toBeVisible();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByText('Opening a window for Google.')).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Continue with Google' })).toBeFocused();
  release();
  await signInAtProvider(await openProvider(page, 'GitHub'), identity);
  await expectDashboard(page, endpoints, identity);
  expect(windows).toHaveLength(1);
});

test('of several providers selected in a row, only the last opens its window', async ({ page, endpoints }) => {
  const identity = newIdentity();
  const { release, windows } = await pressHeldGoogle(page, endpoints);
  await pressProvider(page, 'Apple');
  const [popup] = await Promise.all([page.waitForEvent('popup'), pressProvider(page, 'GitHub').then(release)]);
  expect(new URL(popup.url()).searchParams.get('providerId')).toBe('github.com');
  await signInAtProvider(popup, identity);
  await expectDashboard(page, endpoints, identity);
  expect(windows).toHaveLength(1);
});

test('a window that does not open in time shows an error', async ({ page, endpoints }) => {
  await page.clock.install();
  await holdGoogle(page);
  await page.goto(getSignInUrl(endpoints));
  await Promise.all([page.waitForRequest('https://apis.google.com/**'), pressProvider(page, 'Google')]);
  await page.clock.runFor(20_000);
  await expect(page.getByRole('alert').filter({ hasText: "We couldn't sign you in with that service" })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Continue with Google' })).not.toHaveAttribute('aria-disabled');
});

test('leaving the page closes the window', async ({ page, endpoints }) => {
  await page.goto(getSignInUrl(endpoints));
  const popup = await openProvider(page, 'Google');
  const closed = popup.waitForEvent('close');
  await page.reload();
  await closed;
});

test('going back from a redirect shows the form', async ({ page, endpoints }) => {
  await page.addInitScript(() => {
    if (window.location.pathname === '/sign-in') window.open = () => null;
  });
  await page.goto(getSignInUrl(endpoints));
  await pressProvider(page, 'Google');
  await page.waitForURL(/emulator\/auth\/handler/);
  await page.goBack();
  await expect(page.getByRole('button', { name: 'Continue with Google' })).toBeEnabled();
  await expect(page.getByRole('button', { name: 'Continue with Google' })).not.toHaveAttribute('aria-disabled');
  await expect(page.getByRole('alert').filter({ hasText: /\S/ })).toHaveCount(0);
});

test('a provider that returns no email cannot sign in, and leaves no account', async ({ page, endpoints }) => {
  await page.goto(getSignInUrl(endpoints));
  const popup = await openProvider(page, 'GitHub');
  await answerAs(popup, { email: undefined });
  await signInAtProvider(popup, newIdentity());
  const said = "GitHub didn't share your email address with us. Allow it there, or use another sign-in method.";
  await expect(page.getByRole('alert').filter({ hasText: said })).toBeVisible();
  const answer = await page.request.post(`${endpoints.appOrigin}/api/check-auth-status`);
  expect(answer.status()).toBe(401);
});

for (const [name, text] of [
  ['Google', "We couldn't sign you in with Google"],
  ['GitHub', "We couldn't sign you in with that service"],
] as const) {
  test(`an unreadable response of ${name} shows an error`, async ({ page, endpoints }) => {
    await page.goto(getSignInUrl(endpoints));
    const popup = await openProvider(page, name);
    await popup.evaluate(() => {
      (window as unknown as { createFakeClaims: () => string }).createFakeClaims = () => 'not-json';
    });
    await signInAtProvider(popup, newIdentity());
    await expect(page.getByRole('alert').filter({ hasText: text })).toBeVisible();
  });
}

test('a disabled user gets no session with a provider either', async ({ page, endpoints, accounts }) => {
  const user = await accounts.create({ disabled: true });
  await page.goto(getSignInUrl(endpoints));
  await signInAtProvider(await openProvider(page, 'Google'), user);
  await expect(page.getByRole('alert').filter({ hasText: "This account can't sign in" })).toBeVisible();
});

for (const name of PROVIDERS.filter((each) => each !== 'Google')) {
  test(`${name} signs in by popup`, async ({ page, endpoints }) => {
    const identity = newIdentity();
    await page.goto(getDashboardUrl(endpoints));
    const popup = await openProvider(page, name);
    await signInAtProvider(popup, identity);
    await expectDashboard(page, endpoints, identity);
  });
}

test('the provider window is not loaded before a provider button is clicked', async ({ page, endpoints }) => {
  const asked: string[] = [];
  page.on('request', (request) => void asked.push(request.url()));
  const code = getSignInCode(page);
  await page.goto(getSignInUrl(endpoints));
  await pageReady(page);
  await page.getByLabel('Email', { exact: true }).focus();
  await code;
  await page.waitForLoadState('networkidle');
  expect(asked.filter((url) => url.includes('apis.google.com') || url.includes('/auth/iframe'))).toEqual([]);
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

test('who has registered, left the code, and continues with Google is in at once', async ({
  page,
  context,
  endpoints,
  accounts,
}) => {
  const identity = newIdentity();
  await register(page, endpoints, identity.email);
  await codeFor(endpoints, identity.email);
  const other = await context.newPage();
  await other.goto(getDashboardUrl(endpoints));
  await signInAtProvider(await openProvider(other, 'Google'), identity);
  await expectDashboard(other, endpoints, identity);
  expect(await accounts.fetchMethodsByEmail(identity.email)).toEqual(['google.com']);
  // The page of the code has followed, because the account of its email is signed in.
  await expect(page).toHaveURL(/\/registration\/success/);
});

test('a closed popup shows an error within a second, and the button works again', async ({ page, endpoints }) => {
  const identity = newIdentity();
  await page.clock.install();
  await page.goto(getSignInUrl(endpoints));
  const popup = await openProvider(page, 'Google');
  await page.clock.pauseAt(Date.now() + 60_000);
  await popup.close();
  await page.clock.runFor(1_000);
  await expect(page.getByRole('alert').filter({ hasText: 'You closed the sign-in window' })).toBeVisible();
  await page.clock.resume();
  await signInAtProvider(await openProvider(page, 'Google'), identity);
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
