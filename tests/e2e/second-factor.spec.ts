// ASVS: 6.3.3, 6.4.4, 6.5.1
// Threats: factor-skipped, factor-replayed
import { expectNoViolations } from '../support/axe';
import { expect, test } from '../support/fixtures';
import { getSignInUrl, pageReady, submitSignIn } from '../support/journeys';
import { codeField, expectCodePage } from '../support/code-page';
import { enrolApp } from '../support/second-factor';

test('a code of the app completes the sign-in, and the callback is kept', async ({ page, endpoints, user }) => {
  const app = await enrolApp(endpoints, user);
  const course = `${endpoints.platformOrigin}/user/courses/the-night-sky`;
  await page.goto(`${getSignInUrl(endpoints)}?redirect_uri=${encodeURIComponent(course)}`);
  await pageReady(page);
  await submitSignIn(page, user);
  await expectCodePage(page, endpoints);
  await expect(page.getByText('enter the 6 digits that it shows for Campus.')).toBeVisible();
  await expect(page.getByText(/^You'll continue to The night sky/)).toBeVisible();
  await expect(codeField(page)).toHaveAttribute('autocomplete', 'one-time-code');
  await expect(codeField(page)).toHaveJSProperty('inputMode', 'numeric');
  // The account has no passkey.
  await expect(page.getByRole('button', { name: 'Use a passkey' })).toHaveCount(0);
  await expectNoViolations(page);
  const [, start = '', end = ''] = /^(...)(...)$/.exec(app.codeAt()) ?? [];
  await codeField(page).fill(`${start} ${end}`);
  await expect(page).toHaveURL(course);
});
