import type { Page } from '@playwright/test';
import { beginSignIn, codeFrom, exchangeCode, signInWithCustomToken } from '../../examples/mobile/client.mjs';
import { expect, test } from '../support/fixtures';
import { signIn, signInPageOf, submitSignIn } from '../support/journeys';
import { startTimedApp } from '../support/other-app';

/** The app's callback URL; the browser itself has no app to open. */
async function callbackOf(page: Page): Promise<string> {
  return (await page.getByRole('link', { name: 'Open the app' }).getAttribute('href')) ?? '';
}

test('the app signs in with the account that is signed in', async ({ page, places, person }) => {
  await signIn(page, places, person);
  const begun = beginSignIn(places);
  await page.goto(begun.address);
  await expect(page).toHaveURL(`${places.appOrigin}/mobile/account-selection`);
  await page.getByRole('button', { name: `Continue as ${person.name}` }).click();
  const callback = await callbackOf(page);
  const customToken = await exchangeCode({ ...places, code: codeFrom(callback, begun), verifier: begun.verifier });
  const idToken = await signInWithCustomToken({ ...places, customToken });
  const { user_id: uid } = JSON.parse(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString()) as {
    user_id: string;
  };
  expect(uid).toBe(person.uid);
});

test('a signed-out learner signs in first, and the request is kept', async ({ page, places, person }) => {
  const begun = beginSignIn(places);
  await page.goto(begun.address);
  await submitSignIn(page, person);
  await page.getByRole('button', { name: `Continue as ${person.name}` }).click();
  const callback = await callbackOf(page);
  await exchangeCode({ ...places, code: codeFrom(callback, begun), verifier: begun.verifier });
});

test('a sign-in older than five minutes has to be repeated to authorize the app', async ({
  page,
  places: shared,
  person,
}) => {
  const { places, advance, stop } = await startTimedApp(shared);
  await page.goto(`${signInPageOf(places)}?return_to=security`);
  await submitSignIn(page, person);
  await expect(page).toHaveURL(`${places.appOrigin}/security`);
  await advance(301);
  const begun = beginSignIn(places);
  await page.goto(begun.address);
  await page.getByRole('button', { name: `Continue as ${person.name}` }).click();
  await expect(page.getByText('For your security, sign in again')).toBeVisible();
  const again = page.getByRole('button', { name: 'Sign in again' });
  // The selected button: it keeps focus.
  await expect(again).toBeFocused();
  await again.click();
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue(person.email);
  // The identity provider does not use the shifted clock.
  await advance(0);
  await submitSignIn(page, person);
  await expect(page).toHaveURL(`${places.appOrigin}/mobile/account-selection`);
  await page.getByRole('button', { name: `Continue as ${person.name}` }).click();
  const callback = await callbackOf(page);
  await exchangeCode({ ...places, code: codeFrom(callback, begun), verifier: begun.verifier });
  await stop();
});

test('another account can be used', async ({ page, places, person, people }) => {
  const other = await people.create();
  await signIn(page, places, person);
  const begun = beginSignIn(places);
  await page.goto(begun.address);
  await page.getByRole('button', { name: 'Use another account' }).click();
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue('');
  await submitSignIn(page, other);
  await page.getByRole('button', { name: `Continue as ${other.name}` }).click();
  expect(codeFrom(await callbackOf(page), begun)).toMatch(/^[\w-]{43}$/);
});

test('an invalid request is refused with a message', async ({ page, places, person }) => {
  await signIn(page, places, person);
  const address = new URL(beginSignIn(places).address);
  address.searchParams.set('redirect_uri', 'https://evil.example/');
  const answer = await page.goto(address.href);
  expect(answer?.status()).toBe(400);
  await expect(page.getByRole('alert').filter({ hasText: "the Campus app didn't open it" })).toBeVisible();
});

test('of two requests only the newer can be answered', async ({ page, context, places, person }) => {
  await signIn(page, places, person);
  await page.goto(beginSignIn(places).address);
  const other = await context.newPage();
  await other.goto(beginSignIn(places).address);
  await page.getByRole('button', { name: `Continue as ${person.name}` }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'This request has expired' })).toBeVisible();
});
