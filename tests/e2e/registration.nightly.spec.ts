// Threats: email-scanner
import {
  getAlert,
  codeFor,
  freshEmail,
  linkFor,
  NEW_PASSWORD,
  register,
  fillNewPassword,
  lastMail,
  submitRegistration,
} from '../support/account-journeys';
import { expect, test } from '../support/fixtures';
import { expectDashboard, expectPath, submitSignIn, getDashboardUrl, getSignInUrl } from '../support/journeys';
import { wrongCode } from '../support/mail';
import { startOtherApp } from '../../scripts/lib/stack.mjs';

test('in the browser that registered, the link needs no click and signs in', async ({ page, endpoints }) => {
  const email = freshEmail();
  await register(page, endpoints, email);
  await page.goto(await linkFor(endpoints, email));
  await expect(page).toHaveURL(`${endpoints.appOrigin}/registration/success`);
  await page.getByRole('link', { name: 'Continue' }).click();
  await expectDashboard(page, endpoints, { name: 'Mia Moreau' });
});

test('a wrong code shows the attempts left; after five a new one is needed', async ({ page, endpoints }) => {
  const email = freshEmail();
  await register(page, endpoints, email);
  const code = await codeFor(endpoints, email);
  const field = page.getByLabel('Code', { exact: true });
  for (const left of [
    '4 attempts left',
    '3 attempts left',
    '2 attempts left',
    '1 attempt left',
    'Request a new code',
  ]) {
    await field.fill('');
    // A complete code is submitted automatically.
    await field.fill(wrongCode(code));
    await expect(getAlert(page)).toContainText(left);
  }
  await field.fill(code);
  await expect(getAlert(page)).toContainText('Too many incorrect attempts');
  await expect(page.getByRole('button', { name: 'Resend code' })).toBeEnabled({ timeout: 60_000 });
  await page.getByRole('button', { name: 'Resend code' }).click();
  await expect(page.getByText("We've sent a new code.")).toBeVisible();
  await expect(getAlert(page)).toHaveCount(0);
  await expect(field).toHaveValue('');
  await expect(field).toBeFocused();
  await field.fill(await codeFor(endpoints, email, 2));
  await expect(page).toHaveURL(`${endpoints.appOrigin}/registration/success`);
});

test('the code is refused in another browser, which shows where to continue', async ({ page, endpoints, browser }) => {
  await register(page, endpoints, freshEmail());
  const other = await (await browser.newContext()).newPage();
  await other.goto(`${endpoints.appOrigin}/registration/confirm`);
  await expect(other.getByRole('heading', { level: 1 })).toHaveText('Request a new code');
  await other.getByRole('link', { name: 'Create an account' }).click();
  await expect(other).toHaveURL(`${endpoints.appOrigin}/registration`);
  await other.context().close();
});

test('going back from the code to the form keeps the email, and a double click registers once', async ({
  page,
  endpoints,
}) => {
  const email = freshEmail();
  let calls = 0;
  page.on('request', (request) => (calls += request.url().endsWith('/api/registration') ? 1 : 0));
  await page.goto(`${endpoints.appOrigin}/registration`);
  await page.getByLabel('Name', { exact: true }).fill('Mia Moreau');
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByLabel('Password', { exact: true }).fill(NEW_PASSWORD);
  await page.getByRole('button', { name: 'Create account' }).dblclick();
  await expectPath(page, endpoints, '/registration/confirm');
  expect(calls).toBe(1);
  await page.goBack();
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue(email);
  await expect(page.getByLabel('Email', { exact: true })).toBeFocused();
  await page.goForward();
  await page.getByLabel('Code', { exact: true }).fill(await codeFor(endpoints, email));
  await expect(page).toHaveURL(`${endpoints.appOrigin}/registration/success`);
});

test('a guessable password is refused at its field, and the values are kept', async ({ page, endpoints }) => {
  const email = freshEmail();
  await page.goto(`${endpoints.appOrigin}/registration`);
  await page.getByLabel('Name', { exact: true }).fill('Mia Moreau');
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByLabel('Password', { exact: true }).fill('password1');
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(getAlert(page)).toHaveText(/This password is too common/);
  await expect(page.getByLabel('Password', { exact: true })).toBeFocused();
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue(email);
});

test('a step out of order redirects to the current one', async ({ page, endpoints }) => {
  await page.goto(`${endpoints.appOrigin}/registration/success`);
  await expect(page).toHaveURL(`${endpoints.appOrigin}/registration`);
});

test('a taken email is shown if REVEAL_EXISTING_ACCOUNTS is set, with a link to sign in', async ({
  page,
  endpoints: shared,
  user,
}) => {
  const { endpoints, stop } = await startOtherApp(shared, { REVEAL_EXISTING_ACCOUNTS: 'true' });
  await page.goto(`${endpoints.appOrigin}/registration`);
  await page.getByLabel('Name', { exact: true }).fill('Mia Moreau');
  await page.getByLabel('Email', { exact: true }).fill(user.email);
  await page.getByLabel('Password', { exact: true }).fill(NEW_PASSWORD);
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(getAlert(page)).toContainText("There's already an account with this email.");
  await getAlert(page).getByRole('link', { name: 'Sign in' }).click();
  await expect(page).toHaveURL(`${endpoints.appOrigin}/sign-in`);
  await submitSignIn(page, user);
  await expectDashboard(page, endpoints, user);
  await stop();
});

