import { beginSignIn } from '../../examples/mobile/client.mjs';
import { fillNewPassword } from '../support/account-journeys';
import { listen } from '../support/announcements';
import { expect, test } from '../support/fixtures';
import { expectSignInPage, signInPageOf, submitSignIn } from '../support/journeys';
import { look } from '../support/look';
import { startTimedApp } from '../support/other-app';

test.beforeEach(async ({ page, places, person }) => {
  await page.goto(`${signInPageOf(places)}?return_to=security`);
  await submitSignIn(page, person);
  await expect(page).toHaveURL(`${places.appOrigin}/security`);
  await expect(page.getByRole('button', { name: 'Sign out', exact: true })).toBeVisible();
});

test('security', async ({ page }) => {
  await look(page, 'security');
  await page.getByRole('button', { name: 'Connect GitHub' }).click();
  await expect(page.getByLabel('Current password', { exact: true })).toBeVisible();
  await look(page, 'security.connect');
});

test('courses', async ({ page, places }) => {
  await page.goto(`${places.appOrigin}/user/courses`);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await look(page, 'courses');
});

test('change of the password', async ({ page, places, person }) => {
  await page.goto(`${places.appOrigin}/account-settings/change-password`);
  await look(page, 'change-password');
  await page.getByLabel('Current password', { exact: true }).fill(person.password);
  await fillNewPassword(page);
  await page.getByRole('button', { name: 'Change password' }).click();
  await expect(page.getByText('Your password has been changed.')).toBeVisible();
  await look(page, 'change-password.done');
});

test('a redirect loop', async ({ page, places }) => {
  const heading = page.getByRole('heading', { name: "We couldn't finish signing you in" });
  await expect(async () => {
    await page.goto(signInPageOf(places));
    await expect(heading).toBeVisible({ timeout: 1_000 });
  }).toPass();
  await look(page, 'sign-in.sent-back');
  await page.getByRole('button', { name: 'Sign out and start again' }).click();
  await expect(heading).toHaveCount(0);
  await expectSignInPage(page, places);
});

test('a session about to end', async ({ page, places, person, people }) => {
  const value = await people.sessionOf(person, 300);
  await page.context().addCookies([{ name: '_secure-user-session', value, url: places.appOrigin, httpOnly: true }]);
  const said = await listen(page);
  await page.goto(`${places.appOrigin}/account-settings/change-password`);
  await expect(page.getByRole('button', { name: 'Stay signed in' })).toBeVisible();
  await expect.poll(() => said).toEqual([expect.stringContaining("You'll be signed out at")]);
  await look(page, 'change-password.session-about-to-end');
});

test('account selection for the mobile app', async ({ page, places }) => {
  await page.goto(beginSignIn(places).address);
  await look(page, 'mobile-account-selection');
});

test('account selection with an expired request', async ({ page, places: shared, person }) => {
  // Cookies are shared across ports: it is the same session.
  const { places, stop } = await startTimedApp(shared, 301);
  await page.goto(beginSignIn(places).address);
  await page.getByRole('button', { name: `Continue as ${person.name}` }).click();
  await expect(page.getByRole('button', { name: 'Sign in again' })).toBeVisible();
  await look(page, 'mobile-account-selection.sign-in-again');
  await stop();
});

test.describe('with a long name and the longest address', () => {
  test.use({
    person: async ({ people }, use) => {
      const domain = [...'abc'].map((letter) => letter.repeat(60)).join('.');
      const email = `${crypto.randomUUID().replaceAll('-', '').padEnd(64, 'x')}@${domain}.ee`;
      const name = 'Wolfeschlegelsteinhausenbergerdorff Adolph Blaine Charles David Earl Frederick Gerald';
      await use(await people.create({ email, name }));
    },
  });

  test('security and account selection', async ({ page, places }) => {
    await look(page, 'security.longest-names');
    await page.goto(beginSignIn(places).address);
    await expect(page.getByRole('button', { name: /Continue as/ })).toBeVisible();
    await look(page, 'mobile-account-selection.longest-names');
  });
});
