// Threats: planted-passkey
import { confirmWith } from '../support/account-journeys';
import { addAuthenticator } from '../support/authenticator';
import { expect, test } from '../support/fixtures';
import {
  expectDashboard,
  expectPath,
  getDashboardUrl,
  getSignInUrl,
  pageReady,
  submitSignIn,
} from '../support/journeys';
import {
  createByItself,
  createPasskey,
  passkeyButton,
  signInByPasswordThenPasskey,
  withoutAutofill,
} from '../support/passkey-journeys';
import { openProvider, signInAtProvider } from '../support/provider-window';
import { startTimedApp } from '../support/timed-app';

test('after a passkey of another device, this one is offered its own', async ({ page, endpoints, user }) => {
  await withoutAutofill(page);
  const phone = await addAuthenticator(page, { transport: 'usb' });
  await phone.add((await createPasskey(endpoints, user)).key);
  const own = await addAuthenticator(page);
  await page.goto(getDashboardUrl(endpoints));
  await pageReady(page);
  await passkeyButton(page).click();
  await page.getByRole('button', { name: 'Use a phone or security key' }).click();
  await expectPath(page, endpoints, '/sign-in/add-passkey');
  await page.getByRole('button', { name: 'Create a passkey' }).click();
  await expectDashboard(page, endpoints, user);
  expect([(await own.credentials()).length, (await phone.credentials()).length].sort()).not.toEqual([0, 0]);
});

test('more than 5 minutes after the sign-in, the learner confirms first', async ({ page, endpoints: shared, user }) => {
  // Starts another app.
  test.slow();
  const { endpoints, advance, stop } = await startTimedApp(shared);
  const authenticator = await addAuthenticator(page);
  const callback = encodeURIComponent(getDashboardUrl(endpoints));
  await page.goto(`${getSignInUrl(endpoints)}?redirect_uri=${callback}`);
  await pageReady(page);
  await submitSignIn(page, user);
  await expectPath(page, endpoints, '/sign-in/add-passkey');
  await advance(400);
  await page.getByRole('button', { name: 'Create a passkey' }).click();
  await expect(page.getByRole('group', { name: "Confirm it's you first, then add a passkey." })).toBeFocused();
  await expect(page.getByRole('button', { name: 'Not now' })).toBeVisible();
  await advance(0);
  await confirmWith(page, user.password);
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await expect(page).toHaveURL(getDashboardUrl(endpoints));
  expect(await authenticator.credentials()).toMatchObject([{ userName: user.email }]);
  await stop();
});

test('without a password, the provider confirms, also on the page loaded by itself', async ({
  page,
  endpoints: shared,
}) => {
  test.slow();
  const { endpoints, advance, stop } = await startTimedApp(shared);
  await addAuthenticator(page);
  const identity = { email: `gil-${Date.now()}@campus.test`, name: 'Gil' };
  const callback = encodeURIComponent(getDashboardUrl(endpoints));
  await page.goto(`${getSignInUrl(endpoints)}?redirect_uri=${callback}`);
  await signInAtProvider(await openProvider(page, 'Google'), identity);
  await expect(page).toHaveURL(getDashboardUrl(endpoints));
  await page.goto(`${endpoints.appOrigin}/sign-in/add-passkey`);
  await pageReady(page);
  await advance(400);
  await page.getByRole('button', { name: 'Create a passkey' }).click();
  await expect(page.getByRole('group', { name: "Confirm it's you first, then add a passkey." })).toBeVisible();
  await expect(page.getByLabel('Current password', { exact: true })).toHaveCount(0);
  await advance(0);
  const popup = await openProvider(page, 'Google');
  await popup.locator('.js-reuse-account', { hasText: identity.email }).click();
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await expect(page).not.toHaveURL(/add-passkey/);
  await stop();
});

test('by its name, after a new sign-in, it comes once, and the lesson after it', async ({ page, endpoints, user }) => {
  await addAuthenticator(page);
  const lesson = `${endpoints.platformOrigin}/user/courses/the-night-sky`;
  await page.goto(`${getSignInUrl(endpoints)}?redirect_uri=${encodeURIComponent(lesson)}`);
  await page.goto(`${getSignInUrl(endpoints)}?return_to=add-passkey`);
  await pageReady(page);
  await submitSignIn(page, user);
  await expectPath(page, endpoints, '/sign-in/add-passkey');
  await page.getByRole('button', { name: 'Create a passkey' }).click();
  await expect(page).toHaveURL(lesson);
});

