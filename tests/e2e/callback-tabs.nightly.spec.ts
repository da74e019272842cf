// Threats: open-redirect
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from '@playwright/test';
import { expect, test } from '../support/fixtures';
import {
  getDashboardUrl,
  expectDashboard,
  expectSignInPage,
  signIn,
  getSignInUrl,
  submitSignIn,
} from '../support/journeys';

test('two callbacks in one URL become the dashboard', async ({ page, endpoints, user }) => {
  const good = encodeURIComponent(`${endpoints.platformOrigin}/user/courses/the-night-sky`);
  await page.goto(`${getSignInUrl(endpoints)}?redirect_uri=${good}&redirect_uri=https%3A%2F%2Fevil.example`);
  await submitSignIn(page, user);
  await expectDashboard(page, endpoints, user);
});

test('a modified callback cookie is validated again', async ({ page, context, endpoints, user }) => {
  const storeInBrowser = (url: string) =>
    context.addCookies([{ name: 'callbackUrl', value: encodeURIComponent(url), url: endpoints.appOrigin }]);
  // This tab has no callback of its own.
  await storeInBrowser(`${endpoints.platformOrigin}/user/courses/the-night-sky`);
  await page.goto(getSignInUrl(endpoints));
  await storeInBrowser('https://evil.example/');
  await submitSignIn(page, user);
  await expectDashboard(page, endpoints, user);
});

test('of many tabs that wait for a sign-in, each goes on to its own lesson', async ({
  page,
  context,
  endpoints,
  user,
}) => {
  const tabs: [Page, string][] = [];
  // This is more than the redirects that count as a loop.
  for (const tab of [page, await context.newPage(), await context.newPage(), await context.newPage()]) {
    const lesson = `${endpoints.platformOrigin}/user/courses/the-night-sky?lesson=${tabs.length}`;
    await tab.goto(`${getSignInUrl(endpoints)}?redirect_uri=${encodeURIComponent(lesson)}`);
    await expect(tab).not.toHaveURL(/redirect_uri/);
    tabs.push([tab, lesson]);
  }
  await submitSignIn(page, user);
  for (const [tab, lesson] of tabs) await expect(tab).toHaveURL(lesson);
});

test('a tab that is loaded after another one has signed in goes on to its own lesson', async ({
  page,
  context,
  endpoints,
  user,
}) => {
  const lesson = `${endpoints.platformOrigin}/user/courses/the-night-sky`;
  await page.goto(endpoints.platformOrigin);
  const link = `${getSignInUrl(endpoints)}?redirect_uri=${encodeURIComponent(lesson)}`;
  await page.evaluate((to) => location.assign(to), link);
  await expect(page).toHaveURL(getSignInUrl(endpoints));
  await page.goto('about:blank');
  await signIn(await context.newPage(), endpoints, user);
  await page.goBack({ waitUntil: 'commit' });
  await expect(page).toHaveURL(lesson);
});

test('a tab that another learner signs in at later has forgotten the lesson', async ({
  page,
  context,
  endpoints,
  user,
  accounts,
}) => {
  const lesson = `${endpoints.platformOrigin}/user/courses/the-night-sky`;
  const other = await context.newPage();
  await page.goto(`${getSignInUrl(endpoints)}?redirect_uri=${encodeURIComponent(lesson)}`);
  await expect(page).not.toHaveURL(/redirect_uri/);
  await page.goto('about:blank');
  await signIn(other, endpoints, user);
  await other.goto(`${endpoints.appOrigin}/sign-out`);
  await other.getByRole('button', { name: 'Sign out', exact: true }).click();
  await expectSignInPage(other, endpoints);
  const next = await accounts.create();
  await page.goto(getSignInUrl(endpoints));
  await submitSignIn(page, next);
  await expectDashboard(page, endpoints, next);
});

test('the callback is removed from the URL and survives a reload', async ({ page, endpoints, user }) => {
  const course = `${endpoints.platformOrigin}/user/courses/the-night-sky`;
  await page.goto(`${getSignInUrl(endpoints)}?theme=dark&redirect_uri=${encodeURIComponent(course)}`);
  await expect(page).not.toHaveURL(/redirect_uri/);
  await page.reload();
  await submitSignIn(page, user);
  await expect(page).toHaveURL(course);
});

test('a redirect loop ends on the redirect loop page', async ({ page, endpoints, user }) => {
  await signIn(page, endpoints, user);
  const stubborn = http.createServer((req, res) => {
    const own = `http://${req.headers.host}/user/dashboard`;
    res.writeHead(302, { location: `${getSignInUrl(endpoints)}?redirect_uri=${encodeURIComponent(own)}` }).end();
  });
  await new Promise<void>((ready) => stubborn.listen(0, '127.0.0.1', ready));
  const { port } = stubborn.address() as AddressInfo;
  try {
    await page.goto(`http://localhost:${port}/user/dashboard`).catch(() => undefined);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText("We couldn't finish signing you in");
    await expect(page.getByRole('link', { name: 'Go to the dashboard' })).toHaveAttribute(
      'href',
      getDashboardUrl(endpoints),
    );
    await page.getByRole('button', { name: 'Sign out and start again' }).click();
    await expectSignInPage(page, endpoints);
  } finally {
    stubborn.closeAllConnections();
    stubborn.close();
  }
});
