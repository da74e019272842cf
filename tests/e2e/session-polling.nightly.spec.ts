// ASVS: 7.3.2, 7.4.4, 7.6.1, 7.1.3
import { SESSION as CONTRACT } from '../../lib/shared/session-contract';
import { signInAtSecurity } from '../support/account-journeys';
import { expectNoViolations } from '../support/axe';
import { expect, test } from '../support/fixtures';
import { cookieHeader, expectSignInPage, signIn, submitSignIn, getDashboardUrl } from '../support/journeys';
import { startTimedApp } from '../support/timed-app';
import { SESSION, openShell, focus } from '../support/session-journeys';

test('input after 120 s checks the session', async ({ page, context, endpoints, user }) => {
  await signIn(page, endpoints, user);
  await page.clock.install();
  await openShell(context, endpoints, page);
  const cookie = await cookieHeader(context, endpoints);
  await fetch(`${endpoints.appOrigin}/api/initiate-logout`, {
    method: 'POST',
    headers: { cookie, origin: endpoints.appOrigin },
  });

  let asked = 0;
  page.on('request', (request) => (asked += request.url().endsWith('/api/check-auth-status') ? 1 : 0));
  await page.mouse.move(100, 100);
  await page.clock.fastForward(60_000);
  await page.mouse.move(110, 110);
  // When this request completes, all earlier requests of the page have been observed.
  await page.evaluate(() => fetch('/api/health/live').then(() => undefined));
  expect(asked).toBe(0);
  await page.clock.fastForward(61_000);
  await page.mouse.move(120, 120);
  await page.clock.runFor(10_000);
  await expectSignInPage(page, endpoints);
});

test('a sign-out on the platform reaches the tabs of this app on focus', async ({ page, context, endpoints, user }) => {
  await signIn(page, endpoints, user);
  const shell = await openShell(context, endpoints);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page).toHaveURL(`${endpoints.platformOrigin}/`);
  await focus(shell);
  await expectSignInPage(shell, endpoints);
});

test('a session that cannot be extended asks for a new sign-in, and returns', async ({
  page,
  context,
  endpoints: shared,
  user,
  accounts,
}) => {
  const { endpoints, advance, stop } = await startTimedApp(shared);
  // The session began six minutes ago and expires in four. In this browser, the identity provider's SDK has no user.
  const value = await accounts.createSession(user, 600);
  await advance(360);
  await page.clock.install({ time: Date.now() + 360_000 });
  await context.addCookies([
    { name: SESSION, value, url: endpoints.appOrigin, httpOnly: true },
    { name: 'kk_logged_in', value: '1', url: endpoints.appOrigin },
  ]);
  const address = `${endpoints.appOrigin}/account-settings/change-password`;
  await page.goto(address);
  await page.getByRole('button', { name: 'Stay signed in' }).click();
  await expect(page.getByText(/Finish what you're doing, then sign in again/)).toBeVisible();
  const again = page.getByRole('button', { name: 'Sign in again' });
  await expect(again).toBeFocused();
  await expectNoViolations(page);
  await again.click();
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue(user.email);
  // The identity provider does not use the shifted clock.
  await advance(0);
  await submitSignIn(page, user);
  await expect(page).toHaveURL(address);
  await stop();
});

test('signing out in one tab signs the others out at once', async ({ page, context, endpoints, user }) => {
  await signIn(page, endpoints, user);
  const [one, other] = [await openShell(context, endpoints), await openShell(context, endpoints)];
  await one.getByRole('button', { name: 'Sign out' }).click();
  await expectSignInPage(one, endpoints);
  await expectSignInPage(other, endpoints);
  await page.goto(getDashboardUrl(endpoints));
  await expectSignInPage(page, endpoints);
});

test('a session about to end shows a warning, and extending it loses nothing', async ({
  page,
  context,
  endpoints: shared,
  user,
}) => {
  const { endpoints, advance, stop } = await startTimedApp(shared);
  await signInAtSecurity(page, endpoints, user);
  // The session can no longer be extended. The identity provider does not use the shifted clock, so an extension would
  // end no later.
  await advance(CONTRACT.length - 300);
  await page.goto(`${endpoints.appOrigin}/account-settings/change-password`);
  const warning = page.getByText(/You'll be signed out at \d+:\d\d [AP]M/);
  await expect(warning).toBeVisible();
  await expectNoViolations(page);
  await page.getByLabel('Current password', { exact: true }).fill('half typed');
  await advance(0);
  await page.getByRole('button', { name: 'Stay signed in' }).click();
  await expect(warning).toBeHidden();
  await expect(page.getByLabel('Current password', { exact: true })).toHaveValue('half typed');
  const renewed = (await context.cookies()).find(({ name }) => name === SESSION);
  expect(renewed?.expires).toBeGreaterThan(Date.now() / 1000 + 400_000);
  await stop();
});
