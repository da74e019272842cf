// ASVS: 6.4.2, 7.4.3
// Threats: stolen-session
import {
  getAlert,
  askForReset,
  codeFor,
  fillNewPassword,
  freshEmail,
  lastMail,
  linkFor,
  NEW_PASSWORD,
} from '../support/account-journeys';
import { expect, test } from '../support/fixtures';
import { expectDashboard, getSignInUrl, submitSignIn } from '../support/journeys';
import { wrongCode } from '../support/mail';
import { enrolApp } from '../support/second-factor';
import { startOtherApp } from '../../scripts/lib/stack.mjs';

test('an unknown email gets the same screens, and a helpful email', async ({ page, endpoints }) => {
  const email = freshEmail();
  await askForReset(page, endpoints, email);
  expect((await lastMail(endpoints, email)).subject).toBe("There's no Campus account for this email address");
  await page.getByLabel('Code', { exact: true }).fill('ABCDEF');
  await fillNewPassword(page);
  await page.getByRole('button', { name: 'Reset password' }).click();
  await expect(getAlert(page)).toContainText('This code is incorrect');
});

test('codes are refused after five attempts, after use, and in another browser', async ({
  page,
  endpoints,
  user,
  browser,
}) => {
  await askForReset(page, endpoints, user.email);
  const code = await codeFor(endpoints, user.email);
  const field = page.getByLabel('Code', { exact: true });
  await fillNewPassword(page);
  for (let count = 0; count < 5; count += 1) {
    await field.fill(wrongCode(code));
    const answer = page.waitForResponse(`${endpoints.appOrigin}/api/password-reset/confirm`);
    await page.getByRole('button', { name: 'Reset password' }).click();
    expect((await answer).status()).toBe(400);
  }
  await field.fill(code);
  await page.getByRole('button', { name: 'Reset password' }).click();
  await expect(getAlert(page)).toContainText('Too many incorrect attempts');

  const other = await (await browser.newContext()).newPage();
  await other.goto(`${endpoints.appOrigin}/forget-password/reset`);
  await expect(other.getByRole('heading', { level: 1 })).toHaveText('Request a new code');
  await other.goto(`${endpoints.appOrigin}/forget-password/instructions`);
  await expect(other).toHaveURL(`${endpoints.appOrigin}/forget-password`);
  await other.goto(`${endpoints.appOrigin}/forget-password/confirmation`);
  await expect(other).toHaveURL(`${endpoints.appOrigin}/forget-password`);
  await other.context().close();
});

test('sign-in help arrives by email', async ({ page, endpoints, user }) => {
  await page.goto(`${endpoints.appOrigin}/forget-password`);
  await page.getByRole('button', { name: 'Not sure how you signed up? Get an email' }).click();
  await expect(page.getByLabel('Email', { exact: true })).toBeFocused();
  await page.getByLabel('Email', { exact: true }).fill(user.email);
  await page.getByRole('button', { name: 'Not sure how you signed up? Get an email' }).click();
  await expect(page.getByText('Check your email')).toBeVisible();
  expect(await linkFor(endpoints, user.email)).toBe(getSignInUrl(endpoints));
});

test('without a mail server the form shows an error and keeps its values', async ({
  page,
  endpoints: shared,
  user,
}) => {
  const { endpoints, stop } = await startOtherApp(shared, { SMTP_URL: 'smtp://127.0.0.1:9' });
  for (const email of [user.email, freshEmail()]) {
    await page.goto(`${endpoints.appOrigin}/forget-password`);
    await page.getByLabel('Email', { exact: true }).fill(email);
    await page.getByRole('button', { name: 'Send reset code' }).click();
    await expect(getAlert(page)).toContainText("We couldn't send the email.");
    await expect(page.getByLabel('Email', { exact: true })).toHaveValue(email);
  }
  await stop();
});

test('the link in the email sets a new password on another device, once', async ({
  page,
  endpoints,
  user,
  browser,
}) => {
  await askForReset(page, endpoints, user.email);
  const link = await linkFor(endpoints, user.email);
  const other = await (await browser.newContext()).newPage();
  await other.goto(link);
  await expect(other.getByText(user.email)).toBeVisible();
  await expect(other).toHaveURL(`${endpoints.appOrigin}/actions`);
  await fillNewPassword(other);
  await other.getByRole('button', { name: 'Reset password' }).click();
  await expect(other).toHaveURL(`${endpoints.appOrigin}/forget-password/confirmation`);
  await other.getByRole('link', { name: 'Continue' }).click();
  await expectDashboard(other, endpoints, user);

  await other.goto(link);
  await expect(other.getByRole('heading', { level: 1 })).toHaveText("You've already chosen a new password");
  await other.getByRole('link', { name: 'Request a new code' }).click();
  await expect(other).toHaveURL(`${endpoints.appOrigin}/forget-password`);
  await other.context().close();
});

for (const by of ['code', 'link'])
  test(`with two-step verification, a reset by ${by} asks for the authentication code`, async ({
    page,
    endpoints,
    user,
  }) => {
    const app = await enrolApp(endpoints, user);
    await askForReset(page, endpoints, user.email);
    // The first email is about the second factor.
    if (by === 'link') await page.goto(await linkFor(endpoints, user.email, 2));
    else await page.getByLabel('Code', { exact: true }).fill(await codeFor(endpoints, user.email, 2));
    await fillNewPassword(page);
    await page.getByRole('button', { name: 'Reset password' }).click();
    await expect(page).toHaveURL(`${endpoints.appOrigin}/sign-in/second-factor`);
    await page.getByLabel('Authentication code').fill(app.codeAt());
    await expectDashboard(page, endpoints, user);
  });

test('if no session can be opened, the learner signs in with the new password', async ({ page, endpoints, user }) => {
  await page.route('**/api/create-user-session', (route) => route.fulfill({ status: 503, body: '{}' }));
  await askForReset(page, endpoints, user.email);
  await page.getByLabel('Code', { exact: true }).fill(await codeFor(endpoints, user.email));
  await fillNewPassword(page);
  await page.getByRole('button', { name: 'Reset password' }).click();
  await expect(page).toHaveURL(`${endpoints.appOrigin}/forget-password/confirmation`);
  await page.unroute('**/api/create-user-session');
  await page.getByRole('link', { name: 'Sign in' }).click();
  await submitSignIn(page, { ...user, password: NEW_PASSWORD });
  await expectDashboard(page, endpoints, user);
});
