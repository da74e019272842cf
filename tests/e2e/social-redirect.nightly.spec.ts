// ASVS: 10.1.2
import { randomUUID } from 'node:crypto';
import { codeFor } from '../support/account-journeys';
import { expect, test as base } from '../support/fixtures';
import { getDashboardUrl, expectDashboard, expectPath, getSignInUrl } from '../support/journeys';
import { pressProvider, PROVIDERS, signInAtProvider } from '../support/provider-window';
import { startOtherApp, type Endpoints } from '../../scripts/lib/stack.mjs';

/** A deployment that always redirects. */
const test = base.extend<
  { redirecting: Endpoints },
  { deployment: { endpoints?: Endpoints; stop?: () => Promise<void> } }
>({
  deployment: [
    async ({}, use) => {
      const running: { stop?: () => Promise<void> } = {};
      await use(running);
      await running.stop?.();
    },
    { scope: 'worker', timeout: 180_000 },
  ],
  redirecting: async ({ endpoints, deployment }, use) => {
    if (!deployment.endpoints)
      Object.assign(deployment, await startOtherApp(endpoints, { NEXT_PUBLIC_SOCIAL_SIGN_IN: 'redirect' }));
    await use(deployment.endpoints ?? endpoints);
  },
});

/** Returns that deployment's sign-in page with the dashboard as callback URL. */
const getStartUrl = (endpoints: Endpoints) =>
  `${getSignInUrl(endpoints)}?redirect_uri=${encodeURIComponent(getDashboardUrl(endpoints))}`;

const newIdentity = () => {
  const id = randomUUID().slice(0, 8);
  return { email: `redirect-${id}@campus.test`, name: `Ria ${id}` };
};

for (const name of PROVIDERS) {
  test(`${name} signs in by redirect, and the callback is kept`, async ({ page, redirecting: endpoints }) => {
    const identity = newIdentity();
    await page.goto(getStartUrl(endpoints));
    await pressProvider(page, name);
    await page.waitForURL(/emulator\/auth\/handler/);
    await signInAtProvider(page, identity);
    await expectDashboard(page, endpoints, identity);
  });
}

test('after a redirect an email that the provider has not verified needs the code', async ({
  page,
  redirecting: endpoints,
}) => {
  const identity = { ...newIdentity(), emailVerified: false };
  await page.goto(getStartUrl(endpoints));
  await pressProvider(page, 'Facebook');
  await page.waitForURL(/emulator\/auth\/handler/);
  await signInAtProvider(page, identity);
  await expectPath(page, endpoints, '/registration/confirm');
  await page.getByLabel('Code', { exact: true }).fill(await codeFor(endpoints, identity.email));
  await page.getByRole('link', { name: 'Continue' }).click();
  await expectDashboard(page, endpoints, identity);
});

test('an unreadable response after a redirect shows an error', async ({ page, redirecting: endpoints }) => {
  await page.goto(getStartUrl(endpoints));
  await pressProvider(page, 'Google');
  await page.waitForURL(/emulator\/auth\/handler/);
  await page.evaluate(() => {
    (window as unknown as { createFakeClaims: () => string }).createFakeClaims = () => 'not-json';
  });
  await signInAtProvider(page, newIdentity());
  await expect(page.getByRole('alert').filter({ hasText: "We couldn't sign you in with Google" })).toBeVisible();
});
