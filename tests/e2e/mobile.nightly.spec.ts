// ASVS: 10.7.1, 10.7.2
// Threats: mobile-code
import { beginSignIn, codeFrom, exchangeCode } from '../../examples/mobile/client.mjs';
import { expect, test } from '../support/fixtures';
import { signIn, getSignInUrl, submitSignIn } from '../support/journeys';
import { startTimedApp } from '../support/timed-app';
import { getCallback, installApp } from '../support/mobile-journeys';

test.beforeEach(({ page }) => installApp(page));

test('a signed-out learner signs in first, and the request is kept', async ({ page, endpoints, user }) => {
  const begun = beginSignIn(endpoints);
  await page.goto(begun.address);
  await submitSignIn(page, user);
  await page.getByRole('button', { name: `Continue as ${user.name}` }).click();
  const callback = await getCallback(page);
  await exchangeCode({ ...endpoints, code: codeFrom(callback, begun), verifier: begun.verifier });
});

test('a sign-in older than five minutes has to be repeated to authorize the app', async ({
  page,
  endpoints: shared,
  user,
}) => {
  const { endpoints, advance, stop } = await startTimedApp(shared);
  await page.goto(`${getSignInUrl(endpoints)}?return_to=security`);
  await submitSignIn(page, user);
  await expect(page).toHaveURL(`${endpoints.appOrigin}/security`);
  await advance(301);
  const begun = beginSignIn(endpoints);
  await page.goto(begun.address);
  await page.getByRole('button', { name: `Continue as ${user.name}` }).click();
  await expect(page.getByText('For your security, sign in again')).toBeVisible();
  const again = page.getByRole('button', { name: 'Sign in again' });
  // This button replaces the selected button and keeps the focus.
  await expect(again).toBeFocused();
  await again.click();
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue(user.email);
  // The identity provider does not use the shifted clock.
  await advance(0);
  await submitSignIn(page, user);
  await expect(page).toHaveURL(`${endpoints.appOrigin}/mobile/account-selection`);
  await page.getByRole('button', { name: `Continue as ${user.name}` }).click();
  const callback = await getCallback(page);
  await exchangeCode({ ...endpoints, code: codeFrom(callback, begun), verifier: begun.verifier });
  await stop();
});

test('another account can be used', async ({ page, endpoints, user, accounts }) => {
  const other = await accounts.create();
  await signIn(page, endpoints, user);
  const begun = beginSignIn(endpoints);
  await page.goto(begun.address);
  await page.getByRole('button', { name: 'Use another account' }).click();
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue('');
  await submitSignIn(page, other);
  await page.getByRole('button', { name: `Continue as ${other.name}` }).click();
  expect(codeFrom(await getCallback(page), begun)).toMatch(/^[\w-]{43}$/);
});

test('of two requests only the newer can be answered', async ({ page, context, endpoints, user }) => {
  await signIn(page, endpoints, user);
  await page.goto(beginSignIn(endpoints).address);
  const other = await context.newPage();
  await other.goto(beginSignIn(endpoints).address);
  await page.getByRole('button', { name: `Continue as ${user.name}` }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'This request has expired' })).toBeVisible();
});

test('the app can be opened again after the hand-over', async ({ page, endpoints, user }) => {
  await signIn(page, endpoints, user);
  await page.goto(beginSignIn(endpoints).address);
  await page.getByRole('button', { name: `Continue as ${user.name}` }).press('Enter');
  const callback = await getCallback(page);
  await expect(page.getByText('If your browser asks, let it open the Campus app.')).toBeVisible();
  await expect(page.getByRole('heading', { level: 1, name: "You're signed in" })).toBeFocused();
  await page.evaluate(() => delete document.documentElement.dataset.openedApp);
  await page.getByRole('link', { name: 'Open the app' }).press('Enter');
  expect(await getCallback(page)).toBe(callback);
});

test('the app can be authorized again and again in one tab', async ({ page, endpoints, user }) => {
  await signIn(page, endpoints, user);
  for (let round = 0; round < 4; round += 1) {
    const begun = beginSignIn(endpoints);
    await page.goto(begun.address);
    await page.getByRole('button', { name: `Continue as ${user.name}` }).click();
    await exchangeCode({ ...endpoints, code: codeFrom(await getCallback(page), begun), verifier: begun.verifier });
  }
});

test('a page that comes back from the cache of the browser is not blocked', async ({ page, endpoints, user }) => {
  await signIn(page, endpoints, user);
  const begun = beginSignIn(endpoints);
  await page.goto(begun.address);
  // The request gets no response, because the learner leaves while the page waits.
  await page.route('**/api/mobile/authorize', () => undefined, { times: 1 });
  const isSent = page.waitForRequest('**/api/mobile/authorize');
  const button = page.getByRole('button', { name: `Continue as ${user.name}` });
  await button.click();
  await isSent;
  await expect(button).toHaveAttribute('aria-disabled', 'true');
  await page.evaluate(() => window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
  await button.click();
  expect(codeFrom(await getCallback(page), begun)).toMatch(/^[\w-]{43}$/);
});

test('an invalid request is refused with a message', async ({ page, endpoints, user }) => {
  await signIn(page, endpoints, user);
  const address = new URL(beginSignIn(endpoints).address);
  address.searchParams.set('redirect_uri', 'https://evil.example/');
  const answer = await page.goto(address.href);
  expect(answer?.status()).toBe(400);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Go back to the app');
  await expect(page.getByRole('main').getByText("the Campus app didn't open it")).toBeVisible();
});
