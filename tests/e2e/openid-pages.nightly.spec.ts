// Threats: foreign-client, foreign-sign-out
// cspell:ignore Überlingen مكتبة البحيرة
import type { Page } from '@playwright/test';
import type { Endpoints } from '../../scripts/lib/stack.mjs';
import { loadSecurity, signOutEverywhere } from '../support/account-journeys';
import { expectNoViolations } from '../support/axe';
import { expect, test as base } from '../support/fixtures';
import { getSignInUrl, pageReady, signInByApi, submitSignIn } from '../support/journeys';
import {
  getCallback,
  getMoodleLogout,
  leadToSignIn,
  LIBRARY,
  MOODLE,
  startWithSites,
  type SiteName,
  type Sites,
} from '../support/openid-sites';

const test = base.extend<object, { sites: Sites; app: Endpoints }>({
  sites: [
    async ({}, use) => {
      const { sites, stop } = await startWithSites(
        JSON.parse(process.env.E2E_ENDPOINTS ?? '{}') as Endpoints,
        'en,de,ar',
      );
      await use(sites);
      await stop();
    },
    { scope: 'worker', timeout: 240_000 },
  ],
  app: [async ({ sites }, use) => use(sites), { scope: 'worker' }],
});

/** Signs in at websites with the session of this browser. */
async function visit(page: Page, sites: Sites, names: SiteName[]): Promise<void> {
  for (const name of names) {
    await leadToSignIn(page, sites, name);
    await expect(page).toHaveURL((address) => address.href.startsWith(getCallback(sites, name)));
    expect(new URL(page.url()).searchParams.get('code')).not.toBeNull();
  }
}

const main = (page: Page) => page.getByRole('main');
const pressSignOut = (page: Page) => main(page).getByRole('button', { name: 'Sign out', exact: true }).click();
const LINK = `Sign out of ${MOODLE}`;

/** Expects the name on the page that follows a sign-out. */
async function expectNamed(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toHaveText("You're signed out of Campus");
  const items = main(page).getByRole('listitem');
  await expect(items).toHaveCount(2);
  await expect(items.filter({ hasText: `${LINK} moodle.lakeside.localhost` })).toBeVisible();
  await expect(items.filter({ hasText: `${LIBRARY} library.lakeside.localhost` })).toBeVisible();
  await expect(page).toHaveTitle(/signed out/i);
}

test('/sign-out names the websites that it does not reach, before and after, and links their own sign-out', async ({
  page,
  context,
  sites,
  endpoints,
  user,
  accounts,
}) => {
  await signInByApi(page, endpoints, await accounts.idToken(user));
  await page.goto(`${endpoints.appOrigin}/sign-out`);
  // Without any website so far, the page mentions all sites.
  await expect(main(page)).toContainText("You'll be signed out of every Campus site in this browser.");
  await visit(page, sites, ['moodle', 'library']);
  await page.goto(`${endpoints.appOrigin}/sign-out`);
  await expect(main(page)).not.toContainText('every');
  await expect(main(page)).toContainText("Campus can't sign you out of these websites. Sign out of each one yourself:");
  for (const text of [MOODLE, 'moodle.lakeside.localhost', LIBRARY, 'library.lakeside.localhost'])
    await expect(main(page).getByRole('listitem').getByText(text, { exact: true })).toBeVisible();
  await expectNoViolations(page);
  await pressSignOut(page);
  await expectNamed(page);
  await expectNoViolations(page);
  await page.reload();
  await expectNamed(page);
  const opened = context.waitForEvent('page');
  await main(page).getByRole('link', { name: LINK }).click();
  const moodle = await opened;
  await expect(moodle).toHaveURL(getMoodleLogout(sites));
  expect(await moodle.evaluate(() => [globalThis.opener === null, document.referrer])).toEqual([true, '']);
  await main(page).getByRole('link', { name: 'Continue' }).click();
  await expect(page).toHaveURL(getSignInUrl(endpoints));
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('the websites are named as well', async ({ page, sites, endpoints, user, accounts }) => {
    await signInByApi(page, endpoints, await accounts.idToken(user));
    await visit(page, sites, ['moodle', 'library']);
    await page.goto(`${endpoints.appOrigin}/sign-out`);
    await pressSignOut(page);
    await expectNamed(page);
  });
});

const WAYS: [string, (page: Page) => Promise<void>][] = [
  ['the button of every page', (page) => page.getByRole('button', { name: 'Sign out', exact: true }).click()],
  ['"Sign out everywhere"', signOutEverywhere],
];

for (const [way, signOut] of WAYS)
  test(`${way} leads to the page that names them`, async ({ page, sites, endpoints, user, accounts }) => {
    await signInByApi(page, endpoints, await accounts.idToken(user));
    await visit(page, sites, ['moodle', 'library']);
    await loadSecurity(page, endpoints);
    await signOut(page);
    await expectNamed(page);
    await main(page).getByRole('link', { name: 'Continue' }).click();
    await expect(page).toHaveURL(getSignInUrl(endpoints));
  });

