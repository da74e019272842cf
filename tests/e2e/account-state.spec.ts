import { expect, test } from '../support/fixtures';
import {
  cookieHeader,
  dashboardOf,
  expectSignInPage,
  sessionStatus,
  signIn,
  signInPageOf,
  submitSignIn,
} from '../support/journeys';

// A revocation takes effect everywhere within 30 s.
const REVOCATION = { timeout: 35_000 };

test('a disabled user gets no session', async ({ page, context, places, people }) => {
  const person = await people.create({ disabled: true });
  await page.goto(signInPageOf(places));
  await submitSignIn(page, person);
  await expect(page.getByRole('alert').filter({ hasText: /\S/ })).toBeVisible();
  expect(await sessionStatus(places, await cookieHeader(context, places))).toBe(401);
});

for (const [what, act] of [
  ['disabled', 'disable'],
  ['deleted', 'remove'],
  ['revoked', 'revoke'],
] as const) {
  test(`a session ends when its user is ${what}`, async ({ page, context, places, person, people }) => {
    await signIn(page, places, person);
    const cookie = await cookieHeader(context, places);
    await people[act](person);
    await expect.poll(() => sessionStatus(places, cookie), REVOCATION).toBe(401);
    await page.goto(dashboardOf(places));
    await expectSignInPage(page, places);
  });
}
