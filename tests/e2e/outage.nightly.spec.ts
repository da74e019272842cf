// Threats: dependency-failure
import { freshEmail, linkFor, register } from '../support/account-journeys';
import { expect, test as base } from '../support/fixtures';
import {
  cookieHeader,
  getDashboardUrl,
  expectDashboard,
  expectSignInPage,
  sessionStatus,
  signIn,
  submitSignIn,
} from '../support/journeys';
import { createAccountsClient } from '../support/accounts-client';
import { startStack, type Stack } from '../../scripts/lib/stack.mjs';

/** Uses a separate stack, because stopping the identity provider would affect the other tests. */
const test = base.extend<object, { stack: Stack }>({
  stack: [
    async ({}, use) => {
      const stack = await startStack({ name: `outage-${process.pid}` });
      await use(stack);
      await stack.stop();
    },
    { scope: 'worker', timeout: 300_000 },
  ],
});
test.describe.configure({ mode: 'serial', timeout: 300_000 });

test('signing in during an outage of the identity provider shows an error, and works afterwards', async ({
  page,
  stack,
}) => {
  const { endpoints, provider } = stack;
  const user = await createAccountsClient(endpoints).create();
  await page.goto(getDashboardUrl(endpoints));
  await expectSignInPage(page, endpoints);

  await provider.stop();
  await submitSignIn(page, user);
  await expect(page.getByRole('alert').filter({ hasText: /\S/ })).toBeVisible();

  await provider.start();
  await submitSignIn(page, user);
  await expectDashboard(page, endpoints, user);
});

test('a confirmation link that cannot be checked is retried when the provider is back', async ({ page, stack }) => {
  const { endpoints, provider } = stack;
  const email = freshEmail();
  await register(page, endpoints, email);
  const link = await linkFor(endpoints, email);

  await provider.stop();
  await page.goto(link);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText("We couldn't check your link");

  await provider.start();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page).toHaveURL(`${endpoints.appOrigin}/registration/success`);
});

test('a session outlives an outage of the provider', async ({ page, context, stack }) => {
  const { endpoints, provider } = stack;
  const user = await createAccountsClient(endpoints).create();
  await signIn(page, endpoints, user);
  const cookie = await cookieHeader(context, endpoints);

  await provider.stop();
  await expect.poll(() => sessionStatus(endpoints, cookie), { timeout: 60_000 }).toBe(503);
  const answer = await page.goto(getDashboardUrl(endpoints));
  expect(answer?.status()).toBe(503);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText("We can't check your sign-in right now");

  await provider.start();
  await page.getByRole('link', { name: 'Try again' }).click();
  await expectDashboard(page, endpoints, user);
});
