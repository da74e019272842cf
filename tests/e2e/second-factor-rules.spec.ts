// ASVS: 6.3.3
// Threats: factor-skipped
import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startOtherApp, type Endpoints } from '../../scripts/lib/stack.mjs';
import { codeField, expectCodePage } from '../support/code-page';
import { expect, test } from '../support/fixtures';
import { expectPath, getDashboardUrl, getSignInUrl, pageReady, signIn, submitSignIn } from '../support/journeys';
import { getAppCode, getRecoveryCode, getSetUp, readCodes } from '../support/second-factor-journeys';
import { SoftwareApp } from '../support/totp';

const PAGE = '/sign-in/set-up-second-factor';
const heading = (page: Page) => page.getByRole('heading', { level: 1 });

/** An app of its own, whose origin has this rule. */
function startWithRule(shared: Endpoints, secondFactor: object) {
  const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'rules-')), 'origins.json');
  writeFileSync(file, JSON.stringify({ origins: { 'http://localhost': { brandName: 'Campus', secondFactor } } }));
  return startOtherApp(shared, { ORIGINS_FILE: file });
}

/** Goes through the steps on the open page. */
async function setUp(page: Page): Promise<SoftwareApp> {
  await getSetUp(page).click();
  const app = new SoftwareApp(await page.getByRole('definition').innerText());
  await getAppCode(page).fill(await app.nextCode());
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  const [code = ''] = await readCodes(page);
  await getRecoveryCode(page).fill(code);
  await page.getByRole('button', { name: 'Turn on', exact: true }).click();
  return app;
}

async function beginSignIn(page: Page, endpoints: Endpoints, user: { email: string; password: string }) {
  const callback = encodeURIComponent(getDashboardUrl(endpoints));
  await page.goto(`${getSignInUrl(endpoints)}?redirect_uri=${callback}`);
  await pageReady(page);
  await submitSignIn(page, user);
}

async function expectNoViolations(page: Page): Promise<void> {
  for (const theme of ['light', 'dark']) {
    await page.evaluate((name) => document.documentElement.setAttribute('data-theme', name), theme);
    expect((await new AxeBuilder({ page }).analyze()).violations.map(({ id }) => id)).toEqual([]);
  }
}

for (const viewport of [
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
])
  test(`required: it is set up during the sign-in, ${viewport.width} px wide`, async ({
    page,
    endpoints: shared,
    user,
  }) => {
    await page.setViewportSize(viewport);
    const { endpoints, stop } = await startWithRule(shared, { use: 'required' });
    await beginSignIn(page, endpoints, user);
    await expectPath(page, endpoints, PAGE);
    await expect(heading(page)).toHaveText('Set up two-step verification');
    await expect(page.getByText('Campus requires a second step when you sign in.')).toBeVisible();
    await expectNoViolations(page);
    await setUp(page);
    await expect(page).toHaveURL(getDashboardUrl(endpoints));
    // From now on the code is asked for.
    await page.context().clearCookies();
    await beginSignIn(page, endpoints, user);
    await expectCodePage(page, endpoints);
    await stop();
  });

test('announced: "Not now" leads on, and is remembered', async ({ page, endpoints: shared, user }) => {
  const { endpoints, stop } = await startWithRule(shared, { use: 'required', from: '2999-01-01' });
  await beginSignIn(page, endpoints, user);
  await expectPath(page, endpoints, PAGE);
  await expect(page.getByText('From January 1, 2999, Campus requires a second step')).toBeVisible();
  await expectNoViolations(page);
  await page.getByRole('button', { name: 'Not now' }).focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(getDashboardUrl(endpoints));
  await page.context().clearCookies();
  await beginSignIn(page, endpoints, user);
  await expect(page).toHaveURL(getDashboardUrl(endpoints));
  await stop();
});

test('a page of the platform that needs two factors leads to them, and back', async ({ page, endpoints, user }) => {
  const certificates = `${endpoints.platformOrigin}/user/certificates`;
  await signIn(page, endpoints, user);
  await page.goto(certificates);
  await expectPath(page, endpoints, PAGE);
  await expect(page.getByText('To continue, Campus asks for a second step.')).toBeVisible();
  await expectNoViolations(page);
  const app = await setUp(page);
  await expect(page).toHaveURL(certificates);
  await expect(heading(page)).toHaveText('Certificates');
  // Without a session, the sign-in asks for both.
  await page.context().clearCookies();
  await page.goto(certificates);
  await pageReady(page);
  await submitSignIn(page, user);
  await expectCodePage(page, endpoints);
  await codeField(page).fill(await app.nextCode());
  await expect(page).toHaveURL(certificates);
});
