// ASVS: 10.7.1, 10.7.2
// Threats: mobile-code
import type { Page } from '@playwright/test';
import { beginSignIn, codeFrom, exchangeCode, signInWithCustomToken } from '../../examples/mobile/client.mjs';
import { expect, test } from '../support/fixtures';
import { signIn, getSignInUrl, submitSignIn } from '../support/journeys';
import { startTimedApp } from '../support/timed-app';

/** The app's callback URL; the browser itself has no app to open. */
async function getCallback(page: Page): Promise<string> {
  return (await page.getByRole('link', { name: 'Open the app' }).getAttribute('href')) ?? '';
}

test('the app signs in with the account that is signed in', async ({ page, endpoints, user }) => {
  await signIn(page, endpoints, user);
  const begun = beginSignIn(endpoints);
  await page.goto(begun.address);
  await expect(page).toHaveURL(`${endpoints.appOrigin}/mobile/account-selection`);
  await page.getByRole('button', { name: `Continue as ${user.name}` }).click();
  const callback = await getCallback(page);
  const customToken = await exchangeCode({ ...endpoints, code: codeFrom(callback, begun), verifier: begun.verifier });
  const idToken = await signInWithCustomToken({ ...endpoints, customToken });
  const { user_id: uid } = JSON.parse(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString()) as {
    user_id: string;
  };
  expect(uid).toBe(user.uid);
});

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
  // Never answered: the learner leaves while the page waits.
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
  await expect(page.getByRole('alert').filter({ hasText: "the Campus app didn't open it" })).toBeVisible();
});

test('of two requests only the newer can be answered', async ({ page, context, endpoints, user }) => {
  await signIn(page, endpoints, user);
  await page.goto(beginSignIn(endpoints).address);
  const other = await context.newPage();
  await other.goto(beginSignIn(endpoints).address);
  await page.getByRole('button', { name: `Continue as ${user.name}` }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'This request has expired' })).toBeVisible();
});
