// Threats: dependency-failure
import type { BrowserContext, Page } from '@playwright/test';
import { createAccountsClient } from '../support/accounts-client';
import { expect } from '../support/fixtures';
import { expectDashboard, expectSignInPage, submitSignIn, getScriptUrls } from '../support/journeys';
import {
  agree,
  ANALYTICS,
  ERROR_SERVICE,
  getEvents,
  failIn,
  failOnPage,
  test,
  watchLibraries,
  type Services,
} from '../support/services';

const LIBRARIES = new RegExp(`${ERROR_SERVICE.source}|${ANALYTICS.source}`);

test.describe.configure({ mode: 'serial', timeout: 300_000 });

/** Signs in after a wrong password, and signs out. This must work whatever the state of those services. */
async function signInAndOut(page: Page, { stack: { endpoints } }: Services): Promise<void> {
  const user = await createAccountsClient(endpoints).create();
  const failures: string[] = [];
  page.on('pageerror', (error) => failures.push(error.message));
  const libraries = watchLibraries(page);
  await page.goto(`${endpoints.platformOrigin}/user/dashboard`);
  await submitSignIn(page, { ...user, password: 'not-my-password' });
  await expect(page.getByRole('alert').filter({ hasText: /\S/ })).toBeVisible();
  // Wait until both libraries have loaded or failed before signing in.
  await expect.poll(() => libraries.loaded.length + libraries.refused.length, { timeout: 60_000 }).toBeGreaterThan(1);
  await submitSignIn(page, user);
  await expectDashboard(page, endpoints, user);
  await page.goto(`${endpoints.appOrigin}/app-shell`);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expectSignInPage(page, endpoints);
  expect(failures).toEqual([]);
}

/** Blocks both libraries and all requests to both services, as a content blocker in the browser does. */
async function block(context: BrowserContext, { analytics }: Services): Promise<void> {
  await context.route(`${analytics.url}/**`, (route) => route.abort());
  await context.route('**/monitoring**', (route) => route.abort());
  await context.route('**/_next/static/**/*.js', async (route) => {
    // The server may close a kept connection just as it is used again.
    const response = await route.fetch({ maxRetries: 3 });
    const isLibrary = LIBRARIES.test(await response.text());
    await (isLibrary ? route.abort() : route.fulfill({ response }));
  });
}

for (const mode of ['failing', 'slow', 'silent', 'refusing', 'garbled', 'cut'] as const)
  test(`sign-in is the same while both services are ${mode}`, async ({ page, context, services }) => {
    services.analytics.setMode(mode);
    services.errors.setMode(mode);
    await agree(context, services);
    await signInAndOut(page, services);
  });

test('sign-in is the same while both are blocked', async ({ page, context, services }) => {
  services.analytics.setMode('healthy');
  services.errors.setMode('healthy');
  const arrived = services.analytics.arrived.length;
  await agree(context, services);
  await block(context, services);
  await signInAndOut(page, services);
  expect(services.analytics.arrived).toHaveLength(arrived);
  await context.unrouteAll({ behavior: 'ignoreErrors' });
});

test('errors before the error service has loaded are reported, except foreign ones', async ({
  page,
  context,
  services,
}) => {
  const { errors, stack } = services;
  await context.addInitScript(`new MutationObserver((changes, observer) => {
    const failIn = ${failIn.toString()};
    if (!document.documentElement?.hasAttribute('data-ready')) return;
    observer.disconnect();
    failIn(['early and ours', '/_next/static/chunks/early.js']);
    failIn(['early and foreign', 'https://extension.example/injected.js']);
  }).observe(document, { attributes: true, childList: true, subtree: true })`);
  await page.goto(`${stack.endpoints.appOrigin}/sign-in`);
  const reported = () => errors.errors.flatMap(({ exception }) => exception?.values?.map(({ value }) => value) ?? []);
  await expect.poll(reported, { timeout: 60_000 }).toContain('early and ours');
  await failOnPage(page, "Can't find variable: gmo");
  await failOnPage(page, 'late and foreign', 'https://extension.example/injected.js');
  await failOnPage(page, 'late and ours');
  await expect.poll(reported, { timeout: 60_000 }).toContain('late and ours');
  expect(reported().filter((value) => /foreign|gmo/.test(value ?? ''))).toEqual([]);
  expect(errors.errors.at(-1)).toMatchObject({ environment: 'test', release: 'abc1234' });
});

