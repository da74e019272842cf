import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { expect, test } from '../support/fixtures';
import { getSignInUrl, submitSignIn } from '../support/journeys';
import { startOtherApp } from '../../scripts/lib/stack.mjs';
import { openProvider, signInAtProvider } from '../support/provider-window';

/** Codes of the catalog that the sign-in form can receive. The tests of other screens cover their codes. */

const said = (page: Page, text: string) => expect(page.getByRole('alert').filter({ hasText: text })).toBeVisible();

// Responses that the identity provider documents. The emulator has neither its rate limit nor its policy.
for (const [code, message, text] of [
  ['auth/too-many-requests', 'TOO_MANY_ATTEMPTS_TRY_LATER', 'Too many attempts'],
  [
    'auth/password-does-not-meet-requirements',
    'PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing password requirements: [Password must contain a numeric character]',
    'Your password no longer meets our rules.',
  ],
] as const)
  test(`${code} is shown`, async ({ page, endpoints, user }) => {
    await page.route(/accounts:signInWithPassword/, (route) =>
      route.fulfill({ status: 400, json: { error: { code: 400, message, errors: [{ message }] } } }),
    );
    await page.goto(getSignInUrl(endpoints));
    await submitSignIn(page, user);
    await said(page, text);
  });

test('auth/network-request-failed is shown, and the values are kept', async ({ page, endpoints, user }) => {
  await page.route(/accounts:signInWithPassword/, (route) => route.abort());
  await page.goto(getSignInUrl(endpoints));
  await submitSignIn(page, user);
  await said(page, "We couldn't reach the sign-in service");
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue(user.email);
});

test('auth/popup-blocked is shown where a redirect would lose the current step', async ({ page, endpoints }) => {
  await page.addInitScript(() => {
    if (window.location.pathname === '/security') window.open = () => null;
  });
  await page.goto(`${endpoints.appOrigin}/security`);
  const popup = page.waitForEvent('popup');
  await page.getByRole('button', { name: 'Continue with Google' }).click();
  const provider = await popup;
  await provider.getByText('Add new account').click();
  await provider.locator('#email-input').fill(`blocked-${Date.now()}@campus.test`);
  await provider.locator('#sign-in').click();
  // Wait for hydration.
  await expect(page.getByRole('button', { name: 'Sign out', exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Connect another account' }).click();
  await page.getByRole('button', { name: 'Connect GitHub' }).click();
  await page.getByRole('button', { name: 'Confirm with Google' }).click();
  await said(page, 'Your browser blocked the sign-in window');
});

test('auth/provider-not-allowed is shown if the provider has been disabled', async ({ page, endpoints: shared }) => {
  const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'origins-')), 'origins.json');
  const allow = (...enabledIdentities: string[]) =>
    writeFileSync(file, JSON.stringify({ origins: { 'http://localhost': { enabledIdentities } } }));
  allow('password', 'google.com');
  const { endpoints, stop } = await startOtherApp(shared, { ORIGINS_FILE: file });
  await page.goto(getSignInUrl(endpoints));
  const popup = await openProvider(page, 'Google');
  allow('password');
  await signInAtProvider(popup, { email: `taken-off-${Date.now()}@campus.test`, name: 'Tao' });
  await said(page, "This sign-in method isn't available here. Choose another one.");
  await stop();
});
