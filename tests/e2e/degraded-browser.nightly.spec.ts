// Threats: hindered-browser
import { chromium } from '@playwright/test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { findFullBrowser, hasShellAlone } from '../../scripts/lib/test-tools.mjs';
import {
  askForLink,
  askForReset,
  codeFor,
  fillNewPassword,
  freshEmail,
  getAlert,
  register,
} from '../support/account-journeys';
import { expect, test } from '../support/fixtures';
import {
  getDashboardUrl,
  expectDashboard,
  expectSignInPage,
  signIn,
  getSignInUrl,
  submitSignIn,
} from '../support/journeys';
import { startOtherApp } from '../../scripts/lib/stack.mjs';
import { startTimedApp } from '../support/timed-app';

const BLOCK = 2;

/** Starts a browser whose user has blocked all cookies, which also blocks storage. */
async function browserWithoutCookies({ args }: { args?: string[] }) {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'no-cookies-'));
  mkdirSync(path.join(dir, 'Default'));
  const preferences = { profile: { default_content_setting_values: { cookies: BLOCK } } };
  writeFileSync(path.join(dir, 'Default', 'Preferences'), JSON.stringify(preferences));
  const context = await chromium.launchPersistentContext(dir, {
    executablePath: findFullBrowser(),
    args,
  });
  return {
    context,
    close: async () => {
      await context.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Restrictions of a page's storage by browsers. Each runs in the browser. */
const HINDRANCES = {
  // Firefox does this if cookies are blocked.
  'refused, channels included': () => {
    const refuse = () => {
      throw new DOMException('The operation is insecure.', 'SecurityError');
    };
    for (const name of ['localStorage', 'sessionStorage', 'indexedDB'])
      Object.defineProperty(window, name, { get: refuse, configurable: true });
    window.BroadcastChannel = class {
      constructor() {
        refuse();
      }
    } as unknown as typeof BroadcastChannel;
  },
  'that never responds': () => {
    IDBFactory.prototype.open = () => new EventTarget() as IDBOpenDBRequest;
  },
  'that opens and then never responds': () => {
    for (const name of ['put', 'get', 'getAll', 'delete'])
      Object.defineProperty(IDBObjectStore.prototype, name, { value: () => new EventTarget() });
  },
  refused: () => {
    const refuse = () => {
      throw new DOMException('Access is denied', 'SecurityError');
    };
    for (const name of ['localStorage', 'sessionStorage', 'indexedDB'])
      Object.defineProperty(window, name, { get: refuse, configurable: true });
  },
  full: () => {
    const refuse = () => {
      throw new DOMException('There is no room left', 'QuotaExceededError');
    };
    Storage.prototype.setItem = refuse;
    IDBFactory.prototype.open = refuse;
  },
};

test.use({ timeLimitFactor: 1 });

for (const [name, hindrance] of Object.entries(HINDRANCES))
  test(`with storage ${name} a learner resets a password, signs in and out, and signs in by an emailed code`, async ({
    page,
    context,
    endpoints,
    user,
  }) => {
    await context.addInitScript(hindrance);
    await askForReset(page, endpoints, user.email);
    await page.getByLabel('Code', { exact: true }).fill(await codeFor(endpoints, user.email));
    await fillNewPassword(page);
    await page.getByRole('button', { name: 'Reset password' }).click();
    await expect(page).toHaveURL(`${endpoints.appOrigin}/forget-password/confirmation`);
    await page.getByRole('link', { name: 'Continue' }).click();
    await expectDashboard(page, endpoints, user);
    await page.goto(`${endpoints.appOrigin}/app-shell`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await expectSignInPage(page, endpoints);
    await askForLink(page, endpoints, user.email);
    // The emails before it: the reset, and the notice of the new password.
    await page.getByLabel('Code', { exact: true }).fill(await codeFor(endpoints, user.email, 3));
    await expectDashboard(page, endpoints, user);
  });

test('without storage a user of the previous system chooses a new password', async ({
  page,
  context,
  endpoints: shared,
  accounts,
}) => {
  const { endpoints, stop } = await startOtherApp(shared, { NEXT_PUBLIC_ROLLOUT_MODE: 'V3FirstLogin' });
  await context.addInitScript(HINDRANCES.refused);
  const user = await accounts.create();
  await accounts.markLegacy(user);
  await page.goto(`${getSignInUrl(endpoints)}?redirect_uri=${encodeURIComponent(getDashboardUrl(endpoints))}`);
  await submitSignIn(page, user);
  await expect(page).toHaveURL(`${endpoints.appOrigin}/first-login-reset-password`);
  await fillNewPassword(page);
  await page.getByRole('button', { name: 'Reset password' }).click();
  await expect(page).toHaveURL(getDashboardUrl(endpoints));
  await stop();
});

const TEN_MINUTES = 600;

for (const [name, offset] of Object.entries({ ahead: TEN_MINUTES, behind: -TEN_MINUTES })) {
  test(`with the learner's clock ten minutes ${name} sign-in works and lasts`, async ({ page, endpoints, user }) => {
    await page.clock.install({ time: Date.now() + offset * 1_000 });
    await signIn(page, endpoints, user);
    await page.goto(`${endpoints.appOrigin}/app-shell`);
    await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible();
    const rechecked = page.waitForResponse('**/api/check-auth-status');
    await page.mouse.move(100, 100);
    await page.clock.fastForward(121_000);
    await page.mouse.move(120, 120);
    expect((await rechecked).status()).toBe(200);
    await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible();
  });

  test(`with the server's clock ten minutes ${name} registration and sign-in work`, async ({
    page,
    endpoints,
    user,
  }) => {
    const app = await startTimedApp(endpoints, offset);
    try {
      const email = freshEmail();
      await register(page, app.endpoints, email);
      await page.getByLabel('Code', { exact: true }).fill(await codeFor(endpoints, email));
      await expect(page).toHaveURL(`${app.endpoints.appOrigin}/registration/success`);
      await page.context().clearCookies();
      await page.goto(getSignInUrl(app.endpoints));
      await submitSignIn(page, user);
      await expectDashboard(page, endpoints, user);
      await page.goto(`${app.endpoints.appOrigin}/security`);
      await expect(page.getByText(user.email).first()).toBeVisible();
    } finally {
      await app.stop();
    }
  });
}

test('without cookies the page shows a notice, before and after an attempt', async ({
  endpoints,
  user,
  launchOptions,
}) => {
  test.skip(hasShellAlone(), 'The headless shell reads no preferences');
  const { context, close } = await browserWithoutCookies(launchOptions);
  try {
    const page = await context.newPage();
    const failures: string[] = [];
    context.on('weberror', (error) => failures.push(error.error().message));
    await page.goto(getSignInUrl(endpoints));
    await expect(getAlert(page)).toContainText('Allow cookies for this site');
    await submitSignIn(page, user);
    await expect(getAlert(page)).toHaveCount(2);
    await expect(getAlert(page).last()).toContainText('Cookies are turned off');
    await expect(page).toHaveURL(getSignInUrl(endpoints));
    expect(failures).toEqual([]);
  } finally {
    await close();
  }
});
