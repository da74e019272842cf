// ASVS: 7.1.3, 7.4.2
// Threats: stolen-session
import { expect, test } from '../support/fixtures';
import {
  cookieHeader,
  getDashboardUrl,
  expectSignInPage,
  sessionStatus,
  signIn,
  getSignInUrl,
  submitSignIn,
} from '../support/journeys';

// A revocation takes effect everywhere within 30 s.
const REVOCATION = { timeout: 60_000 };

test('a disabled user gets no session', async ({ page, context, endpoints, accounts }) => {
  const user = await accounts.create({ disabled: true });
  await page.goto(getSignInUrl(endpoints));
  await submitSignIn(page, user);
  await expect(page.getByRole('alert').filter({ hasText: /\S/ })).toBeVisible();
  expect(await sessionStatus(endpoints, await cookieHeader(context, endpoints))).toBe(401);
});

for (const [what, act] of [
  ['disabled', 'disable'],
  ['deleted', 'remove'],
  ['revoked', 'revoke'],
] as const) {
  test(`a session ends when its user is ${what}`, async ({ page, context, endpoints, user, accounts }) => {
    await signIn(page, endpoints, user);
    const cookie = await cookieHeader(context, endpoints);
    await accounts[act](user);
    await expect.poll(() => sessionStatus(endpoints, cookie), REVOCATION).toBe(401);
    await page.goto(getDashboardUrl(endpoints));
    await expectSignInPage(page, endpoints);
  });
}
