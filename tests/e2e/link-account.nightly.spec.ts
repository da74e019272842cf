// ASVS: 6.8.1
// Threats: pending-credential
import { randomUUID } from 'node:crypto';
import { codeFor } from '../support/account-journeys';
import { expect, test } from '../support/fixtures';
import { expectDashboard, expectPath, getSignInUrl, submitSignIn } from '../support/journeys';
import { openProvider, signInAtProvider } from '../support/provider-window';
import { meetAccount, prove, open, registerWithOrganization } from '../support/link-account-journeys';

test('an account of another provider is verified there', async ({ page, endpoints, accounts }) => {
  const id = randomUUID().slice(0, 8);
  const identity = { email: `both-${id}@campus.test`, name: `Bo ${id}` };
  await open(page, endpoints);
  await signInAtProvider(await openProvider(page, 'Google'), identity);
  await expectDashboard(page, endpoints, identity);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page).toHaveURL(`${endpoints.platformOrigin}/`);
  await page.context().clearCookies();

  await open(page, endpoints);
  await meetAccount(page, 'Facebook', identity);
  await expect(page.getByLabel('Password', { exact: true })).toHaveCount(0);
  const popup = await openProvider(page, 'Google');
  await popup.locator('.js-reuse-account', { hasText: identity.email }).click();
  await expectDashboard(page, endpoints, identity);
  const uid = (await page.context().cookies()).find(({ name }) => name === 'kk_uid')?.value ?? '';
  expect(await accounts.fetchMethods({ uid })).toEqual(['facebook.com', 'google.com']);
});

test('an account of an organization is verified there', async ({ page, endpoints, accounts }) => {
  const identity = { email: `linker-${randomUUID().slice(0, 8)}@acme.test`, name: 'Ola' };
  await registerWithOrganization(page, endpoints, identity);

  await open(page, endpoints);
  await meetAccount(page, 'GitHub', identity);
  await expect(page.getByText('You currently sign in with: SSO')).toBeVisible();
  const [popup] = await Promise.all([
    page.waitForEvent('popup'),
    page.getByRole('button', { name: 'Continue with SSO' }).click(),
  ]);
  await popup.locator('.js-reuse-account', { hasText: identity.email }).click();
  await expectDashboard(page, endpoints, identity);
  const uid = (await page.context().cookies()).find(({ name }) => name === 'kk_uid')?.value ?? '';
  expect(await accounts.fetchMethods({ uid })).toEqual(['github.com', 'saml.acme']);
});

test('leaving the flow links nothing later', async ({ page, endpoints, user, accounts }) => {
  await open(page, endpoints);
  await meetAccount(page, 'GitHub', user);
  await page.getByRole('link', { name: 'Sign in another way' }).click();
  await submitSignIn(page, user);
  await expectDashboard(page, endpoints, user);
  expect(await accounts.fetchMethods(user)).toEqual(['password']);
});

test('nothing that can be pressed moves while the page loads', async ({ page, endpoints, user }) => {
  await open(page, endpoints);
  await meetAccount(page, 'GitHub', user);
  await expect(page.getByRole('button', { name: 'Sign in and connect' })).toBeVisible();
  const moved = await page.evaluate(async () => {
    type Shift = PerformanceEntry & { sources: { node: HTMLElement | null }[] };
    const shifts: Shift[] = [];
    new PerformanceObserver((list) => shifts.push(...(list.getEntries() as Shift[]))).observe({
      type: 'layout-shift',
      buffered: true,
    });
    for (let frames = 0; frames < 3; frames += 1) await new Promise((painted) => requestAnimationFrame(painted));
    const nodes = shifts.flatMap(({ sources }) => sources.map(({ node }) => node));
    return nodes.filter((node) => node?.closest('main') && node.querySelector('a, button, input')).map(String);
  });
  expect(moved).toEqual([]);
});

test('of two pending credentials only the newer is linked, to its own account', async ({
  page,
  endpoints,
  user,
  accounts,
}) => {
  const other = await accounts.create();
  await open(page, endpoints);
  await meetAccount(page, 'GitHub', user);
  await page.goto(getSignInUrl(endpoints));
  await meetAccount(page, 'Facebook', other);
  await prove(page, other.password);
  await expectDashboard(page, endpoints, other);
  expect(await accounts.fetchMethods(other)).toEqual(['facebook.com', 'password']);
  expect(await accounts.fetchMethods(user)).toEqual(['password']);
});

test('an account with an unverified email needs the code, and nothing is linked to it', async ({
  page,
  endpoints,
  accounts,
}) => {
  const unconfirmed = await accounts.create({ emailVerified: false });
  await open(page, endpoints);
  await meetAccount(page, 'GitHub', unconfirmed);
  await prove(page, unconfirmed.password);
  await expectPath(page, endpoints, '/registration/confirm');
  await page.getByLabel('Code', { exact: true }).fill(await codeFor(endpoints, unconfirmed.email));
  await page.getByRole('link', { name: 'Continue' }).click();
  await expectDashboard(page, endpoints, unconfirmed);
  expect(await accounts.fetchMethods(unconfirmed)).toEqual(['password']);
});

test('opened without a pending credential, the page shows a notice', async ({ page, endpoints }) => {
  await page.goto(`${endpoints.appOrigin}/sign-in/link-account`);
  await expect(page.getByText('nothing to connect')).toBeVisible();
});

test('verifying another account links nothing', async ({ page, endpoints, accounts }) => {
  const identity = { email: `only-google-${randomUUID().slice(0, 8)}@campus.test`, name: 'Gil' };
  await open(page, endpoints);
  await signInAtProvider(await openProvider(page, 'Google'), identity);
  await expectDashboard(page, endpoints, identity);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page).toHaveURL(`${endpoints.platformOrigin}/`);

  await open(page, endpoints);
  await meetAccount(page, 'GitHub', identity);
  const stranger = await accounts.create();
  await signInAtProvider(await openProvider(page, 'Google'), stranger);
  await expect(page.getByRole('alert').filter({ hasText: 'uses a different email address' })).toBeVisible();
  expect(await accounts.fetchMethods(stranger)).toEqual(['google.com', 'password']);
  expect((await page.request.post(`${endpoints.appOrigin}/api/check-auth-status`)).status()).toBe(401);
});
