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
  await page.goto(getSignInUrl(endpoints));
  await expect.poll(async () => (await context.cookies()).some(({ name }) => name === 'callbackUrl')).toBe(true);
  await context.addCookies([
    { name: 'callbackUrl', value: encodeURIComponent('https://evil.example/'), url: endpoints.appOrigin },
  ]);
  await submitSignIn(page, user);
  await expectDashboard(page, endpoints, user);
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
