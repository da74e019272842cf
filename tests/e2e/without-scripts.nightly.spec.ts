import { expect, test } from '../support/fixtures';
import { getSignInUrl, expectDashboard, getDashboardUrl, holdScripts, submitSignIn } from '../support/journeys';

const NOT_READY = "This page hasn't finished loading.";

for (const path of ['sign-in', 'registration', 'forget-password']) {
  test.describe(`/${path} without JavaScript`, () => {
    test.use({ javaScriptEnabled: false });

    test('says that it needs it, before and after a submit', async ({ page, endpoints }) => {
      await page.goto(`${endpoints.appOrigin}/${path}`);
      // Text locators skip the contents of this element.
      const notice = page.locator('noscript > *');
      await expect(notice).toBeVisible();
      expect(await notice.textContent()).toMatch(/Turn on JavaScript in your browser, then reload this page\.$/);
      await page.getByRole('main').locator('button[type=submit]').click();
      await expect(notice).toBeVisible();
      await expect(page.getByText(NOT_READY)).toBeHidden();
    });
  });
}

test.describe('an emailed link without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('says that it needs it, in front of the loader', async ({ page, endpoints }) => {
    await page.goto(`${endpoints.appOrigin}/actions?mode=signIn&oobCode=made-up`);
    await expect(page).toHaveTitle('Sign in with your link | Campus');
    // Nothing covers the notice.
    await page.locator('body noscript').click({ trial: true });
  });
});

test('a form whose scripts failed to load says so when it is submitted', async ({ page, endpoints, user }) => {
  await page.route(/\/_next\/static\/.*\.js$/, (route) => route.abort());
  await page.goto(getSignInUrl(endpoints));
  await expect(page.getByText(NOT_READY)).toBeHidden();
  await submitSignIn(page, user);
  await expect(page.getByRole('alert').filter({ hasText: NOT_READY })).toBeVisible();
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue(user.email);
});

test('a form whose scripts hang says so, and is submitted when they arrive', async ({ page, endpoints, user }) => {
  await page.clock.install();
  const release = await holdScripts(page);
  await page.goto(getDashboardUrl(endpoints), { waitUntil: 'commit' });
  await submitSignIn(page, user);
  await expect(page.getByText(NOT_READY)).toBeHidden();
  await page.clock.runFor(10_000);
  await expect(page.getByRole('alert').filter({ hasText: NOT_READY })).toBeVisible();
  release();
  await expectDashboard(page, endpoints, user);
});
