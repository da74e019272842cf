import { openSecurity } from '../support/account-journeys';
import { expect, test } from '../support/fixtures';
import { signIn } from '../support/journeys';

const HOUR_MS = 3_600_000;

for (const hours of [400, -400]) {
  test(`with a clock off by ${hours} h, no expiry is announced after sign-in`, async ({ page, endpoints, user }) => {
    await page.clock.install({ time: Date.now() + hours * HOUR_MS });
    await signIn(page, endpoints, user);
    await openSecurity(page, endpoints);
    await page.clock.runFor(1_000);
    await expect(page.getByText("You'll be signed out at")).toHaveCount(0);
  });
}
