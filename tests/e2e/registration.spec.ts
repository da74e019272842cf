// Threats: email-scanner
import {
  getAlert,
  codeFor,
  fillNewPassword,
  freshEmail,
  lastMail,
  linkFor,
  NEW_PASSWORD,
  register,
} from '../support/account-journeys';
import { expect, test } from '../support/fixtures';
import { getDashboardUrl, expectDashboard, expectPath, getSignInUrl, submitSignIn } from '../support/journeys';

const OTHER_PASSWORD = 'another-quiet-lantern-43';

test('registration leads from the sign-in page to the requested course', async ({ page, endpoints }) => {
  const course = `${endpoints.platformOrigin}/user/courses/the-night-sky`;
  const email = freshEmail();
  await page.goto(course);
  await page.getByRole('link', { name: 'Create an account' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Mia Moreau');
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByLabel('Password', { exact: true }).fill(NEW_PASSWORD);
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page.getByText(email)).toBeVisible();

  // Typed as users type it; a complete code is submitted automatically.
  const code = await codeFor(endpoints, email);
  await page
    .getByLabel('Code', { exact: true })
    .pressSequentially(`${code.slice(0, 3).toLowerCase()} ${code.slice(3)}`);
  await expect(page).toHaveURL(`${endpoints.appOrigin}/registration/success`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Your account is ready');
  await expect(page.getByText("You've confirmed your email and signed in.")).toBeVisible();
  await page.getByRole('link', { name: 'Continue' }).click();
  await expect(page).toHaveURL(course);
});

test('the link in the email works on another device, with a new password', async ({ page, endpoints, browser }) => {
  const email = freshEmail();
  await register(page, endpoints, email);
  const code = await codeFor(endpoints, email);
  const other = await (await browser.newContext()).newPage();
  await other.goto(await linkFor(endpoints, email));
  await expect(other.getByText(email)).toBeVisible();
  await expect(other.getByText('another device or browser, choose a new password')).toBeVisible();
  await expect(other).toHaveURL(`${endpoints.appOrigin}/actions`);
  // Opening the link has no effect: email scanners open links too.
  await submitSignInElsewhere(endpoints.appOrigin, email, 403);

  await fillNewPassword(other, 'iloveyou1');
  await other.getByRole('button', { name: 'Verify' }).click();
  await expect(getAlert(other)).toHaveText(/This password is too common/);
  await expect(other.getByLabel('New password', { exact: true })).toBeFocused();
  await fillNewPassword(other, OTHER_PASSWORD);
  await other.getByRole('button', { name: 'Verify' }).click();
  await expect(other).toHaveURL(`${endpoints.appOrigin}/registration/success`);
  await other.getByRole('link', { name: 'Sign in' }).click();
  await expect(other.getByLabel('Email', { exact: true })).toHaveValue(email);
  // The password chosen at registration no longer works.
  await submitSignIn(other, { email, password: NEW_PASSWORD });
  await expect(getAlert(other)).toContainText('Incorrect email or password');
  await submitSignIn(other, { email, password: OTHER_PASSWORD });
  // The name was also chosen at registration, possibly by another person.
  await expect(other).toHaveURL(getDashboardUrl(endpoints));

  // Link first, then code: the email address is already verified, which counts as success.
  await page.getByLabel('Code', { exact: true }).fill(code);
  await expect(page).toHaveURL(`${endpoints.appOrigin}/registration/success`);
  await other.context().close();

  /** Correct password, unverified email address: no session. */
  async function submitSignInElsewhere(origin: string, address: string, status: number): Promise<void> {
    const context = await browser.newContext();
    const visitor = await context.newPage();
    await visitor.goto(getSignInUrl(endpoints));
    const answer = visitor.waitForResponse(`${origin}/api/create-user-session`);
    await submitSignIn(visitor, { email: address, password: NEW_PASSWORD });
    expect((await answer).status()).toBe(status);
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
  await page.getByLabel('Code', { exact: true }).fill(await codeFor(endpoints, user.email));
  await expect(page).toHaveURL(`${endpoints.appOrigin}/registration/success`);
  await page.getByRole('link', { name: 'Continue' }).click();
  await expectDashboard(page, endpoints, user);
});
