import type { Page } from '@playwright/test';
import { codeFor, fillNewPassword, freshEmail, submitRegistration } from '../support/account-journeys';
import type { TestUser } from '../support/accounts-client';
import { expect, test } from '../support/fixtures';
import { expectDashboard, expectSignInPage, pageReady, submitSignIn } from '../support/journeys';
import type { Endpoints } from '../../scripts/lib/stack.mjs';

const getCourseUrl = ({ platformOrigin }: Endpoints) => `${platformOrigin}/user/courses/the-night-sky`;

/**
 * Follows a link on the platform's home page to sign-in. The referrer is the home page, and the callback URL is the
 * course.
 */
async function followCourseLink(page: Page, endpoints: Endpoints): Promise<void> {
  await page.goto(`${endpoints.platformOrigin}/`);
  await page.evaluate((href) => {
    const link = Object.assign(document.createElement('a'), { href, textContent: 'Tonight: the night sky' });
    document.body.append(link);
  }, getCourseUrl(endpoints));
  await page.getByRole('link', { name: 'Tonight: the night sky' }).click();
  await expectSignInPage(page, endpoints);
  await pageReady(page);
  expect(await page.evaluate(() => document.referrer)).toBe(`${endpoints.platformOrigin}/`);
}

const createAccount = (page: Page) => page.getByRole('link', { name: 'Create an account' }).click();
const onRegistration = (page: Page) => expect(page.getByRole('button', { name: 'Create account' })).toBeVisible();
const backToSignIn = (page: Page) => page.getByRole('main').getByRole('link', { name: 'Sign in' }).click();

async function forgotPassword(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Forgot password?' }).click();
  await expect(page.getByRole('button', { name: 'Send reset code' })).toBeVisible();
}

async function expectCourseAfterSignIn(page: Page, endpoints: Endpoints, user: TestUser): Promise<void> {
  await expectSignInPage(page, endpoints);
  await submitSignIn(page, user);
  await expect(page).toHaveURL(getCourseUrl(endpoints));
}

test('the dashboard is reached by way of the registration page', async ({ page, endpoints, user }) => {
  await page.goto(`${endpoints.platformOrigin}/`);
  await page.getByRole('link', { name: 'Go to my dashboard' }).click();
  await expectSignInPage(page, endpoints);
  await pageReady(page);
  await createAccount(page);
  await onRegistration(page);
  await backToSignIn(page);
  await expectSignInPage(page, endpoints);
  await submitSignIn(page, user);
  await expectDashboard(page, endpoints, user);
});

test('a course is reached by way of the pages for a forgotten password', async ({ page, endpoints, user }) => {
  await followCourseLink(page, endpoints);
  await forgotPassword(page);
  await page.getByRole('link', { name: 'Back to sign-in' }).click();
  await expectCourseAfterSignIn(page, endpoints, user);
});

test('a course is reached after back and forward', async ({ page, endpoints, user }) => {
  await followCourseLink(page, endpoints);
  await createAccount(page);
  await onRegistration(page);
  await page.goBack();
  await expectSignInPage(page, endpoints);
  await page.goForward();
  await onRegistration(page);
  await page.goBack();
  await expectCourseAfterSignIn(page, endpoints, user);
});

test('a course is reached after reloads', async ({ page, endpoints, user }) => {
  await followCourseLink(page, endpoints);
  await page.reload();
  await pageReady(page);
  await createAccount(page);
  await onRegistration(page);
  await page.reload();
  await pageReady(page);
  await backToSignIn(page);
  await expectCourseAfterSignIn(page, endpoints, user);
});

test('a course is reached with a new account', async ({ page, endpoints }) => {
  const email = freshEmail();
  await followCourseLink(page, endpoints);
  await createAccount(page);
  await onRegistration(page);
  await submitRegistration(page, endpoints, email);
  await page.getByLabel('Code', { exact: true }).fill(await codeFor(endpoints, email));
  await page.getByRole('link', { name: 'Continue' }).click();
  await expect(page).toHaveURL(getCourseUrl(endpoints));
});

test('a course is reached with a new password', async ({ page, endpoints, user }) => {
  await followCourseLink(page, endpoints);
  await forgotPassword(page);
  await page.getByLabel('Email', { exact: true }).fill(user.email);
  await page.getByRole('button', { name: 'Send reset code' }).click();
  await page.getByLabel('Code', { exact: true }).fill(await codeFor(endpoints, user.email));
  await fillNewPassword(page);
  await page.getByRole('button', { name: 'Reset password' }).click();
  await page.getByRole('link', { name: 'Continue' }).click();
  await expect(page).toHaveURL(getCourseUrl(endpoints));
});

test('a reload after a sign-in elsewhere leads to the course, not to the referrer', async ({
  page,
  endpoints,
  accounts,
}) => {
  await followCourseLink(page, endpoints);
  const token = await accounts.idToken(await accounts.create());
  // The session is created in this browser without notifying this tab.
  const answer = await page.request.post(`${endpoints.appOrigin}/api/create-user-session`, {
    headers: { origin: endpoints.appOrigin },
    data: { token },
  });
  expect(answer.status()).toBe(200);
  await page.reload();
  await expect(page).toHaveURL(getCourseUrl(endpoints));
});
