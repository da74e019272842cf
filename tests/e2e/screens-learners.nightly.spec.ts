import { beginSignIn } from '../../examples/mobile/client.mjs';
import { fillNewPassword, openRows } from '../support/account-journeys';
import { listen } from '../support/announcements';
import { expect, test } from '../support/fixtures';
import { expectSignInPage, getSignInUrl, signInByApi, submitSignIn } from '../support/journeys';
import { installApp } from '../support/mobile-journeys';
import { postBy, registerOwner } from '../support/registered';
import { scheduleDeletion } from '../support/scheduled-deletion';
import { confirmApp, getSetUp, readCodes } from '../support/second-factor-journeys';
import { checkScreen, LOCALES } from '../support/check-screen';
import { startTimedApp } from '../support/timed-app';

test.use({ locales: LOCALES });

test.beforeEach(async ({ page, endpoints, user }) => {
  await page.goto(`${getSignInUrl(endpoints)}?return_to=security`);
  await submitSignIn(page, user);
  await expect(page).toHaveURL(`${endpoints.appOrigin}/security`);
  await expect(page.getByRole('button', { name: 'Sign out', exact: true })).toBeVisible();
});

test('security', async ({ page }) => {
  await checkScreen(page, 'security');
  await openRows(page);
  await page.getByRole('button', { name: 'Connect another account' }).click();
  await page.getByRole('button', { name: 'Connect GitHub' }).click();
  await expect(page.getByLabel('Current password', { exact: true })).toBeVisible();
  await checkScreen(page, 'security.connect');
});

test('courses', async ({ page, endpoints }) => {
  await page.goto(`${endpoints.appOrigin}/user/courses`);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await checkScreen(page, 'courses');
});

test('change of the password', async ({ page, endpoints, user }) => {
  await page.goto(`${endpoints.appOrigin}/account-settings/change-password`);
  await checkScreen(page, 'change-password');
  await page.getByLabel('Current password', { exact: true }).fill(user.password);
  await fillNewPassword(page);
  await page.getByRole('button', { name: 'Change password' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Your password has been changed' })).toBeVisible();
  await checkScreen(page, 'change-password.done');
});

test('sign-out', async ({ page, endpoints }) => {
  await page.goto(`${endpoints.appOrigin}/sign-out`);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await checkScreen(page, 'sign-out');
});

test('a redirect loop', async ({ page, endpoints }) => {
  const heading = page.getByRole('heading', { name: "We couldn't finish signing you in" });
  await expect(async () => {
    await page.goto(getSignInUrl(endpoints));
    await expect(heading).toBeVisible({ timeout: 5_000 });
  }).toPass();
  await checkScreen(page, 'sign-in.sent-back');
  await page.getByRole('button', { name: 'Sign out and start again' }).click();
  await expect(heading).toHaveCount(0);
  await expectSignInPage(page, endpoints);
});

test('a session about to end', async ({ page, endpoints, user, accounts }) => {
  const value = await accounts.createSession(user, 300);
  await page.context().addCookies([{ name: '_secure-user-session', value, url: endpoints.appOrigin, httpOnly: true }]);
  const said = await listen(page);
  await page.goto(`${endpoints.appOrigin}/account-settings/change-password`);
  await expect(page.getByRole('button', { name: 'Stay signed in' })).toBeVisible();
  await expect.poll(() => said).toEqual([expect.stringContaining("You'll be signed out at")]);
  await checkScreen(page, 'change-password.session-about-to-end');
});

test('account selection for the mobile app', async ({ page, endpoints, user }) => {
  await installApp(page);
  await page.goto(beginSignIn(endpoints).address);
  await checkScreen(page, 'mobile-account-selection');
  await page.getByRole('button', { name: `Continue as ${user.name}` }).click();
  await expect(page.getByRole('link', { name: 'Open the app' })).toBeVisible();
  await checkScreen(page, 'mobile-account-selection.handed-over');
});

test('a sign-in on a new browser', async ({ page, browser, endpoints, accounts }) => {
  const owner = await registerOwner(endpoints, postBy(page, endpoints));
  const phone = await browser.newContext();
  await signInByApi(phone, endpoints, await accounts.idToken(owner), { 'user-agent': 'Mozilla/5.0 Firefox/140.0' });
  await phone.close();
  await page.reload();
  await expect(page.getByRole('group', { name: /^Was this you\?/ })).toBeVisible();
  await checkScreen(page, 'security.was-this-you');
  await page.getByRole('button', { name: "This wasn't me" }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Secure your account');
  await checkScreen(page, 'actions.was-this-you');
  await page.getByRole('button', { name: "This wasn't me" }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Choose a new password');
  await checkScreen(page, 'actions.this-was-not-me');
});

test('a deletion that is scheduled', async ({ page, context, endpoints, user, accounts }) => {
  await scheduleDeletion(endpoints, user);
  await context.clearCookies();
  await signInByApi(page, endpoints, await accounts.idToken(user));
  await page.goto(`${endpoints.appOrigin}/security`);
  await expect(page.getByRole('button', { name: 'Keep my account' })).toBeVisible();
  await checkScreen(page, 'security.deletion-scheduled');
  await page.goto(`${endpoints.appOrigin}/sign-in/keep-account`);
  await checkScreen(page, 'keep-account');
  await page.getByRole('button', { name: 'Keep my account' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText("Your account won't be deleted");
  await checkScreen(page, 'keep-account.kept');
});

test('an authenticator app', async ({ page }) => {
  await getSetUp(page).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Set up an authenticator app');
  await checkScreen(page, 'security.new-app');
  await confirmApp(page);
  await readCodes(page);
  await checkScreen(page, 'security.recovery-codes');
});

test('account selection with an expired request', async ({ page, endpoints: shared, user }) => {
  // Cookies are shared across ports, so this app has the same session.
  const { endpoints, stop } = await startTimedApp(shared, 301);
  await page.goto(beginSignIn(endpoints).address);
  await page.getByRole('button', { name: `Continue as ${user.name}` }).click();
  await expect(page.getByRole('button', { name: 'Sign in again' })).toBeVisible();
  await checkScreen(page, 'mobile-account-selection.sign-in-again');
  await stop();
});

test.describe('with a long name and the longest address', () => {
  test.use({
    user: async ({ accounts }, use) => {
      const domain = [...'abc'].map((letter) => letter.repeat(60)).join('.');
      const email = `${crypto.randomUUID().replaceAll('-', '').padEnd(64, 'x')}@${domain}.ee`;
      const name = 'Wolfeschlegelsteinhausenbergerdorff Adolph Blaine Charles David Earl Frederick Gerald';
      await use(await accounts.create({ email, name }));
    },
  });

  test('security and account selection', async ({ page, endpoints }) => {
    await checkScreen(page, 'security.longest-names');
    await page.goto(beginSignIn(endpoints).address);
    await expect(page.getByRole('button', { name: /Continue as/ })).toBeVisible();
    await checkScreen(page, 'mobile-account-selection.longest-names');
  });
});
