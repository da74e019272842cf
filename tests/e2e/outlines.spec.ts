import type { Page } from '@playwright/test';
import { existsSync } from 'node:fs';
import { beginSignIn } from '../../examples/mobile/client.mjs';
import { getAlert, askForReset, freshEmail, linkFor, register } from '../support/account-journeys';
import { expectNoViolations } from '../support/axe';
import { expect, test } from '../support/fixtures';
import { expectPath, getSignInUrl, signInByApi, submitSignIn } from '../support/journeys';
import { openProvider, signInAtProvider } from '../support/provider-window';
import { scheduleDeletion } from '../support/scheduled-deletion';
import { enrolApp } from '../support/second-factor';

/**
 * A screen's accessibility tree, in order: a change of these files is a change for screen reader users. What its states
 * look like in both themes and at all sizes is in the tests of the screens, which run at night.
 */
async function expectOutline(page: Page, name: string): Promise<void> {
  // A file that is missing would match every screen.
  expect.soft(existsSync(`tests/e2e/outlines/${name}.aria.yml`), `${name}: its outline`).toBe(true);
  await expect.soft(page.locator('#__next'), name).toMatchAriaSnapshot({ name: `${name}.aria.yml` });
  await expectNoViolations(page);
}

test('outlines of pages that an address opens', async ({ page, endpoints }) => {
  for (const [name, path] of [
    ['sign-in', '/sign-in'],
    ['registration', '/registration'],
    ['forget-password', '/forget-password'],
    ['enterprise', '/sign-in/enterprise'],
    ['email-link', '/sign-in/with-email-link'],
    ['not-found', '/no-such-page'],
    ['failure', '/500'],
    ['app-shell', '/app-shell'],
    ['self-check', '/self-check'],
    ['partner-unknown', '/partner-auth/initiate?partner=unknown'],
    ['unusable-link', '/actions'],
  ] as const) {
    await page.goto(`${endpoints.appOrigin}${path}`);
    await expectOutline(page, name);
  }
});

test('outline of sign-in after a refusal', async ({ page, endpoints }) => {
  await page.goto(getSignInUrl(endpoints));
  await submitSignIn(page, { email: 'unknown@campus.test', password: 'not-my-password' });
  await expect(getAlert(page)).toBeVisible();
  await expectOutline(page, 'sign-in-refused');
});

test('outline of registration-confirm', async ({ page, endpoints }) => {
  await register(page, endpoints, freshEmail());
  await expectOutline(page, 'registration-confirm');
});

test('outline of a reset by code and by link', async ({ page, endpoints, user }) => {
  await askForReset(page, endpoints, user.email);
  await expectOutline(page, 'reset-by-code');
  await page.goto(`${endpoints.appOrigin}/forget-password/reset`);
  await expectOutline(page, 'reset');
  await page.goto(await linkFor(endpoints, user.email));
  await expect(page.getByLabel('New password', { exact: true })).toBeVisible();
  await expectOutline(page, 'reset-by-link');
});

test('outline of a confirmation link in another browser', async ({ page, endpoints, accounts }) => {
  const user = await accounts.create({ emailVerified: false });
  await page.goto(`${endpoints.appOrigin}/sign-in/with-email-link`);
  await page.getByLabel('Email', { exact: true }).fill(user.email);
  await page.getByRole('button', { name: 'Email me a sign-in link' }).click();
  await page.goto(await linkFor(endpoints, user.email));
  await expect(page.getByLabel('New password', { exact: true })).toBeVisible();
  await expectOutline(page, 'confirm-by-link');
});

test('outline of link-account', async ({ page, endpoints, user }) => {
  await page.goto(getSignInUrl(endpoints));
  await signInAtProvider(await openProvider(page, 'GitHub'), { ...user, emailVerified: false });
  await expectPath(page, endpoints, '/sign-in/link-account');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Connect your accounts');
  await expectOutline(page, 'link-account');
});

test('outline of a second factor', async ({ page, endpoints, user }) => {
  await enrolApp(endpoints, user);
  await page.goto(getSignInUrl(endpoints));
  await submitSignIn(page, user);
  await expect(page.getByLabel('Authentication code')).toBeVisible();
  await expectOutline(page, 'second-factor');
  await page.getByRole('button', { name: 'Use a recovery code' }).click();
  await expectOutline(page, 'recovery-code');
  await page.getByRole('button', { name: 'Lost your app and your recovery codes?' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Turn off two-step verification');
  await expectOutline(page, 'factor-reset');
});

test('outline of the set-up of a second factor', async ({ page, endpoints, user }) => {
  await page.goto(`${endpoints.platformOrigin}/user/certificates`);
  await submitSignIn(page, user);
  await expectPath(page, endpoints, '/sign-in/set-up-second-factor');
  await expectOutline(page, 'set-up-second-factor');
});

test('outline of courses and security', async ({ page, endpoints, user }) => {
  await page.goto(`${getSignInUrl(endpoints)}?return_to=courses`);
  await submitSignIn(page, user);
  await expect(page).toHaveURL(`${endpoints.appOrigin}/user/courses`);
  await expectOutline(page, 'courses');
  await page.goto(`${endpoints.appOrigin}/security`);
  await expect(page.getByRole('button', { name: 'Sign out', exact: true })).toBeVisible();
  await expectOutline(page, 'security');
});

test('outline of the other pages of an account', async ({ page, endpoints, accounts }) => {
  const user = await accounts.create({ name: 'Mia Moreau' });
  await scheduleDeletion(endpoints, user);
  await signInByApi(page, endpoints, await accounts.idToken(user));
  await page.goto(`${endpoints.appOrigin}/sign-in/keep-account`);
  await expectOutline(page, 'keep-account');
  await page.getByRole('button', { name: 'Keep my account' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText("Your account won't be deleted");
  await expectOutline(page, 'account-kept');
  for (const [name, address] of [
    ['change-password', `${endpoints.appOrigin}/account-settings/change-password`],
    ['sign-out', `${endpoints.appOrigin}/sign-out`],
    ['account-selection', beginSignIn(endpoints).address],
  ] as const) {
    await page.goto(address);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expectOutline(page, name);
  }
});
