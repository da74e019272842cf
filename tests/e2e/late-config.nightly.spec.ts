import { expect, test } from '../support/fixtures';
import { expectDashboard, getSignInUrl, submitSignIn } from '../support/journeys';
import { startLoopback } from '../support/loopback';
import { productionLimits } from '../support/time-limits';
import { startOtherApp } from '../../scripts/lib/stack.mjs';

test('the page waits for a late config, within its policy', async ({ page, endpoints: shared, user }) => {
  const config = JSON.stringify({ brandName: 'Late School', enabledIdentities: ['password'] });
  const identityHost = await startLoopback(() => config);
  identityHost.setMode('late');
  const { endpoints, stop } = await startOtherApp(shared, {
    ...productionLimits,
    UPSTREAM_IDENTITY_URL: identityHost.url,
  });
  try {
    await page.goto(getSignInUrl(endpoints));
    await expect(page.getByText('Late School').first()).toBeVisible();
    await submitSignIn(page, user);
    await expectDashboard(page, endpoints, user);
  } finally {
    await stop();
    await identityHost.stop();
  }
});

test('without JavaScript, a late config leaves the form that signs out, and the reason why there is none to sign in', async ({
  browser,
  endpoints: shared,
  user,
  accounts,
}) => {
  const identityHost = await startLoopback(() => '{}');
  identityHost.setMode('slow');
  const { endpoints, stop } = await startOtherApp(shared, {
    ...productionLimits,
    UPSTREAM_IDENTITY_URL: identityHost.url,
  });
  const context = await browser.newContext({ javaScriptEnabled: false });
  try {
    const page = await context.newPage();
    await page.goto(getSignInUrl(endpoints));
    // Text locators skip the contents of this element.
    const reason = page.locator('body noscript');
    await expect(reason).toBeVisible();
    expect(await reason.textContent()).toMatch(/^You need JavaScript to sign in\./);
    const value = await accounts.createSession(user, 300);
    await context.addCookies([{ name: '_secure-user-session', value, url: endpoints.appOrigin, httpOnly: true }]);
    await page.goto(`${endpoints.appOrigin}/sign-out`);
    await expect(page).toHaveTitle(/^Sign out/);
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    // Without scripts, the parameter stays in the address.
    await expect(page).toHaveURL(`${getSignInUrl(endpoints)}?notification=SignedOut`);
  } finally {
    await context.close();
    await stop();
    await identityHost.stop();
  }
});