test('the next learner at a website with reauthenticate has to sign in, and an impatient one may come back', async ({
  page,
  sites,
  endpoints,
  user,
  accounts,
}) => {
  await signInByApi(page, endpoints, await accounts.idToken(user));
  // This is longer than the allowed clock skew.
  await page.waitForTimeout(11_000);
  await leadToSignIn(page, sites, 'lab');
  await expect(page).toHaveURL((address) => address.href.startsWith(getSignInUrl(endpoints)));
  await expect(main(page)).toContainText("You'll continue to Lab");
  await pageReady(page);
  await submitSignIn(page, user);
  await expect(page).toHaveURL((address) => address.href.startsWith(getCallback(sites, 'lab')));
});

test('a logout with an address that is not registered says so, and can be done here, in the language asked for', async ({
  page,
  sites,
  endpoints,
  user,
  accounts,
}) => {
  await signInByApi(page, endpoints, await accounts.idToken(user));
  const getLogout = (more: Record<string, string>) => {
    const query = { client_id: 'moodle', post_logout_redirect_uri: `${sites.getSite('moodle')}/elsewhere` };
    return `${endpoints.appOrigin}/api/oidc/logout?${new URLSearchParams({ ...query, ...more }).toString()}`;
  };
  await page.goto(getLogout({}));
  await expect(page.getByRole('heading', { level: 1 })).toHaveText("You couldn't be signed out");
  await expect(main(page)).toContainText(/Support code: [\w-]{8,}/);
  await expectNoViolations(page);
  await page.goto(getLogout({ ui_locales: 'ar' }));
  await expect(page.locator('html')).toHaveAttribute('dir', 'rtl');
  await main(page).getByRole('link').first().click();
  await expect(page).toHaveURL(`${endpoints.appOrigin}/sign-out?ui_locales=ar`);
  await expect(page.locator('html')).toHaveAttribute('lang', 'ar');
  await main(page).getByRole('button').first().click();
  await expect(page).toHaveURL((address) => address.href.startsWith(getSignInUrl(endpoints)));
  await expect(page.locator('html')).toHaveAttribute('lang', 'ar');
  expect((await page.request.post(`${endpoints.appOrigin}/api/check-auth-status`)).status()).toBe(401);
});

test('a logout that a website asks for is in its language', async ({ page, endpoints, user, accounts }) => {
  await signInByApi(page, endpoints, await accounts.idToken(user));
  await page.goto(`${endpoints.appOrigin}/api/oidc/logout?client_id=moodle&ui_locales=de`);
  await expect(page.locator('html')).toHaveAttribute('lang', 'de');
  await main(page).getByRole('button').first().click();
  await expect(page).toHaveURL((address) => address.href.startsWith(getSignInUrl(endpoints)));
});

test('an error page is in the language asked for, and a sign-in, too', async ({ page, sites, endpoints }) => {
  await leadToSignIn(page, sites, 'moodle', { redirect_uri: 'http://other.localhost/', ui_locales: 'xx de' });
  await expect(page.locator('html')).toHaveAttribute('lang', 'de');
  await expectNoViolations(page);
  await leadToSignIn(page, sites, 'moodle', { ui_locales: 'ar' });
  await expect(page).toHaveURL((address) => address.href.startsWith(getSignInUrl(endpoints)));
  await expect(page.locator('html')).toHaveAttribute('lang', 'ar');
  // The name is shown as it is written, whatever the direction of the surrounding text.
  await expect(main(page)).toContainText(MOODLE);
});

for (const length of [2_048, 2_049, 3_500])
  test(`a state of ${String(length)} characters comes back to its website`, async ({
    page,
    sites,
    endpoints,
    user,
    accounts,
  }) => {
    await signInByApi(page, endpoints, await accounts.idToken(user));
    const state = 's'.repeat(length);
    await leadToSignIn(page, sites, 'moodle', { state });
    const { origin, pathname, searchParams } = new URL(page.url());
    expect([origin + pathname, searchParams.get('state')]).toEqual([getCallback(sites, 'moodle'), state]);
    expect(searchParams.get('error')).toBe(length > 2_048 ? 'invalid_request' : null);
    expect(searchParams.has('code')).toBe(length <= 2_048);
  });

test('/favicon.ico is an image, also on the login page of another website', async ({ page, sites }) => {
  const icon = `${sites.appOrigin}/favicon.ico`;
  const answer = await page.request.get(icon, { maxRedirects: 0 });
  expect([answer.status(), answer.headers()['content-type']]).toEqual([200, 'image/x-icon']);
  // The query is needed, because Playwright sends no request for an address that ends in `favicon.ico`.
  await page.goto(`${sites.getSite('moodle')}/login?icon=${encodeURIComponent(`${icon}?of=moodle`)}`);
  expect(await page.locator('img').evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBeGreaterThan(0);
});

test('the document of the provider is at every place where clients look for it', async ({ page, sites, endpoints }) => {
  const { appOrigin } = endpoints;
  const issuer = `${appOrigin}/api/oidc`;
  const documents: unknown[] = [];
  // A page of another website reads it.
  await page.goto(sites.getSite('moodle'));
  for (const name of ['openid-configuration', 'oauth-authorization-server'])
    for (const address of [`${issuer}/.well-known/${name}`, `${appOrigin}/.well-known/${name}/api/oidc`])
      documents.push(await page.evaluate(async (at) => (await fetch(at)).json() as Promise<unknown>, address));
  expect(documents[0]).toMatchObject({ issuer, authorization_endpoint: `${issuer}/authorize` });
  for (const document of documents) expect(document).toEqual(documents[0]);
});
