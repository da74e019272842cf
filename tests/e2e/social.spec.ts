import { test } from '../support/fixtures';
import { getDashboardUrl, expectDashboard } from '../support/journeys';
import { openProvider, pressProvider, signInAtProvider, newIdentity } from '../support/provider-window';

test('Google signs in by popup', async ({ page, endpoints }) => {
  const identity = newIdentity();
  await page.goto(getDashboardUrl(endpoints));
  const popup = await openProvider(page, 'Google');
  await signInAtProvider(popup, identity);
  await expectDashboard(page, endpoints, identity);
});

test('a blocked popup falls back to a redirect', async ({ page, endpoints }) => {
  const identity = newIdentity();
  await page.addInitScript(() => {
    if (window.location.pathname === '/sign-in') window.open = () => null;
  });
  await page.goto(getDashboardUrl(endpoints));
  await pressProvider(page, 'Google');
  await page.waitForURL(/emulator\/auth\/handler/);
  await signInAtProvider(page, identity);
  await expectDashboard(page, endpoints, identity);
});
