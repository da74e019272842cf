import AxeBuilder from '@axe-core/playwright';
import type { BrowserContext, Page } from '@playwright/test';
import { expect, test } from '../support/fixtures';
import { cookieHeader, dashboardOf, expectSignInPage, sessionStatus, signIn } from '../support/journeys';
import type { Places } from '../support/stack';

const SESSION = '_secure-user-session';

/** A page of this app that a signed-in learner stays on, once its session has been checked. */
async function openShell(context: BrowserContext, places: Places, page?: Page): Promise<Page> {
  const tab = page ?? (await context.newPage());
  await tab.goto(`${places.appOrigin}/app-shell`);
  await expect(tab.getByRole('button', { name: 'Sign out' })).toBeVisible();
  return tab;
}

/** What a browser does when the learner comes back to the tab. */
async function focus(page: Page): Promise<void> {
  await page.bringToFront();
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
}

const toldOfSignOut = (page: Page) => expect(page.getByText('You have been signed out').first()).toBeVisible();

test('a session that ended is noticed on the next focus, and said', async ({
  page,
  context,
  places,
  person,
  people,
}) => {
  await signIn(page, places, person);
  const cookie = await cookieHeader(context, places);
  await openShell(context, places, page);
  await people.revoke(person);
  await expect.poll(() => sessionStatus(places, cookie), { timeout: 35_000 }).toBe(401);
  await focus(page);
  await expectSignInPage(page, places);
  await toldOfSignOut(page);
});

test('back at the keyboard after 120 s, the session is asked after', async ({ page, context, places, person }) => {
  await signIn(page, places, person);
  await page.clock.install();
  await openShell(context, places, page);
  const cookie = await cookieHeader(context, places);
  await fetch(`${places.appOrigin}/api/initiate-logout`, {
    method: 'POST',
    headers: { cookie, origin: places.appOrigin },
  });

  let asked = 0;
  page.on('request', (request) => (asked += request.url().endsWith('/api/check-auth-status') ? 1 : 0));
  await page.mouse.move(100, 100);
  await page.clock.fastForward(60_000);
  await page.mouse.move(110, 110);
  // Whatever the page asked for before this is known once it is answered.
  await page.evaluate(() => fetch('/api/health/live').then(() => undefined));
  expect(asked).toBe(0);
  await page.clock.fastForward(61_000);
  await page.mouse.move(120, 120);
  await page.clock.runFor(10_000);
  await expectSignInPage(page, places);
});

test('signing out in one tab signs the others out at once', async ({ page, context, places, person }) => {
  await signIn(page, places, person);
  const [one, other] = [await openShell(context, places), await openShell(context, places)];
  await one.getByRole('button', { name: 'Sign out' }).click();
  await expectSignInPage(one, places);
  await expectSignInPage(other, places);
  await page.goto(dashboardOf(places));
  await expectSignInPage(page, places);
});

test('a sign-out on the platform reaches the tabs of this app on focus', async ({ page, context, places, person }) => {
  await signIn(page, places, person);
  const shell = await openShell(context, places);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page).toHaveURL(`${places.platformOrigin}/`);
  await focus(shell);
  await expectSignInPage(shell, places);
});

test('a session that is about to end says so, and staying loses nothing', async ({
  page,
  context,
  places,
  person,
  people,
}) => {
  await signIn(page, places, person);
  // As it is when it could not be renewed for days: this one lasts for five minutes.
  const value = await people.sessionOf(person, 300);
  await context.addCookies([{ name: SESSION, value, url: places.appOrigin, httpOnly: true }]);
  await page.goto(`${places.appOrigin}/account-settings/change-password`);
  const warning = page.getByText(/You will be signed out at \d+:\d\d [AP]M/);
  await expect(warning).toBeVisible();
  expect((await new AxeBuilder({ page }).analyze()).violations.map(({ id }) => id)).toEqual([]);
  await page.getByLabel('Current password', { exact: true }).fill('half typed');
  await page.getByRole('button', { name: 'Stay signed in' }).click();
  await expect(warning).toBeHidden();
  await expect(page.getByLabel('Current password', { exact: true })).toHaveValue('half typed');
  const renewed = (await context.cookies()).find(({ name }) => name === SESSION);
  expect(renewed?.expires).toBeGreaterThan(Date.now() / 1000 + 400_000);
});
