import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '../support/fixtures';
import { expectDashboard, signInPageOf, submitSignIn } from '../support/journeys';
import { startOtherApp } from '../support/other-app';

/** Longer than a page waits for its config, in milliseconds. */
const LATE = 2_000;

test('a config that is late is waited for by the page, within its policy', async ({ page, places: shared, person }) => {
  const identityHost = createServer((_req, res) => {
    res.setHeader('content-type', 'application/json');
    setTimeout(() => res.end(JSON.stringify({ brandName: 'Late School', enabledIdentities: ['password'] })), LATE);
  });
  await new Promise<void>((ready) => identityHost.listen(0, '127.0.0.1', ready));
  const { port } = identityHost.address() as AddressInfo;
  const { places, stop } = await startOtherApp(shared, { UPSTREAM_IDENTITY_URL: `http://127.0.0.1:${port}` });
  try {
    await page.goto(signInPageOf(places));
    await expect(page.getByText('Late School').first()).toBeVisible();
    await submitSignIn(page, person);
    await expectDashboard(page, places, person);
  } finally {
    await stop();
    identityHost.closeAllConnections();
    identityHost.close();
  }
});
