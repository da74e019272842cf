import type { Page } from '@playwright/test';
import { codeFor, fillNewPassword, freshEmail, NEW_PASSWORD, submitRegistration } from '../support/account-journeys';
import type { Person } from '../support/accounts';
import { expect, test } from '../support/fixtures';
import { expectDashboard, expectSignInPage, pageReady, submitSignIn } from '../support/journeys';
import type { Places } from '../support/stack';

const courseOf = ({ platformOrigin }: Places) => `${platformOrigin}/user/courses/the-night-sky`;

/**
 * From a link on the platform's home page to sign-in: the referrer is the home page, the callback URL is the course.
 */
async function followCourseLink(page: Page, places: Places): Promise<void> {
  await page.goto(`${places.platformOrigin}/`);
  await page.evaluate((href) => {
    const link = Object.assign(document.createElement('a'), { href, textContent: 'Tonight: the night sky' });
    document.body.append(link);
  }, courseOf(places));
  await page.getByRole('link', { name: 'Tonight: the night sky' }).click();
  await expectSignInPage(page, places);
  await pageReady(page);
  expect(await page.evaluate(() => document.referrer)).toBe(`${places.platformOrigin}/`);
}

const createAccount = (page: Page) => page.getByRole('link', { name: 'Create an account' }).click();
const onRegistration = (page: Page) => expect(page.getByRole('button', { name: 'Create account' })).toBeVisible();
const backToSignIn = (page: Page) => page.getByRole('main').getByRole('link', { name: 'Sign in' }).click();

async function forgotPassword(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Forgot password?' }).click();
  await expect(page.getByRole('button', { name: 'Send reset code' })).toBeVisible();
}

async function expectCourseAfterSignIn(page: Page, places: Places, person: Person): Promise<void> {
  await expectSignInPage(page, places);
  await submitSignIn(page, person);
  await expect(page).toHaveURL(courseOf(places));
}

test('the dashboard is reached by way of the registration page', async ({ page, places, person }) => {
  await page.goto(`${places.platformOrigin}/`);
  await page.getByRole('link', { name: 'Go to my dashboard' }).click();
  await expectSignInPage(page, places);
  await pageReady(page);
  await createAccount(page);
  await onRegistration(page);
  await backToSignIn(page);
  await expectSignInPage(page, places);
  await submitSignIn(page, person);
  await expectDashboard(page, places, person);
});

test('a course is reached by way of the pages for a forgotten password', async ({ page, places, person }) => {
  await followCourseLink(page, places);
  await forgotPassword(page);
  await page.getByRole('link', { name: 'Back to sign-in' }).click();
  await expectCourseAfterSignIn(page, places, person);
});

test('a course is reached after back and forward', async ({ page, places, person }) => {
  await followCourseLink(page, places);
  await createAccount(page);
  await onRegistration(page);
  await page.goBack();
  await expectSignInPage(page, places);
  await page.goForward();
  await onRegistration(page);
  await page.goBack();
  await expectCourseAfterSignIn(page, places, person);
});

test('a course is reached after reloads', async ({ page, places, person }) => {
  await followCourseLink(page, places);
  await page.reload();
  await pageReady(page);
  await createAccount(page);
  await onRegistration(page);
  await page.reload();
  await pageReady(page);
  await backToSignIn(page);
  await expectCourseAfterSignIn(page, places, person);
});

test('a course is reached with a new account', async ({ page, places }) => {
  const email = freshEmail();
  await followCourseLink(page, places);
  await createAccount(page);
  await onRegistration(page);
  await submitRegistration(page, places, email);
  await page.getByLabel('Code', { exact: true }).fill(await codeFor(places, email));
  await page.getByRole('link', { name: 'Continue' }).click();
  await expect(page).toHaveURL(courseOf(places));
});

test('a course is reached with a new password', async ({ page, places, person }) => {
  await followCourseLink(page, places);
  await forgotPassword(page);
  await page.getByLabel('Email', { exact: true }).fill(person.email);
  await page.getByRole('button', { name: 'Send reset code' }).click();
  await page.getByRole('link', { name: 'Enter the code' }).click();
  await page.getByLabel('Code', { exact: true }).fill(await codeFor(places, person.email));
  await fillNewPassword(page);
  await page.getByRole('button', { name: 'Reset password' }).click();
  await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click();
  await expectCourseAfterSignIn(page, places, { ...person, password: NEW_PASSWORD });
});

test('a reload after a sign-in elsewhere leads to the course, not to the referrer', async ({
  page,
  places,
  people,
}) => {
  await followCourseLink(page, places);
  const token = await people.idToken(await people.create());
  // The session is created in this browser without notifying this tab.
  const answer = await page.request.post(`${places.appOrigin}/api/create-user-session`, {
    headers: { origin: places.appOrigin },
    data: { token },
  });
  expect(answer.status()).toBe(200);
  await page.reload();
  await expect(page).toHaveURL(courseOf(places));
});
