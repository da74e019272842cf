import { randomUUID } from 'node:crypto';
import { test as plain, type Page } from '@playwright/test';
import { expect, test } from '../support/fixtures';
import { expectDashboard, expectSignInPage, pageReady, signInPageOf, submitSignIn } from '../support/journeys';
import { openProvider, signInAtProvider } from '../support/provider-window';
import { answerGoogleApi } from '../support/google-api';
import { watchPolicy } from '../support/policy-watch';
import type { Places } from '../support/stack';

/** Signs in through a provider's window, which loads the sign-in helper's scripts and frame. */
async function signInWithGoogle(page: Page, places: Places): Promise<void> {
  const id = randomUUID().slice(0, 8);
  const identity = { email: `policy-${id}@campus.test`, name: `Pol ${id}` };
  await expectSignInPage(page, places);
  await signInAtProvider(await openProvider(page, 'Google'), identity);
  await expectDashboard(page, places, identity);
}

async function openForgetPassword(page: Page, places: Places): Promise<void> {
  await page.goto(`${places.appOrigin}/forget-password`);
  await pageReady(page);
}

test('a provider works after a link from a page without providers', async ({ page, places }) => {
  await openForgetPassword(page, places);
  await page.getByRole('link', { name: 'Back to sign-in' }).click();
  await signInWithGoogle(page, places);
});

test('a provider works after a step back from a page without providers', async ({ page, places }) => {
  await page.goto(signInPageOf(places));
  await pageReady(page);
  await page.getByRole('link', { name: 'Forgot password?' }).click();
  await expect(page.getByRole('button', { name: 'Send reset code' })).toBeVisible();
  await page.reload();
  await pageReady(page);
  await page.goBack();
  await signInWithGoogle(page, places);
});

test('a provider works where the router itself led to its page', async ({ page, places }) => {
  await openForgetPassword(page, places);
  const isLoaded = page.waitForEvent('load');
  await page.evaluate(() => {
    void (window as unknown as { next: { router: { push: (path: string) => void } } }).next.router.push('/sign-in');
  });
  await isLoaded;
  await signInWithGoogle(page, places);
});

test('a password and a provider work after a page that was not found', async ({ page, places, person }) => {
  await page.goto(`${places.appOrigin}/nowhere`);
  await page.getByRole('link', { name: 'Go to sign-in' }).click();
  await expectSignInPage(page, places);
  await submitSignIn(page, person);
  await expectDashboard(page, places, person);
  await page.context().clearCookies();
  await page.goto(`${places.appOrigin}/nowhere`);
  await page.getByRole('link', { name: 'Go to sign-in' }).click();
  await signInWithGoogle(page, places);
});

test('a document with the helper’s policy navigates without a reload', async ({ page, places }) => {
  await page.goto(signInPageOf(places));
  await pageReady(page);
  await page.evaluate(() => Object.assign(window, { sameDocument: true }));
  await page.getByRole('link', { name: 'Forgot password?' }).click();
  await page.getByRole('link', { name: 'Back to sign-in' }).click();
  await expectSignInPage(page, places);
  expect(await page.evaluate(() => 'sameDocument' in window)).toBe(true);
});

plain('of Google’s scripts a page lets in those of the helper, where it needs them', async ({ page, context }) => {
  const places = JSON.parse(process.env.E2E_PLACES ?? '{}') as Places;
  const violations: string[] = [];
  await answerGoogleApi(context);
  await watchPolicy(context, violations);
  const addScript = (src: string) =>
    page.evaluate(
      (address) =>
        new Promise<boolean>((loaded) => {
          const script = document.createElement('script');
          script.src = address;
          script.onload = () => loaded(true);
          script.onerror = () => loaded(false);
          document.head.append(script);
        }),
      `https://apis.google.com${src}`,
    );
  await page.goto(signInPageOf(places));
  expect(await addScript('/js/api.js?onload=x')).toBe(true);
  expect(violations).toEqual([]);
  for (const other of [
    '/js/plusone.js',
    '/js/api.js/',
    '/js/api.jsx',
    '/js/api:client.js',
    '/_/scs/apps-static/_/js/k=x',
  ]) {
    expect(await addScript(other), other).toBe(false);
    await expect.poll(() => violations.join(), other).toContain(`blocked https://apis.google.com${other}`);
  }
  await page.goto(`${places.appOrigin}/registration`);
  expect(await addScript('/js/api.js?onload=x')).toBe(false);
  await expect.poll(() => violations.at(-1)).toContain('/registration');
});
