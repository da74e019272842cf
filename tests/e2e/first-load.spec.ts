import { giveFirstFactor } from '../support/code-page';
import { expect, test } from '../support/fixtures';
import {
  getDashboardUrl,
  expectDashboard,
  expectPath,
  pageReady,
  getScriptUrls,
  getSignInCode,
  getSignInUrl,
  signInByApi,
  submitSignIn,
} from '../support/journeys';
import { enrolApp } from '../support/second-factor';

for (const path of ['/sign-in', '/registration', '/forget-password'])
  test(`${path} stays within its size`, async ({ browser, endpoints }) => {
    const [{ BUDGETS }, { fetchFirstAnswer }, { visit }] = await Promise.all([
      import('../../bench/budgets.mjs'),
      import('../../bench/lib/first-answer.mjs'),
      import('../../bench/lib/slow-phone.mjs'),
    ]);
    const { usableJs, idleJs, css } = await visit(browser, endpoints.appOrigin + path, { slow: false });
    expect(usableJs).toBeGreaterThan(100_000);
    expect(usableJs).toBeLessThanOrEqual(BUDGETS.page.usableJs);
    expect(idleJs).toBeLessThanOrEqual(path === '/sign-in' ? BUDGETS.page.signInIdleJs : BUDGETS.page.idleJs);
    expect(css).toBeLessThanOrEqual(BUDGETS.page.css);
    const firstAnswer = await fetchFirstAnswer(endpoints.appOrigin + path);
    expect(firstAnswer).toBeGreaterThan(8_000);
    expect(firstAnswer).toBeLessThanOrEqual(BUDGETS.page.firstAnswer);
  });

test('the pages of the second factor stay within the size of the others', async ({
  browser,
  page,
  endpoints,
  user,
  accounts,
}) => {
  const [{ BUDGETS }, { visit }] = await Promise.all([
    import('../../bench/budgets.mjs'),
    import('../../bench/lib/slow-phone.mjs'),
  ]);
  const measure = async () => {
    const cookies = await page.context().cookies();
    const { usableJs, idleJs, css } = await visit(browser, page.url(), { slow: false, cookies });
    expect(usableJs).toBeGreaterThan(100_000);
    expect(usableJs).toBeLessThanOrEqual(BUDGETS.page.usableJs);
    expect(idleJs).toBeLessThanOrEqual(BUDGETS.page.idleJs);
    expect(css).toBeLessThanOrEqual(BUDGETS.page.css);
  };
  await enrolApp(endpoints, user);
  await giveFirstFactor(page, endpoints, user);
  await measure();
  await page.context().clearCookies();
  await page.goto(`${endpoints.platformOrigin}/user/certificates`);
  await submitSignIn(page, await accounts.create());
  await expectPath(page, endpoints, '/sign-in/set-up-second-factor');
  await measure();
});

test('/security stays within its size', async ({ browser, page, endpoints, user, accounts }) => {
  const [{ BUDGETS }, { visit }] = await Promise.all([
    import('../../bench/budgets.mjs'),
    import('../../bench/lib/slow-phone.mjs'),
  ]);
  await signInByApi(page, endpoints, await accounts.idToken(user));
  const cookies = await page.context().cookies();
  const sizes = await visit(browser, `${endpoints.appOrigin}/security`, { slow: false, cookies });
  expect(sizes.usableJs).toBeGreaterThan(100_000);
  expect(sizes.usableJs).toBeLessThanOrEqual(BUDGETS.account.usableJs);
  expect(sizes.idleJs).toBeLessThanOrEqual(BUDGETS.account.idleJs);
  expect(sizes.css).toBeLessThanOrEqual(BUDGETS.account.css);
});

test('the first answer is enough to paint the page', async ({ page, endpoints }) => {
  await page.route('**/*', (route) =>
    route.request().resourceType() === 'document' ? route.continue() : route.abort('connectionrefused'),
  );
  await page.goto(`${endpoints.appOrigin}/sign-in?theme=light`);
  const form = page.getByRole('form', { name: 'Sign in' });
  await expect(form.getByRole('button', { name: 'Sign in', exact: true })).toHaveCSS(
    'background-color',
    'rgb(31, 95, 91)',
  );
  await expect(form.getByLabel('Email', { exact: true })).toHaveCSS('border-top-style', 'solid');
});

test('large scripts are compiled off the main thread', async ({ endpoints, request }) => {
  const html = await (await request.get(getSignInUrl(endpoints))).text();
  const scripts = await Promise.all(
    getScriptUrls(html).map(async (address) => (await request.get(endpoints.appOrigin + address)).text()),
  );
  const large = scripts.filter(({ length }) => length > 20_000);
  expect(large.length).toBeGreaterThan(2);
  for (const script of large) expect.soft(script.slice(0, 29)).toBe('//# allFunctionsCalledOnLoad\n');
});

test('scripts are loaded as the framework does it: deferred, in the first response', async ({ endpoints, request }) => {
  const html = await (await request.get(getSignInUrl(endpoints))).text();
  const tags = html.match(/<script[^>]* src="[^>]*>/g) ?? [];
  expect(tags.length).toBeGreaterThan(4);
  for (const tag of tags) expect.soft(tag).toMatch(/ (defer|nomodule)=""/i);
});

test('from the click on the button to the dashboard there are no unnecessary requests', async ({
  page,
  endpoints,
  user,
}) => {
  const code = getSignInCode(page);
  // The autofill makes this request when the page is idle. On a busy machine, the page can seem idle earlier.
  const autofill = page.waitForResponse('**/api/passkeys/sign-in-options');
  await page.goto(`${endpoints.appOrigin}/sign-in?redirect_uri=${encodeURIComponent(getDashboardUrl(endpoints))}`);
  await pageReady(page);
  // Types like a learner, because the form's modules load during typing.
  await page.getByLabel('Email', { exact: true }).pressSequentially(user.email);
  await Promise.all([code, autofill]);
  await page.waitForLoadState('networkidle');
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (request.method() !== 'OPTIONS') asked.push(`${request.method()} ${pathname.replace(/^.*(?=\/v1\/)/, '')}`);
  });
  await submitSignIn(page, user);
  await page.waitForURL(getDashboardUrl(endpoints), { waitUntil: 'commit' });
  const untilDashboard = asked.slice(0, asked.indexOf('GET /user/dashboard') + 1);
  expect(untilDashboard).toEqual([
    'POST /v1/accounts:signInWithPassword',
    'POST /api/create-user-session',
    'GET /user/dashboard',
  ]);
  await expectDashboard(page, endpoints, user);
});
