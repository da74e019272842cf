import { randomUUID } from 'node:crypto';
import { test as plain, type Page } from '@playwright/test';
import { expect, test, watchPolicy } from '../support/fixtures';
import { expectDashboard, expectSignInPage, pageReady, getSignInUrl, submitSignIn } from '../support/journeys';
import { openProvider, signInAtProvider } from '../support/provider-window';
import { answerGoogleApi } from '../support/google-api';
import type { Endpoints } from '../../scripts/lib/stack.mjs';

/** Signs in through a provider's window, which loads the sign-in helper's scripts and frame. */
async function signInWithGoogle(page: Page, endpoints: Endpoints): Promise<void> {
  const id = randomUUID().slice(0, 8);
  const identity = { email: `policy-${id}@campus.test`, name: `Pol ${id}` };
  await expectSignInPage(page, endpoints);
  await signInAtProvider(await openProvider(page, 'Google'), identity);
  await expectDashboard(page, endpoints, identity);
}

async function openForgetPassword(page: Page, endpoints: Endpoints): Promise<void> {
  await page.goto(`${endpoints.appOrigin}/forget-password`);
  await pageReady(page);
}

test('a provider works after a link from a page without providers', async ({ page, endpoints }) => {
  await openForgetPassword(page, endpoints);
  await page.getByRole('link', { name: 'Back to sign-in' }).click();
  await signInWithGoogle(page, endpoints);
});

test('a provider works after a step back from a page without providers', async ({ page, endpoints }) => {
  await page.goto(getSignInUrl(endpoints));
  await pageReady(page);
  await page.getByRole('link', { name: 'Forgot password?' }).click();
  await expect(page.getByRole('button', { name: 'Send reset code' })).toBeVisible();
  await page.reload();
  await pageReady(page);
  await page.goBack();
  await signInWithGoogle(page, endpoints);
});

test('a provider works where the router itself led to its page', async ({ page, endpoints }) => {
  await openForgetPassword(page, endpoints);
  const isLoaded = page.waitForEvent('load');
  await page.evaluate(() => {
    (window as unknown as { next: { router: { push: (path: string) => void } } }).next.router.push('/sign-in');
  });
  await isLoaded;
  await signInWithGoogle(page, endpoints);
});

test('a password and a provider work after a page that was not found', async ({ page, endpoints, user }) => {
  await page.goto(`${endpoints.appOrigin}/nowhere`);
  await page.getByRole('link', { name: 'Go to sign-in' }).click();
  await expectSignInPage(page, endpoints);
  await submitSignIn(page, user);
  await expectDashboard(page, endpoints, user);
  await page.context().clearCookies();
  await page.goto(`${endpoints.appOrigin}/nowhere`);
  await page.getByRole('link', { name: 'Go to sign-in' }).click();
  await signInWithGoogle(page, endpoints);
});

test('a document with the helper’s policy navigates without a reload', async ({ page, endpoints }) => {
  await page.goto(getSignInUrl(endpoints));
  await pageReady(page);
  await page.evaluate(() => Object.assign(window, { sameDocument: true }));
  await page.getByRole('link', { name: 'Forgot password?' }).click();
  await page.getByRole('link', { name: 'Back to sign-in' }).click();
  await expectSignInPage(page, endpoints);
  expect(await page.evaluate(() => 'sameDocument' in window)).toBe(true);
});

plain('of Google’s scripts a page lets in those of the helper, where it needs them', async ({ page, context }) => {
  const endpoints = JSON.parse(process.env.E2E_ENDPOINTS ?? '{}') as Endpoints;
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
  await page.goto(getSignInUrl(endpoints));
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
  await page.goto(`${endpoints.appOrigin}/forget-password`);
  expect(await addScript('/js/api.js?onload=x')).toBe(false);
  await expect.poll(() => violations.at(-1)).toContain('/forget-password');
});
