import { expect, test } from '../support/fixtures';
import { expectDashboard, getSignInUrl, submitSignIn } from '../support/journeys';
import { startLoopback } from '../support/loopback';
import { startOtherApp } from '../../scripts/lib/stack.mjs';

test('the page waits for a late config, within its policy', async ({ page, endpoints: shared, user }) => {
  const config = JSON.stringify({ brandName: 'Late School', enabledIdentities: ['password'] });
  const identityHost = await startLoopback(() => config);
  identityHost.setMode('late');
  const { endpoints, stop } = await startOtherApp(shared, { UPSTREAM_IDENTITY_URL: identityHost.url });
  try {
    await page.goto(getSignInUrl(endpoints));
    await expect(page.getByText('Late School').first()).toBeVisible();
    await submitSignIn(page, user);
    await expectDashboard(page, endpoints, user);
  } finally {
    await stop();
    await identityHost.stop();
  }
});
