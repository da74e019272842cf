import { freshEmail, linkFor, register } from '../support/account-journeys';
import { expect, test as base } from '../support/fixtures';
import {
  cookieHeader,
  dashboardOf,
  expectDashboard,
  expectSignInPage,
  sessionStatus,
  signIn,
  submitSignIn,
} from '../support/journeys';
import { peopleAt } from '../support/accounts';
import { startStack, type Stack } from '../support/stack';

/** A separate stack: stopping the identity provider would affect the other tests. */
const test = base.extend<object, { stack: Stack }>({
  stack: [
    async ({}, use) => {
      const stack = await startStack({ name: `outage-${process.pid}` });
      await use(stack);
      await stack.stop();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
});
test.describe.configure({ mode: 'serial', timeout: 120_000 });

test('signing in during an outage of the identity provider shows an error, and works afterwards', async ({
  page,
  stack,
}) => {
  const { places, provider } = stack;
  const person = await peopleAt(places).create();
  await page.goto(dashboardOf(places));
  await expectSignInPage(page, places);

  await provider.stop();
  await submitSignIn(page, person);
  await expect(page.getByRole('alert').filter({ hasText: /\S/ })).toBeVisible();

  await provider.start();
  await submitSignIn(page, person);
  await expectDashboard(page, places, person);
});

test('a confirmation link that cannot be checked is retried when the provider is back', async ({ page, stack }) => {
  const { places, provider } = stack;
  const email = freshEmail();
  await register(page, places, email);
  const link = await linkFor(places, email);

  await provider.stop();
  await page.goto(link);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText("We couldn't check your link");

  await provider.start();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page).toHaveURL(`${places.appOrigin}/registration/success`);
});

test('a session outlives an outage of the provider', async ({ page, context, stack }) => {
  const { places, provider } = stack;
  const person = await peopleAt(places).create();
  await signIn(page, places, person);
  const cookie = await cookieHeader(context, places);

  await provider.stop();
  await expect.poll(() => sessionStatus(places, cookie), { timeout: 40_000 }).toBe(503);
  const answer = await page.goto(dashboardOf(places));
  expect(answer?.status()).toBe(503);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText("We can't check your sign-in right now");

  await provider.start();
  await page.getByRole('link', { name: 'Try again' }).click();
  await expectDashboard(page, places, person);
});
