import { linkFor, askForLink } from '../support/account-journeys';
import { expectNoViolations } from '../support/axe';
import { expect, test } from '../support/fixtures';
import { expectDashboard } from '../support/journeys';

test('the link signs in on the same device, and the callback is kept', async ({ page, endpoints, user }) => {
  await askForLink(page, endpoints, user.email);
  await expectNoViolations(page);
  await page.goto(await linkFor(endpoints, user.email));
  await expect(page).not.toHaveURL(/oobCode/);
  // This browser knows the email, so the page does not ask for it.
  await expect(page.getByLabel('Email', { exact: true })).toHaveCount(0);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expectDashboard(page, endpoints, user);
});
