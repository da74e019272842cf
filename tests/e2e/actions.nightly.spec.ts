// ASVS: 3.4.5, 3.5.3
// Threats: foreign-confirmation, email-scanner, code-leak
import {
  getAlert,
  askForReset,
  codeFor,
  fillNewPassword,
  freshEmail,
  linkFor,
  NEW_PASSWORD,
  register,
} from '../support/account-journeys';
import { expectNoViolations } from '../support/axe';
import { nextSecond } from '../support/client';
import { expect, test } from '../support/fixtures';
import {
  expectDashboard,
  expectPath,
  getSignInUrl,
  pageReady,
  signInByApi,
  submitSignIn,
  cookieHeader,
  sessionStatus,
  signIn,
} from '../support/journeys';

test('a continueUrl is followed only if the callback rules accept it', async ({ page, endpoints, user, browser }) => {
  const course = `${endpoints.platformOrigin}/user/courses/the-night-sky`;
  for (const [continueUrl, end] of [
    [course, course],
    ['https://evil.test/', `${endpoints.platformOrigin}/user/dashboard`],
  ] as const) {
    const context = await browser.newContext();
    const visitor = await context.newPage();
    await askForReset(page, endpoints, user.email);
    const link = new URL(await linkFor(endpoints, user.email, end === course ? 1 : 3));
    link.searchParams.set('continueUrl', continueUrl);
    await visitor.goto(link.href);
    await fillNewPassword(visitor, end === course ? 'first-lantern-41' : 'second-lantern-43');
    await visitor.getByRole('button', { name: 'Reset password' }).click();
    // The reset has signed the visitor in.
    await visitor.getByRole('link', { name: 'Continue' }).click();
    await expect(visitor).toHaveURL(end);
    await context.close();
  }
});

test('an invalid confirmation link offers a new code, or another registration', async ({
  page,
  endpoints,
  browser,
}) => {
  const made = `${endpoints.appOrigin}/actions?mode=verifyEmail&oobCode=made-up`;
  await register(page, endpoints, freshEmail());
  await page.goto(made);
  await expect(page.getByText("This link doesn't work.")).toBeVisible();
  // A new code can be requested on the device where the registration was started.
  await page.getByRole('link', { name: 'Request a new code' }).click();
  await expectPath(page, endpoints, '/registration/confirm');

  const other = await (await browser.newContext()).newPage();
  await other.goto(made);
  await expect(other.getByText("This link doesn't work.")).toBeVisible();
  await expect(other.getByRole('link', { name: 'Go to sign-in' })).toBeVisible();
  await other.getByRole('link', { name: 'Create an account' }).click();
  await expect(other).toHaveURL(`${endpoints.appOrigin}/registration`);
  await other.context().close();
});

test('another signed-in user has to choose first for a confirmation link too', async ({ page, endpoints, user }) => {
  const email = freshEmail();
  await register(page, endpoints, email);
  const link = await linkFor(endpoints, email);
  await page.goto(getSignInUrl(endpoints));
  await submitSignIn(page, user);
  await expectDashboard(page, endpoints, user);
  await page.goto(link);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText("You're signed in to another account");
  await expect(page.getByText(email)).toBeVisible();
  await page.getByRole('button', { name: 'Sign out and use the link' }).click();
  await expect(page).toHaveURL(`${endpoints.appOrigin}/registration/success`);
});

test('a sign-in link asks for the address on another device', async ({ page, endpoints, user, request }) => {
  // A link from the second of its account's creation ends with it, as with a revocation.
  await nextSecond();
  const answer = await request.post(`${endpoints.appOrigin}/api/email-link`, {
    headers: { origin: endpoints.appOrigin },
    data: { email: user.email },
  });
  expect(answer.status()).toBe(200);
  await page.goto(await linkFor(endpoints, user.email));
  await page.getByLabel('Email', { exact: true }).fill('another-user@campus.test');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(getAlert(page)).toContainText('sent to another email address');
  await page.getByLabel('Email', { exact: true }).fill(user.email);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expectDashboard(page, endpoints, user);
});

