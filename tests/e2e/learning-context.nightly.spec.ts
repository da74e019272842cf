import { expect, test } from '../support/fixtures';
import { getSignInUrl } from '../support/journeys';

test('the destination of the learner is shown on every step', async ({ page, endpoints }) => {
  const course = `${endpoints.platformOrigin}/user/courses/statistics-without-fear`;
  const words = page.getByText("You'll continue to Statistics without fear on Campus.");
  await page.goto(`${getSignInUrl(endpoints)}?redirect_uri=${encodeURIComponent(course)}`);
  await expect(words).toBeVisible();
  for (const [link, path] of [
    ['Forgot password?', '/forget-password'],
    ['Create an account', '/registration'],
  ] as const) {
    await page.getByRole('link', { name: link }).click();
    await page.waitForURL(`**${path}`);
    await expect(words).toBeVisible();
    await page.goBack();
    await page.waitForURL('**/sign-in');
  }
  // The partner’s page redirects immediately. A 204 response keeps the browser on the page.
  await page.route(/\/emulator\/auth\/handler/, (route) => route.fulfill({ status: 204 }));
  for (const path of [
    '/sign-in/enterprise',
    '/sign-in/with-email-link',
    '/actions',
    '/partner-auth/initiate?partner=acme',
  ]) {
    await page.goto(endpoints.appOrigin + path);
    await expect(words).toBeVisible();
  }
});

test('without a destination, none is shown', async ({ page, endpoints }) => {
  await page.goto(getSignInUrl(endpoints));
  await expect(page.getByText('One account for everything on Campus.')).toBeVisible();
  await expect(page.getByText(/^Continue to/)).toHaveCount(0);
  // If the brand has no URL, the link leads to the platform's home page.
  const without = page.getByRole('link', { name: 'Continue without signing in' });
  await expect(without).toHaveAttribute('href', `${endpoints.platformOrigin}/`);
});

test('a link followed before hydration keeps the callback', async ({ page, endpoints }) => {
  const course = `${endpoints.platformOrigin}/user/courses/statistics-without-fear`;
  await page.route('**/_next/static/**/*.js', (route) => route.abort());
  await page.goto(`${getSignInUrl(endpoints)}?redirect_uri=${encodeURIComponent(course)}`);
  await page.unrouteAll();
  await page.getByRole('link', { name: 'Create an account' }).click();
  await page.waitForURL('**/registration');
  await expect(page.getByText("You'll continue to Statistics without fear on Campus.")).toBeVisible();
});
