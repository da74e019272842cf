// Threats: foreign-client
import { codeField } from '../support/code-page';
import { expect, test } from '../support/fixtures';
import { pageReady, signIn, submitSignIn } from '../support/journeys';
import { enrolApp } from '../support/second-factor';

test('a session of the platform signs in at the school without a question, and out again', async ({
  page,
  endpoints,
  user,
}) => {
  await signIn(page, endpoints, user);
  await page.goto(endpoints.schoolOrigin);
  await expect(page.getByText(`Signed in as ${user.name}`)).toBeVisible();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page).toHaveURL(new RegExp(`^${endpoints.appOrigin}/sign-out`));
  await page.getByRole('main').getByRole('button', { name: 'Sign out' }).click();
  await expect(page).toHaveURL(`${endpoints.schoolOrigin}/?problem=signed-out`);
  await page.goto(`${endpoints.platformOrigin}/user/dashboard`);
  await expect(page).toHaveURL(new RegExp(`^${endpoints.appOrigin}/sign-in`));
});

test('a school that asks for two factors gets both', async ({ page, endpoints, user }) => {
  const app = await enrolApp(endpoints, user);
  await page.goto(`${endpoints.schoolOrigin}/sign-in?acr_values=aal2`);
  await submitSignIn(page, user);
  // A complete code submits itself.
  await codeField(page).fill(app.codeAt());
  await expect(page.getByText(`Signed in as ${user.name}, ${user.email}, with two factors.`)).toBeVisible();
});

test('prompt=login asks for the password despite a session, with the email that the school knows', async ({
  page,
  endpoints,
  user,
}) => {
  await signIn(page, endpoints, user);
  // This is longer than the allowed clock skew.
  await page.waitForTimeout(11_000);
  await page.goto(`${endpoints.schoolOrigin}/sign-in?prompt=login&login_hint=${user.email}`);
  await expect(page).toHaveURL(new RegExp(`^${endpoints.appOrigin}/sign-in`));
  await pageReady(page);
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue(user.email);
  await submitSignIn(page, user);
  await expect(page.getByText(`Signed in as ${user.name}`)).toBeVisible();
});