test('a used sign-in link shows that it was used', async ({ page, endpoints }) => {
  await page.goto(`${endpoints.appOrigin}/actions?mode=signIn&oobCode=made-up`);
  await expect(page.getByText('This link has expired or has already been used.')).toBeVisible();
});

test('a link for which the session cannot be checked says so in the end', async ({
  page,
  endpoints,
  user,
  accounts,
}) => {
  await signInByApi(page, endpoints, await accounts.idToken(user));
  await page.route('**/api/check-auth-status', (route) => route.fulfill({ status: 503, json: {} }));
  await page.clock.install();
  await page.goto(`${endpoints.appOrigin}/actions?mode=signIn&oobCode=made-up`);
  await pageReady(page);
  // Repeated until the waiting part of the page is loaded.
  await expect(async () => {
    await page.clock.fastForward(36_000);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText("We couldn't check your link", { timeout: 1_000 });
  }).toPass();
  await page.unroute('**/api/check-auth-status');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText('This link has expired or has already been used.')).toBeVisible();
});

for (const query of [
  '',
  '?mode=recoverEmail&oobCode=x',
  '?oobCode=',
  '?mode=signIn&oobCode=a&oobCode=b',
  `?mode=signIn&oobCode=${'a'.repeat(1_025)}`,
])
  test(`a URL without a usable link offers a way on: "${query.slice(0, 40)}"`, async ({ page, endpoints }) => {
    await page.goto(`${endpoints.appOrigin}/actions${query}`);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('This link is incomplete');
    await expect(page).toHaveURL(`${endpoints.appOrigin}/actions`);
    await expectNoViolations(page);
  });

test('another signed-in user has to choose first', async ({ page, context, endpoints, user, accounts }) => {
  const owner = await accounts.create();
  await askForReset(page, endpoints, owner.email);
  const link = await linkFor(endpoints, owner.email);
  await signIn(page, endpoints, user);
  const cookie = await cookieHeader(context, endpoints);
  await page.goto(link);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText("You're signed in to another account");
  await expect(page.getByText(user.email)).toBeVisible();
  await page.getByRole('button', { name: 'Sign out and use the link' }).click();
  await expect(page.getByLabel('New password', { exact: true })).toBeVisible();
  await expect(page.getByText(owner.email)).toBeVisible();
  expect(await sessionStatus(endpoints, cookie)).toBe(401);
  await fillNewPassword(page);
  await page.getByRole('button', { name: 'Reset password' }).click();
  await expect(page).toHaveURL(`${endpoints.appOrigin}/forget-password/confirmation`);
});

test('a confirmation link used twice shows that the email is verified, and links to sign-in', async ({
  page,
  browser,
  endpoints,
}) => {
  const email = freshEmail();
  await register(page, endpoints, email);
  const link = await linkFor(endpoints, email);
  await page.goto(link);
  await expect(page).toHaveURL(`${endpoints.appOrigin}/registration/success`);

  const other = await (await browser.newContext()).newPage();
  await other.goto(link);
  await expect(other.getByRole('heading', { level: 1 })).toHaveText('Your email is confirmed');
  await other.getByRole('link', { name: 'Sign in', exact: true }).click();
  await expect(other.getByLabel('Email', { exact: true })).toHaveValue(email);
  await submitSignIn(other, { email, password: NEW_PASSWORD });
  await expectDashboard(other, endpoints, { name: 'Mia Moreau' });
  await other.context().close();

  await page.goto(link);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Your email is confirmed');
  await page.getByRole('button', { name: 'Continue' }).click();
  await expectDashboard(page, endpoints, { name: 'Mia Moreau' });
});

test('the link of an earlier registration says that a later one was confirmed', async ({
  page,
  endpoints,
  browser,
}) => {
  const email = freshEmail();
  await register(page, endpoints, email);
  const link = await linkFor(endpoints, email);
  const later = await (await browser.newContext()).newPage();
  await register(later, endpoints, email);
  await later.getByLabel('Code', { exact: true }).fill(await codeFor(endpoints, email, 2));
  await expect(later).toHaveURL(/\/registration\/success/);
  await page.goto(link);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Your email is confirmed');
  await expect(page.getByRole('link', { name: 'Sign in' })).toBeVisible();
  await later.context().close();
});
