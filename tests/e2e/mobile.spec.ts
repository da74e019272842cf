import type { Page } from '@playwright/test';
import { beginSignIn, codeFrom, exchangeCode, signInWithCustomToken } from '../../examples/mobile/client.mjs';
import { expect, test } from '../support/fixtures';
import { signIn, submitSignIn } from '../support/journeys';

/** The address the app is called back by; the browser itself has no app to open. */
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

test('a request that is not honest is refused, and says so', async ({ page, places, person }) => {
  await signIn(page, places, person);
  const address = new URL(beginSignIn(places).address);
  address.searchParams.set('redirect_uri', 'https://evil.example/');
  const answer = await page.goto(address.href);
  expect(answer?.status()).toBe(400);
  await expect(page.getByRole('alert').filter({ hasText: 'not opened by the Campus app' })).toBeVisible();
});

test('of two requests only the newer can be answered', async ({ page, context, places, person }) => {
  await signIn(page, places, person);
  await page.goto(beginSignIn(places).address);
  const other = await context.newPage();
  await other.goto(beginSignIn(places).address);
  await page.getByRole('button', { name: `Continue as ${person.name}` }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'has asked again meanwhile' })).toBeVisible();
});
