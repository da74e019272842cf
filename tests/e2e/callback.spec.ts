// Threats: open-redirect
import http from 'node:http';
import type { AddressInfo } from 'node:net';
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
  // This tab has none of its own.
  await storeInBrowser(`${endpoints.platformOrigin}/user/courses/the-night-sky`);
  await page.goto(getSignInUrl(endpoints));
  await storeInBrowser('https://evil.example/');
  await submitSignIn(page, user);
  await expectDashboard(page, endpoints, user);
});

test('of two tabs that wait for a sign-in, each goes on to its own lesson', async ({
  page,
  context,
  endpoints,
  user,
}) => {
  const courses = [getDashboardUrl(endpoints), `${endpoints.platformOrigin}/user/courses/the-night-sky`];
  const [first = '', second = ''] = courses.map(
    (course) => `${getSignInUrl(endpoints)}?redirect_uri=${encodeURIComponent(course)}`,
  );
  const other = await context.newPage();
  await page.goto(second);
  await expect(page).not.toHaveURL(/redirect_uri/);
  await other.goto(first);
  await expect(other).not.toHaveURL(/redirect_uri/);
  await submitSignIn(page, user);
  await expect(page).toHaveURL(courses[1] ?? '');
  await expect(other).toHaveURL(courses[0] ?? '');
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
