import { expect, type BrowserContext, type Page } from '@playwright/test';
import type { Person } from './accounts';
import type { Places } from './stack';

/** Words in the SDK that outlive the build. */
const SDK = /accounts:signInWithPassword/;

export const dashboardOf = ({ platformOrigin }: Places) => `${platformOrigin}/user/dashboard`;
export const signInPageOf = ({ appOrigin }: Places) => `${appOrigin}/sign-in`;

/** Until the page's scripts are at work: before, a link is followed in the plain way. */
export const pageReady = (page: Page) => page.locator('html[data-ready]').waitFor({ state: 'attached' });

/** Until the identity provider's SDK arrives, which is fetched when somebody comes near a form; to be asked for before that. */
export const sdkOf = (page: Page) =>
  page.waitForResponse(async (answer) => answer.url().endsWith('.js') && SDK.test(await answer.text().catch(() => '')));

/** Lets the page's scripts wait. @returns what lets them come */
export async function holdScripts(page: Page): Promise<() => void> {
  let release = () => undefined as void;
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route(/\/_next\/static\/.*\.js$/, async (route) => {
    await held;
    await route.continue();
  });
  return release;
}

/** Has the page do something while it gets ready: as soon as React listens, before all of it is hydrated. */
export const onceListening = (page: Page, act: () => void) =>
  page.addInitScript(`new MutationObserver((changes, watch) => {
    if (!document.documentElement.hasAttribute('data-listening')) return;
    watch.disconnect();
    (${String(act)})();
  }).observe(document, { attributes: true, subtree: true })`);

/** Addresses of the scripts that a page begins with, in their order. */
export const scriptsOf = (html: string): string[] => html.match(/\/_next\/static\/[^"]+\.js(?=")/g) ?? [];

/** Fills the form of the page that is open, and sends it. */
export async function submitSignIn(page: Page, { email, password }: Pick<Person, 'email' | 'password'>): Promise<void> {
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** From signed out to the platform's dashboard. */
export async function signIn(page: Page, places: Places, person: Person): Promise<void> {
  await page.goto(dashboardOf(places));
  await submitSignIn(page, person);
  await expectDashboard(page, places, person);
}

export async function expectDashboard(page: Page, places: Places, person: Pick<Person, 'name'>): Promise<void> {
  await expect(page).toHaveURL(dashboardOf(places));
  await expect(page.getByRole('heading', { level: 1 })).toContainText(person.name);
}

/** Waits for the sign-in form; the address may hold a notification, never a callback. */
export async function expectSignInPage(page: Page, places: Places): Promise<void> {
  await expect(page).toHaveURL((address) => address.href.startsWith(signInPageOf(places)));
  await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible();
}

/** The Cookie header a browser would send to the app. */
export async function cookieHeader(context: BrowserContext, { appOrigin }: Places): Promise<string> {
  const cookies = await context.cookies(appOrigin);
  return cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
}

/** What the app answers a platform that forwards these cookies. */
export async function sessionStatus({ appOrigin }: Places, cookie: string): Promise<number> {
  const response = await fetch(`${appOrigin}/api/check-auth-status`, { method: 'POST', headers: { cookie } });
  return response.status;
}
