import { randomUUID } from 'node:crypto';
import type { Page } from '@playwright/test';
import { findFullBrowser, hasShellAlone } from '../../scripts/lib/test-tools.mjs';
import { expect, test as base } from '../support/fixtures';
import { answerGoogleApi } from '../support/google-api';
import { getDashboardUrl, expectDashboard, getSignInUrl, submitSignIn } from '../support/journeys';
import { startOtherApp, type Endpoints } from '../../scripts/lib/stack.mjs';
import { pressProvider, signInAtProvider } from '../support/provider-window';
import { startProxy } from '../support/proxy';

/** A browser that blocks third-party cookies and storage. */
const test = base.extend({
  // The helper's frame fails there, as this test requires.
  noScriptErrors: async ({ context }, use) => {
    await answerGoogleApi(context);
    await use();
  },
  launchOptions: [
    async ({ launchOptions }, use) => {
      const args = [...(launchOptions.args ?? []), '--test-third-party-cookie-phaseout'];
      await use({ ...launchOptions, executablePath: findFullBrowser(), args });
    },
    { scope: 'worker' },
  ],
});

test.skip(hasShellAlone(), 'The headless shell blocks no third-party storage');

/**
 * Matches URLs of the emulator: its helper's page and frame, and its API. They are on the app's host, like `/__/auth`
 * in production.
 */
const PROVIDER = /^\/(?:emulator|identitytoolkit\.googleapis\.com|securetoken\.googleapis\.com)\//;
const REDIRECT = { NEXT_PUBLIC_SOCIAL_SIGN_IN: 'redirect' };
const newIdentity = () => {
  const id = randomUUID().slice(0, 8);
  return { email: `partitioned-${id}@campus.test`, name: `Pam ${id}` };
};

/** Redirects to the provider's page and back. */
async function goRound(page: Page, endpoints: Endpoints, identity: { email: string; name: string }): Promise<void> {
  await page.goto(`${getSignInUrl(endpoints)}?redirect_uri=${encodeURIComponent(getDashboardUrl(endpoints))}`);
  await pressProvider(page, 'Google');
  await page.waitForURL(/emulator\/auth\/handler/);
  await signInAtProvider(page, identity);
}

test('with the helper on our own host the redirect signs in', async ({ page, endpoints }) => {
  const identity = newIdentity();
  const provider = Number(endpoints.emulatorHost.split(':')[1]);
  const oneHost = await startProxy((path) => (PROVIDER.test(path) ? provider : undefined));
  const app = await startOtherApp(endpoints, {
    ...REDIRECT,
    FIREBASE_AUTH_EMULATOR_HOST: new URL(oneHost.origin).host,
    NEXT_PUBLIC_APP_ORIGIN: oneHost.origin,
  });
  oneHost.passTo(app.endpoints.appOrigin);
  const together = { ...endpoints, appOrigin: oneHost.origin };
  await goRound(page, together, identity);
  await expectDashboard(page, together, identity);
  await app.stop();
  await oneHost.stop();
});

test('with the helper on another site the response is lost, which shows an error, and the password works', async ({
  page,
  endpoints,
  user,
}) => {
  // 127.0.0.1 is a different site than localhost.
  const elsewhere = endpoints.emulatorHost.replace('localhost', '127.0.0.1');
  const app = await startOtherApp(endpoints, { ...REDIRECT, FIREBASE_AUTH_EMULATOR_HOST: elsewhere });
  await goRound(page, app.endpoints, newIdentity());
  await expect(page.getByRole('alert').filter({ hasText: "We couldn't sign you in with that service" })).toBeVisible({
    timeout: 30_000,
  });
  await submitSignIn(page, user);
  await expectDashboard(page, endpoints, user);
  await app.stop();
});
