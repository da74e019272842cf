import { expect, type BrowserContext, type Page } from '@playwright/test';
import type { TestUser } from './accounts-client';
import type { Endpoints } from '../../scripts/lib/stack.mjs';

/** A string in the code of the password sign-in that survives minification. */
const PASSWORD_SIGN_IN = /accounts:signInWithPassword/;

export const getDashboardUrl = ({ platformOrigin }: Endpoints) => `${platformOrigin}/user/dashboard`;
export const getSignInUrl = ({ appOrigin }: Endpoints) => `${appOrigin}/sign-in`;

/** Waits for hydration, because a link causes a full page load before it. */
export const pageReady = (page: Page) => page.locator('html[data-ready]').waitFor({ state: 'attached' });

/**
 * Resolves when the code of the password sign-in has loaded. The form's first interaction triggers that, so call this
 * before it.
 */
export const getSignInCode = (page: Page) =>
  page.waitForResponse(
    async (answer) => answer.url().endsWith('.js') && PASSWORD_SIGN_IN.test(await answer.text().catch(() => '')),
  );

/** Delays the page's scripts. @returns a function that releases them */
export async function holdScripts(page: Page): Promise<() => void> {
  let release = () => undefined as void;
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route(/\/_next\/static\/.*\.js$/, async (route) => {
    await held;
    await route.continue();
  });
  return release;
}

/** Runs once per tab, after the framework has hydrated the page and before `PageReady` reports it. */
export const onceHydrated = (page: Page, act: () => void) =>
  page.addInitScript(`const { mark } = performance;
  performance.mark = (name, ...more) => {
    if (name === 'afterHydrate' && !sessionStorage.getItem('acted')) {
      sessionStorage.setItem('acted', 'yes');
      (${String(act)})();
    }
    return mark.call(performance, name, ...more);
  };`);

/** URLs of a page's initial scripts, in order. */
export const getScriptUrls = (html: string): string[] => html.match(/\/_next\/static\/[^"]+\.js(?=")/g) ?? [];

/** Fills in the form of the open page and submits it. */
export async function submitSignIn(
  page: Page,
  { email, password }: Pick<TestUser, 'email' | 'password'>,
): Promise<void> {
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** Goes from signed out to the platform's dashboard. */
export async function signIn(page: Page, endpoints: Endpoints, user: TestUser): Promise<void> {
  await page.goto(getDashboardUrl(endpoints));
  await submitSignIn(page, user);
  await expectDashboard(page, endpoints, user);
}

/** Creates a session of a page's browser without the screen. @param token the user's ID token */
export async function signInByApi(
  { request }: Pick<Page, 'request'>,
  { appOrigin }: Endpoints,
  token: string,
  more: Record<string, string> = {},
): Promise<void> {
  const headers = { origin: appOrigin, 'sec-fetch-site': 'same-origin', ...more };
  const answer = await request.post(`${appOrigin}/api/create-user-session`, { data: { token }, headers });
  expect(answer.status()).toBe(200);
}

export async function expectDashboard(page: Page, endpoints: Endpoints, user: Pick<TestUser, 'name'>): Promise<void> {
  await expect(page).toHaveURL(getDashboardUrl(endpoints));
  await expect(page.getByRole('heading', { level: 1 })).toContainText(user.name);
}

/** Waits for the sign-in form. Its URL may contain a notification, but never a callback. */
export async function expectSignInPage(page: Page, endpoints: Endpoints): Promise<void> {
  await expect(page).toHaveURL((address) => address.href.startsWith(getSignInUrl(endpoints)));
  // The page shows the form, or the accounts of this browser instead.
  const form = page.getByRole('button', { name: 'Sign in', exact: true });
  await expect(form.or(page.getByRole('button', { name: 'Use another account' }))).toBeVisible();
}

/** Waits for a page of the app with any query. */
export async function expectPath(page: Page, { appOrigin }: Pick<Endpoints, 'appOrigin'>, path: string): Promise<void> {
  await expect(page).toHaveURL((address) => address.origin + address.pathname === appOrigin + path);
}

/** Returns the Cookie header that a browser would send to the app. */
export async function cookieHeader(context: BrowserContext, { appOrigin }: Endpoints): Promise<string> {
  const cookies = await context.cookies(appOrigin);
  return cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
}

/** Returns the status of the app's response to a platform that forwards these cookies. */
export async function sessionStatus({ appOrigin }: Endpoints, cookie: string): Promise<number> {
  const response = await fetch(`${appOrigin}/api/check-auth-status`, { method: 'POST', headers: { cookie } });
  return response.status;
}

/** Removes a site's storage but not its cookies, as a browser does when it evicts storage. */
export async function forgetProvider(page: Page, { appOrigin }: Endpoints): Promise<void> {
  // This response has no scripts, which could restore the storage or keep the database open.
  await page.goto(`${appOrigin}/api/health/live`);
  await page.evaluate(async () => {
    localStorage.clear();
    await new Promise((done) => {
      const request = indexedDB.deleteDatabase('firebaseLocalStorageDb');
      request.onsuccess = request.onblocked = request.onerror = done;
    });
  });
}

export async function openCourses(page: Page, { appOrigin }: Endpoints, user: TestUser): Promise<void> {
  await page.goto(`${appOrigin}/user/courses`);
  await submitSignIn(page, user);
  await expect(page).toHaveURL(`${appOrigin}/user/courses`);
  await expect(page.getByRole('heading', { level: 1, name: 'Your courses' })).toBeVisible();
  // Wait for hydration, because a link causes a full page load before it.
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible();
}
