import { linkFor, askForLink } from '../support/account-journeys';
import { expectNoViolations } from '../support/axe';
import { test } from '../support/fixtures';
import { expectDashboard } from '../support/journeys';

test('the link signs in by itself on the same device, and the callback is kept', async ({ page, endpoints, user }) => {
  await askForLink(page, endpoints, user.email);
  await expectNoViolations(page);
  // This browser asked for the link, so the page asks for nothing.
  await page.goto(await linkFor(endpoints, user.email));
  await expectDashboard(page, endpoints, user);
});
