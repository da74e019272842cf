// ASVS: 6.3.3
// Threats: factor-skipped
import type { Page } from '@playwright/test';
import { randomUUID } from 'node:crypto';
import type { Endpoints } from '../../scripts/lib/stack.mjs';
import { getAlert } from '../support/account-journeys';
import { expectNoViolations } from '../support/axe';
import { codeField, expectCodePage } from '../support/code-page';
import { expect, test } from '../support/fixtures';
import { expectPath, getDashboardUrl, getSignInUrl, pageReady, signIn, submitSignIn } from '../support/journeys';
import { signInAtProvider } from '../support/provider-window';
import { getRecoveryCode, getSetUp, readCodes } from '../support/second-factor-journeys';
import { SET_UP_PAGE, setUp, setUpApp, startWithRules } from '../support/second-factor-rules';

const heading = (page: Page) => page.getByRole('heading', { level: 1 });

async function beginSignIn(page: Page, endpoints: Endpoints, user: { email: string; password: string }) {
  const callback = encodeURIComponent(getDashboardUrl(endpoints));
  await page.goto(`${getSignInUrl(endpoints)}?redirect_uri=${callback}`);
  await pageReady(page);
  await submitSignIn(page, user);
}

async function expectAccessible(page: Page): Promise<void> {
  for (const theme of ['light', 'dark']) {
    await page.evaluate((name) => document.documentElement.setAttribute('data-theme', name), theme);
    await expectNoViolations(page);
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
    const { endpoints, stop } = await startWithRules(shared, { origin: { use: 'required' } });
    await beginSignIn(page, endpoints, user);
    await expectPath(page, endpoints, SET_UP_PAGE);
    await expect(heading(page)).toHaveText('Set up two-step verification');
    await expect(page.getByText('Campus requires a second step when you sign in.')).toBeVisible();
    await expectAccessible(page);
    await setUp(page);
    await expect(page).toHaveURL(getDashboardUrl(endpoints));
    // From now on, the code is required.
    await page.context().clearCookies();
    await beginSignIn(page, endpoints, user);
    await expectCodePage(page, endpoints);
    await stop();
  });

test('required: what fails at the last step says so, and loses nothing', async ({ page, endpoints: shared, user }) => {
  const { endpoints, stop } = await startWithRules(shared, { origin: { use: 'required' } });
  await beginSignIn(page, endpoints, user);
  await expectPath(page, endpoints, SET_UP_PAGE);
  await getSetUp(page).click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(getSetUp(page)).toBeFocused();
  await setUpApp(page);
  const [code = ''] = await readCodes(page);
  await getRecoveryCode(page).fill(code);
  const turnOn = page.getByRole('button', { name: 'Turn on', exact: true });
  await page.route('**/api/second-factor/confirm-codes', (route) => route.abort(), { times: 1 });
  await turnOn.click();
  await expect(getAlert(page)).toContainText("We couldn't reach our server.");
  await expect(getRecoveryCode(page)).toHaveValue(code);
  await page.context().clearCookies({ name: 'pending-sign-in' });
  await turnOn.click();
  await expect(getAlert(page)).toContainText('This sign-in has expired.');
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Sign in again' }).click();
  await submitSignIn(page, user);
  await expectPath(page, endpoints, SET_UP_PAGE);
  await setUp(page);
  await expect(page).toHaveURL(getDashboardUrl(endpoints));
  await stop();
});

test('announced: "Not now" leads on, and is remembered', async ({ page, endpoints: shared, user }) => {
  const { endpoints, stop } = await startWithRules(shared, { origin: { use: 'required', from: '2999-01-01' } });
  await beginSignIn(page, endpoints, user);
  await expectPath(page, endpoints, SET_UP_PAGE);
  await expect(page.getByText('From January 1, 2999, Campus requires a second step')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Not now' }).focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(getDashboardUrl(endpoints));
  await page.context().clearCookies();
  await beginSignIn(page, endpoints, user);
  await expect(page).toHaveURL(getDashboardUrl(endpoints));
  await stop();
});

test('required by an organization: its single sign-on is not enough', async ({ page, endpoints: shared }) => {
  const { endpoints, stop } = await startWithRules(shared, { acme: { use: 'required' } });
  const id = randomUUID().slice(0, 8);
  const colleague = { email: `colleague-${id}@acme.test`, name: `Cole ${id}` };
  const begin = async () => {
    const callback = encodeURIComponent(getDashboardUrl(endpoints));
    await page.goto(`${endpoints.appOrigin}/sign-in/enterprise?redirect_uri=${callback}`);
    await page.getByLabel('Email', { exact: true }).fill(colleague.email);
    await page.getByRole('button', { name: 'Continue with SSO' }).click();
    await page.waitForURL(/emulator\/auth\/handler.*saml\.acme/);
  };
  await begin();
  await signInAtProvider(page, colleague);
  await expectPath(page, endpoints, SET_UP_PAGE);
  await expect(page.getByText('Acme requires a second step when you sign in.')).toBeVisible();
  await expectAccessible(page);
  const app = await setUp(page);
  await expect(page).toHaveURL(getDashboardUrl(endpoints));
  await page.context().clearCookies();
  await begin();
  await page.getByText(colleague.email).click();
  await expectCodePage(page, endpoints);
  await codeField(page).fill(await app.nextCode());
  await expect(page).toHaveURL(getDashboardUrl(endpoints));
  await stop();
});

test('a page of the platform that needs two factors leads to them, and back', async ({ page, endpoints, user }) => {
  const certificates = `${endpoints.platformOrigin}/user/certificates`;
  await signIn(page, endpoints, user);
  await page.goto(certificates);
  await expectPath(page, endpoints, SET_UP_PAGE);
  await expect(page.getByText('To continue, Campus asks for a second step.')).toBeVisible();
  await expectAccessible(page);
  const app = await setUp(page);
  await expect(page).toHaveURL(certificates);
  await expect(heading(page)).toHaveText('Certificates');
  // Without a session, the sign-in requires both factors.
  await page.context().clearCookies();
  await page.goto(certificates);
  await pageReady(page);
  await submitSignIn(page, user);
  await expectCodePage(page, endpoints);
  await codeField(page).fill(await app.nextCode());
  await expect(page).toHaveURL(certificates);
});