test('both libraries load after the form is usable, analytics only with consent', async ({
  page,
  context,
  services,
}) => {
  const { loaded } = watchLibraries(page);
  await page.goto(`${services.stack.endpoints.appOrigin}/sign-in`, { waitUntil: 'commit' });
  await expect.poll(() => loaded, { timeout: 60_000 }).toContain('error service');
  await page.waitForLoadState('networkidle');
  expect(loaded).toEqual(['error service']);
  await agree(context, services);
  loaded.length = 0;
  await page.reload();
  await expect.poll(() => [...loaded].sort(), { timeout: 60_000 }).toEqual(['analytics', 'error service']);
  // The page's HTML references neither library.
  const html = await (await context.request.get(page.url())).text();
  expect(getScriptUrls(html).length).toBeGreaterThan(5);
  for (const path of getScriptUrls(html)) {
    const text = await (await context.request.get(new URL(path, page.url()).href)).text();
    expect(LIBRARIES.test(text), path).toBe(false);
  }
});

test('nothing is recorded for a test account', async ({ page, context, services }) => {
  const { stack, analytics } = services;
  analytics.setMode('healthy');
  await agree(context, services);
  const user = await createAccountsClient(stack.endpoints).create({ email: `test+${String(Date.now())}@campus.test` });
  const before = analytics.arrived.length;
  const { loaded } = watchLibraries(page);
  await page.goto(`${stack.endpoints.appOrigin}/sign-in?utm_source=mail`);
  await expect.poll(() => loaded, { timeout: 60_000 }).toContain('analytics');
  await submitSignIn(page, user);
  await expectDashboard(page, stack.endpoints, user);
  await page.goto(`${stack.endpoints.appOrigin}/app-shell`);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expectSignInPage(page, stack.endpoints);
  expect(analytics.arrived.slice(before)).toEqual([]);
  const campaign = (await context.cookies()).find(({ name }) => name === 'kktc');
  expect(decodeURIComponent(campaign?.value ?? '')).toContain('"source":"mail"');
  expect(getEvents(services, 'signOut').some(({ properties }) => properties.distinct_id === user.email)).toBe(false);
});

test('courses that cannot be loaded show an error and a retry button', async ({ page, context, services }) => {
  const { stack } = services;
  const user = await createAccountsClient(stack.endpoints).create();
  await page.goto(`${stack.endpoints.appOrigin}/user/courses`);
  await submitSignIn(page, user);
  await expect(page.getByRole('status').filter({ hasText: 'Loading your courses' })).toBeAttached();
  await expect(page.getByText("We couldn't load your courses.")).toBeVisible({ timeout: 30_000 });
  const courses = [{ id: 'algebra', title: 'Algebra', lessons: [] }];
  await context.route('**/api/user/courses', (route) => route.fulfill({ json: { courses, elsewhere: false } }));
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('heading', { name: 'Algebra' })).toBeVisible();
  await expect(page.getByText('This course has no lessons yet.')).toBeVisible();
  await expect(page.getByText("You've finished this course.")).toHaveCount(0);
});

test('error reports contain the code of the self-check', async ({ page, services }) => {
  const { errors, stack } = services;
  await page.goto(`${stack.endpoints.appOrigin}/self-check`);
  await page.getByRole('button', { name: 'Start the check' }).click();
  const code = await page.locator('main strong').textContent();
  const tags = () => errors.errors.map(({ tags: found }) => found);
  await expect.poll(tags, { timeout: 60_000 }).toContainEqual(expect.objectContaining({ support_code: code }));
});
