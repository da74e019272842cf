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
  // The selected button: it keeps focus.
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
