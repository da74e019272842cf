// Threats: planted-passkey
import { addAuthenticator } from '../support/authenticator';
import { expect, test } from '../support/fixtures';
import { expectPath, getDashboardUrl, getSignInUrl, pageReady } from '../support/journeys';
import { SET_UP_PAGE, setUp, startWithRules } from '../support/second-factor-rules';
import type { Page } from '@playwright/test';
import type { Endpoints } from '../../scripts/lib/stack.mjs';
import { codeFor, linkFor } from '../support/account-journeys';

test('a choice that can be taken back: what was typed stays', async ({ page, endpoints }) => {
  await page.goto(`${getSignInUrl(endpoints).replace('/sign-in', '/registration')}`);
  await pageReady(page);
  await page.getByLabel('Name').fill('Mia Test');
  await page.getByRole('button', { name: 'Use a passkey instead of a password' }).click();
  await page.getByRole('button', { name: 'Use a password instead' }).click();
  await expect(page.getByLabel('Password', { exact: true })).toBeVisible();
  await expect(page.getByLabel('Name')).toHaveValue('Mia Test');
});

test('without a passkey after all: a password is chosen by email', async ({ page, endpoints }) => {
  await page.goto(`${endpoints.appOrigin}/registration`);
  await pageReady(page);
  const email = `noa-${Date.now()}@campus.test`;
  await page.getByLabel('Name').fill('Noa Test');
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByRole('button', { name: 'Use a passkey instead of a password' }).click();
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByLabel('Code', { exact: true }).fill(await codeFor(endpoints, email));
  await expectPath(page, endpoints, '/sign-in/add-passkey');
  await pageReady(page);
  await page.getByRole('link', { name: 'Choose a password instead' }).click();
  await expectPath(page, endpoints, '/forget-password');
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue(email);
});

/** Goes from the dashboard to the page of the code. @returns the email */
async function registerByPasskey(page: Page, endpoints: Endpoints): Promise<string> {
  const email = `ida-${Date.now()}@campus.test`;
  const callback = encodeURIComponent(getDashboardUrl(endpoints));
  await page.goto(`${endpoints.appOrigin}/registration?redirect_uri=${callback}`);
  await pageReady(page);
  await page.getByLabel('Name').fill('Ida Test');
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByRole('button', { name: 'Use a passkey instead of a password' }).click();
  await page.getByRole('button', { name: 'Create account' }).click();
  await expectPath(page, endpoints, '/registration/confirm');
  return email;
}

test('the response to the code is lost: another code leads to the passkey', async ({ page, endpoints }) => {
  // A code can be sent again after 30 s.
  test.slow();
  await addAuthenticator(page);
  const email = await registerByPasskey(page, endpoints);
  const code = await codeFor(endpoints, email);
  await page.route(
    '**/api/registration/confirm',
    async (route) => {
      await route.fetch();
      await route.abort();
    },
    { times: 1 },
  );
  await page.getByLabel('Code', { exact: true }).fill(code);
  await expect(page.getByText("We couldn't reach our service.")).toBeVisible();
  // Repeated, because a press within a second counts as part of the previous submit.
  await expect(async () => {
    await page.getByRole('button', { name: 'Verify' }).click({ timeout: 15_000 });
    await page.waitForURL('**/registration/success?*', { timeout: 15_000 });
  }).toPass();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Create your passkey');
  await expect(async () => {
    await page.getByRole('button', { name: 'Email me a new code' }).click();
    await expectPath(page, endpoints, '/registration/confirm');
  }).toPass({ intervals: [5_000] });
  await page.getByLabel('Code', { exact: true }).fill(await codeFor(endpoints, email, 2));
  await expectPath(page, endpoints, '/sign-in/add-passkey');
  await page.getByRole('button', { name: 'Create a passkey' }).click();
  await expect(page).toHaveURL(getDashboardUrl(endpoints));
});

for (const way of ['link', 'code'] as const)
  test(`the ${way} of the email leads to the passkey in another tab, too`, async ({ page, context, endpoints }) => {
    const email = await registerByPasskey(page, endpoints);
    const other = await context.newPage();
    await addAuthenticator(other);
    await other.goto(way === 'link' ? await linkFor(endpoints, email) : page.url());
    if (way === 'code') await other.getByLabel('Code', { exact: true }).fill(await codeFor(endpoints, email));
    await expectPath(other, endpoints, '/sign-in/add-passkey');
    await pageReady(other);
    await other.getByRole('button', { name: 'Create a passkey' }).click();
    await expect(other).toHaveURL(getDashboardUrl(endpoints));
  });

test('where the origin requires a second factor, the passkey comes after its set-up', async ({
  page,
  endpoints: shared,
}) => {
  const { endpoints, stop } = await startWithRules(shared, { origin: { use: 'required' } });
  const authenticator = await addAuthenticator(page);
  const email = await registerByPasskey(page, endpoints);
  await page.getByLabel('Code', { exact: true }).fill(await codeFor(endpoints, email));
  await expectPath(page, endpoints, SET_UP_PAGE);
  await setUp(page);
  await expectPath(page, endpoints, '/sign-in/add-passkey');
  await page.getByRole('button', { name: 'Create a passkey' }).click();
  await expect(page).toHaveURL(getDashboardUrl(endpoints));
  expect(await authenticator.credentials()).toMatchObject([{ userName: email }]);
  await stop();
});
