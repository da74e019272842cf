import { expect, test } from '../support/fixtures';
import {
  cookieHeader,
  dashboardOf,
  expectDashboard,
  expectSignInPage,
  sessionStatus,
  signIn,
  signInPageOf,
  submitSignIn,
} from '../support/journeys';

test('from the dashboard through sign-in and back, and out again', async ({ page, context, places, person }) => {
  await page.goto(dashboardOf(places));
  await expectSignInPage(page, places);

  await submitSignIn(page, { ...person, password: 'not-my-password' });
  await expect(page.getByRole('alert').filter({ hasText: /\S/ })).toBeVisible();
  expect(await sessionStatus(places, await cookieHeader(context, places))).toBe(401);

  await submitSignIn(page, person);
  await expectDashboard(page, places, person);
  await page.reload();
  await expectDashboard(page, places, person);

  const oldCookie = await cookieHeader(context, places);
  expect(await sessionStatus(places, oldCookie)).toBe(200);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page).toHaveURL(`${places.platformOrigin}/`);
  await page.goto(dashboardOf(places));
  await expectSignInPage(page, places);
  expect(await sessionStatus(places, oldCookie)).toBe(401);
});

test('sign-in redirects to a deep page of the platform', async ({ page, places, person }) => {
  const course = `${places.platformOrigin}/user/courses/the-night-sky?from=mail&x=%C3%A9`;
  await page.goto(course);
  await submitSignIn(page, person);
  await expect(page).toHaveURL(course);
});

test('without a callback the learner lands on the dashboard', async ({ page, places, person }) => {
  await page.goto(signInPageOf(places));
  await submitSignIn(page, person);
  await expectDashboard(page, places, person);
});

test('a signed-in learner is redirected at once', async ({ page, places, person }) => {
  await signIn(page, places, person);
  const course = `${places.platformOrigin}/user/courses/writing-for-readers`;
  await page.goto(`${signInPageOf(places)}?redirect_uri=${encodeURIComponent(course)}`);
  await expect(page).toHaveURL(course);
});

test('after a sign-out on the platform another user can sign in', async ({ page, places, person, people }) => {
  await signIn(page, places, person);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page).toHaveURL(`${places.platformOrigin}/`);
  await signIn(page, places, await people.create());
});

test('an unknown email and a wrong password get the same response', async ({ page, places, person }) => {
  const messageFor = async (email: string) => {
    await page.goto(signInPageOf(places));
    await submitSignIn(page, { email, password: 'not-my-password' });
    const alert = page.getByRole('alert').filter({ hasText: /\S/ });
    await expect(alert).toBeVisible();
    return alert.textContent();
  };
  expect(await messageFor('nobody@campus.test')).toBe(await messageFor(person.email));
});
