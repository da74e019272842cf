// ASVS: 6.3.3
// Threats: remembered-browser-stolen
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { startOtherApp, type Endpoints } from '../../scripts/lib/stack.mjs';
import type { TestUser } from '../support/accounts-client';
import { signOutEverywhere } from '../support/account-journeys';
import { expectNoViolations } from '../support/axe';
import { codeField, expectCodePage } from '../support/code-page';
import { expect, test } from '../support/fixtures';
import { expectPath, getDashboardUrl, getSignInUrl, pageReady, submitSignIn } from '../support/journeys';
import { enrolApp } from '../support/second-factor';

const [file, shared] = [
  path.join(mkdtempSync(path.join(os.tmpdir(), 'origins-')), 'origins.json'),
  'config/origins.local.json',
];
const { origins } = JSON.parse(readFileSync(shared, 'utf8')) as { origins: Record<string, object> };
const localhost = { ...origins['http://localhost'], rememberBrowsers: true };
writeFileSync(file, JSON.stringify({ origins: { 'http://localhost': localhost } }));

const CHOICE = "Don't ask again on this browser for 30 days";

async function beginSignIn(page: Page, endpoints: Endpoints, user: TestUser): Promise<void> {
  await page.goto(`${getSignInUrl(endpoints)}?return_to=security`);
  await pageReady(page);
  await submitSignIn(page, user);
}

test('a browser is remembered by choice, and forgotten by "Sign out everywhere"', async ({
  page,
  endpoints: common,
  user,
}) => {
  const { endpoints, stop } = await startOtherApp(common, { ORIGINS_FILE: file });
  const app = await enrolApp(endpoints, user);
  const begin = () => beginSignIn(page, endpoints, user);
  await begin();
  await expectCodePage(page, endpoints);
  const choice = page.getByRole('checkbox', { name: CHOICE });
  await expect(choice).not.toBeChecked();
  await expect(choice).toHaveAccessibleDescription('Only on a device that is yours alone.');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme);
    await expectNoViolations(page);
  }
  // A complete code submits itself, so the choice comes before it, also in the tab order.
  await expect(codeField(page)).toBeFocused();
  await page.keyboard.press('Shift+Tab');
  await expect(choice).toBeFocused();
  await page.keyboard.press('Space');
  await page.keyboard.press('Tab');
  await page.keyboard.type(app.codeAt());
  await expectPath(page, endpoints, '/security');
  await pageReady(page);
  await expect(page.getByRole('list', { name: 'Devices' })).toContainText("Isn't asked for a code until");
  await page.locator('header').getByRole('button', { name: 'Sign out' }).click();
  await expectPath(page, endpoints, '/sign-in');
  await begin();
  await expectPath(page, endpoints, '/security');
  await pageReady(page);
  await signOutEverywhere(page);
  await expectPath(page, endpoints, '/sign-in');
  await begin();
  await expectCodePage(page, endpoints);
  await page.goto('about:blank');
  await stop();
});

test('who has lost the app signs in again where two factors are asked for, and can ask for the reset', async ({
  page,
  endpoints: common,
  user,
}) => {
  const { endpoints, stop } = await startOtherApp(common, { ORIGINS_FILE: file });
  const app = await enrolApp(endpoints, user);
  const begin = () => beginSignIn(page, endpoints, user);
  await begin();
  await page.getByRole('checkbox', { name: CHOICE }).check();
  await codeField(page).fill(app.codeAt());
  await expectPath(page, endpoints, '/security');
  await pageReady(page);
  await page.locator('header').getByRole('button', { name: 'Sign out' }).click();
  await expectPath(page, endpoints, '/sign-in');
  // The session of a remembered browser has only one factor.
  await begin();
  await expectPath(page, endpoints, '/security');
  const callback = encodeURIComponent(getDashboardUrl(endpoints));
  await page.goto(`${getSignInUrl(endpoints)}?redirect_uri=${callback}&acr_values=aal2`);
  await expectCodePage(page, endpoints);
  await expectNoViolations(page);
  await page.getByRole('button', { name: 'Sign in again' }).click();
  await expectPath(page, endpoints, '/sign-in');
  await pageReady(page);
  await submitSignIn(page, user);
  await expectCodePage(page, endpoints);
  await expect(page.getByRole('button', { name: 'Lost your app and your recovery codes?' })).toBeVisible();
  await page.goto('about:blank');
  await stop();
});

test('is not offered where the origin does not allow it, nor on a shared computer', async ({
  page,
  endpoints: common,
  user,
}) => {
  await enrolApp(common, user);
  const begin = async (endpoints: typeof common) => {
    await page.goto(getSignInUrl(endpoints));
    await pageReady(page);
    await submitSignIn(page, user);
    await expectCodePage(page, endpoints);
  };
  await begin(common);
  await expect(codeField(page)).toBeVisible();
  await expect(page.getByRole('checkbox', { name: CHOICE })).toHaveCount(0);
  const { endpoints, stop } = await startOtherApp(common, { ORIGINS_FILE: file });
  await page.goto(getSignInUrl(endpoints));
  await pageReady(page);
  await page.getByLabel('This is a shared computer').check();
  await submitSignIn(page, user);
  await expectCodePage(page, endpoints);
  await expect(page.getByRole('checkbox', { name: CHOICE })).toHaveCount(0);
  await page.goto('about:blank');
  await stop();
});