const OTHER_PASSWORD = 'another-quiet-lantern-43';

test('the link in the email works on another device, with a new password', async ({ page, endpoints, browser }) => {
  const email = freshEmail();
  await register(page, endpoints, email);
  const code = await codeFor(endpoints, email);
  const other = await (await browser.newContext()).newPage();
  await other.goto(await linkFor(endpoints, email));
  await expect(other.getByText(email)).toBeVisible();
  await expect(
    other.getByText('You may have signed up in another browser, so choose your password again.'),
  ).toBeVisible();
  await expect(other).toHaveURL(`${endpoints.appOrigin}/actions`);
  // Opening the link has no effect, because email scanners also open links.
  await submitSignInElsewhere(email);

  await fillNewPassword(other, 'iloveyou1');
  await other.getByRole('button', { name: 'Confirm and save password' }).click();
  await expect(getAlert(other)).toHaveText(/This password is too common/);
  await expect(other.getByLabel('New password', { exact: true })).toBeFocused();
  await fillNewPassword(other, OTHER_PASSWORD);
  await other.getByRole('button', { name: 'Confirm and save password' }).click();
  await expect(other).toHaveURL(`${endpoints.appOrigin}/registration/success`);
  await expect(other.getByText("You've confirmed your email and signed in.")).toBeVisible();
  await other.getByRole('link', { name: 'Continue' }).click();
  await expect(other).toHaveURL(getDashboardUrl(endpoints));
  await other.goto(`${endpoints.appOrigin}/app-shell`);
  await other.evaluate(() => localStorage.clear());
  await other.context().clearCookies();
  await other.goto(getSignInUrl(endpoints));
  // The password chosen at registration no longer works.
  await submitSignIn(other, { email, password: NEW_PASSWORD });
  await expect(getAlert(other)).toContainText('Incorrect email or password');
  await submitSignIn(other, { email, password: OTHER_PASSWORD });
  // Another person may also have chosen the name at registration.
  await expect(other).toHaveURL(getDashboardUrl(endpoints));

  // The link was used first, then the code. The email is already verified, which counts as success.
  await page.getByLabel('Code', { exact: true }).fill(code);
  await expect(page).toHaveURL(`${endpoints.appOrigin}/registration/success`);
  await other.context().close();

  /** Signs in with the password of the registration, whose account has not begun. */
  async function submitSignInElsewhere(address: string): Promise<void> {
    const context = await browser.newContext();
    const visitor = await context.newPage();
    await visitor.goto(getSignInUrl(endpoints));
    await submitSignIn(visitor, { email: address, password: NEW_PASSWORD });
    await expect(getAlert(visitor)).toContainText('Incorrect email or password');
    await context.close();
  }
});

test('a taken email gets the same screens, and its owner a hint', async ({ page, endpoints, user }) => {
  await register(page, endpoints, user.email);
  await expect(page.getByText(user.email)).toBeVisible();
  expect((await lastMail(endpoints, user.email)).subject).toBe('You already have a Campus account');
  await page.getByLabel('Code', { exact: true }).fill('ABCDEF');
  await expect(getAlert(page)).toContainText('This code is incorrect');
});

test('a tab that waits for the code follows the link of its email in another tab', async ({ page, endpoints }) => {
  const email = freshEmail();
  await page.goto(getDashboardUrl(endpoints));
  await page.getByRole('link', { name: 'Create an account' }).click();
  await submitRegistration(page, endpoints, email);
  const tab = await page.context().newPage();
  await tab.goto(await linkFor(endpoints, email));
  await expect(tab).toHaveURL(`${endpoints.appOrigin}/registration/success`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Your account is ready');
  await expect(page.getByText(`You've confirmed your email and signed in as ${email}`)).toBeVisible();
  await page.getByRole('link', { name: 'Continue' }).click();
  await expectDashboard(page, endpoints, { name: 'Mia Moreau' });
});

test('a tab that waits for the code stays when another account signs in', async ({ page, endpoints, user }) => {
  await register(page, endpoints, freshEmail());
  const tab = await page.context().newPage();
  await tab.goto(getDashboardUrl(endpoints));
  const again = page.waitForEvent('load');
  await submitSignIn(tab, user);
  await expectDashboard(tab, endpoints, user);
  await again;
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Check your email');
  await expect(page.getByLabel('Code', { exact: true })).toBeVisible();
});

test('signing in with an unverified email sends a code and asks for it', async ({ page, endpoints, accounts }) => {
  const user = await accounts.create({ emailVerified: false });
  await page.goto(getDashboardUrl(endpoints));
  await submitSignIn(page, user);
  // The code arrives before the page is hydrated.
  await page.route('**/_next/static/chunks/*.js', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 500));
    await route.continue();
  });
  await expectPath(page, endpoints, '/registration/confirm');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Confirm your email to finish signing in');
  await page.getByLabel('Code', { exact: true }).fill(await codeFor(endpoints, user.email));
  await expect(page).toHaveURL(`${endpoints.appOrigin}/registration/success`);
  await page.getByRole('link', { name: 'Continue' }).click();
  await expectDashboard(page, endpoints, user);
});
