// ASVS: 6.1.3
// Threats: enumeration, uncaught-error
import { expect, test } from '../support/fixtures';
import { expectDashboard, signIn, getSignInUrl, submitSignIn } from '../support/journeys';

test('sign-in redirects to a deep page of the platform', async ({ page, endpoints, user }) => {
  const course = `${endpoints.platformOrigin}/user/courses/the-night-sky?from=mail&x=%C3%A9`;
  await page.goto(course);
  await submitSignIn(page, user);
  await expect(page).toHaveURL(course);
});

test('without a callback the learner lands on the dashboard', async ({ page, endpoints, user }) => {
  await page.goto(getSignInUrl(endpoints));
  await submitSignIn(page, user);
  await expectDashboard(page, endpoints, user);
});

test('a signed-in learner is redirected at once', async ({ page, endpoints, user }) => {
  await signIn(page, endpoints, user);
  const course = `${endpoints.platformOrigin}/user/courses/writing-for-readers`;
  await page.goto(`${getSignInUrl(endpoints)}?redirect_uri=${encodeURIComponent(course)}`);
  await expect(page).toHaveURL(course);
});

test('after a sign-out on the platform another user can sign in', async ({ page, endpoints, user, accounts }) => {
  await signIn(page, endpoints, user);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page).toHaveURL(`${endpoints.platformOrigin}/`);
  await signIn(page, endpoints, await accounts.create());
});
