import { expect, test } from '../support/fixtures';
import { getDashboardUrl, expectDashboard } from '../support/journeys';
import { signInAtProvider } from '../support/provider-window';
import { buildLink, newPupil } from '../support/partner-journeys';

test('a partner’s link signs in with the partner and returns to the original callback', async ({
  page,
  context,
  endpoints,
}) => {
  const pupil = newPupil();
  await page.goto(buildLink(endpoints, 'acme', getDashboardUrl(endpoints)));
  await page.waitForURL(/emulator\/auth\/handler.*oidc\.acme/);
  const kept = (await context.cookies()).find(({ name }) => name === 'oidc_original_callback_url');
  expect(decodeURIComponent(kept?.value ?? '')).toBe(getDashboardUrl(endpoints));
  // Another tab starts sign-in with a different callback URL.
  const other = await context.newPage();
  await other.goto(
    `${endpoints.appOrigin}/sign-in?redirect_uri=${encodeURIComponent(`${endpoints.platformOrigin}/elsewhere`)}`,
  );
  await signInAtProvider(page, pupil);
  await expectDashboard(page, endpoints, pupil);
});