test('pressed twice, as while the lesson takes its time: leads to it even so', async ({ page, endpoints, user }) => {
  await addAuthenticator(page);
  const lesson = `${endpoints.platformOrigin}/user/courses/the-night-sky`;
  await page.goto(`${getSignInUrl(endpoints)}?redirect_uri=${encodeURIComponent(lesson)}`);
  await pageReady(page);
  await submitSignIn(page, user);
  await expectPath(page, endpoints, '/sign-in/add-passkey');
  await page.getByRole('button', { name: 'Not now' }).evaluate((button: HTMLElement) => {
    button.click();
    button.click();
  });
  await expect(page).toHaveURL(lesson);
});

test.describe('a password signs in, whatever becomes of the offer', () => {
  test.use({ timeLimitFactor: 1 });

  test('a browser that never says what it can do', async ({ page, endpoints, user }) => {
    await page.addInitScript(() => {
      const never = () => new Promise<never>(() => {});
      Object.assign(PublicKeyCredential, {
        isUserVerifyingPlatformAuthenticatorAvailable: never,
        getClientCapabilities: never,
      });
    });
    await page.goto(getDashboardUrl(endpoints));
    await pageReady(page);
    await submitSignIn(page, user);
    await expectDashboard(page, endpoints, user);
  });

  test('a network that stalls after the sign-in', async ({ page, endpoints, user }) => {
    await addAuthenticator(page);
    await page.goto(getDashboardUrl(endpoints));
    await pageReady(page);
    await page.route(/\/api\/passkeys\/creation-options|\/_next\/data\//, () => {});
    await submitSignIn(page, user);
    await expectDashboard(page, endpoints, user);
  });

  test('a browser that remembers nothing is offered none', async ({ page, endpoints, user }) => {
    await addAuthenticator(page);
    await page.addInitScript(() => {
      Storage.prototype.setItem = () => {
        throw new DOMException('blocked', 'QuotaExceededError');
      };
    });
    await page.goto(getDashboardUrl(endpoints));
    await pageReady(page);
    await submitSignIn(page, user);
    await expectDashboard(page, endpoints, user);
  });
});

test.describe('after a sign-in with the password', () => {
  test('the browser creates a passkey by itself, once', async ({ page, endpoints, user }) => {
    const authenticator = await addAuthenticator(page);
    await withoutAutofill(page);
    const countAsked = await createByItself(page);
    await signInByPasswordThenPasskey(page, endpoints, user, authenticator);
    await page.context().clearCookies();
    await page.goto(getDashboardUrl(endpoints));
    await pageReady(page);
    await submitSignIn(page, user);
    await expectDashboard(page, endpoints, user);
    expect(countAsked()).toBe(1);
  });

  test('a shared computer is offered none', async ({ page, endpoints, user }) => {
    await addAuthenticator(page);
    await page.goto(getDashboardUrl(endpoints));
    await pageReady(page);
    await page.getByLabel('This is a shared computer').check();
    await submitSignIn(page, user);
    await expectDashboard(page, endpoints, user);
  });
});

test.describe('after a sign-in with the password', () => {
  test('a browser that does not is offered one; "Not now" leads on, and is remembered', async ({
    page,
    endpoints,
    user,
  }) => {
    await addAuthenticator(page);
    await page.goto(getDashboardUrl(endpoints));
    await pageReady(page);
    await submitSignIn(page, user);
    await expectPath(page, endpoints, '/sign-in/add-passkey');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in faster next time');
    await page.getByRole('button', { name: 'Not now' }).click();
    await expectDashboard(page, endpoints, user);
    await page.context().clearCookies();
    await page.goto(getDashboardUrl(endpoints));
    await pageReady(page);
    await submitSignIn(page, user);
    await expectDashboard(page, endpoints, user);
  });

  test('the offer creates one, and leads on', async ({ page, endpoints, user }) => {
    const authenticator = await addAuthenticator(page);
    await page.goto(getDashboardUrl(endpoints));
    await pageReady(page);
    await submitSignIn(page, user);
    await page.getByRole('button', { name: 'Create a passkey' }).click();
    await expectDashboard(page, endpoints, user);
    expect(await authenticator.credentials()).toMatchObject([{ userName: user.email }]);
  });
});
