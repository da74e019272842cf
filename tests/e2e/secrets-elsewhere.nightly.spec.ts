// ASVS: 10.1.1
import { expect } from '@playwright/test';
import { fillNewPassword, NEW_PASSWORD } from '../support/account-journeys';
import { createAccountsClient } from '../support/accounts-client';
import { answerGoogleApi } from '../support/google-api';
import { cookieHeader, getDashboardUrl, sessionStatus, submitSignIn } from '../support/journeys';
import { openProvider, signInAtProvider } from '../support/provider-window';
import { expectAbsent, keepCookies, keepTokens } from '../support/secrets';
import { agree, getEvents, failOnPage, test, watchLibraries } from '../support/services';

test.describe.configure({ mode: 'serial', timeout: 240_000 });

test('recordings and logs contain no secret of providers, organizations, partners or a password change', async ({
  context,
  page,
  services,
}) => {
  const { errors, stack } = services;
  const { endpoints } = stack;
  const accounts = createAccountsClient(endpoints);
  const user = await accounts.create();
  const id = user.uid.slice(4);
  const colleague = { email: `colleague-${id}@acme.test`, name: `Cole ${id}` };
  const pupil = { email: `pupil-${id}@partner.test`, name: `Pia ${id}` };
  const secrets = new Set<string>([user.password, NEW_PASSWORD]);
  await answerGoogleApi(context);
  await agree(context, services);
  keepTokens(page, secrets);
  const { loaded } = watchLibraries(page);
  const recorded = async (address: string) => {
    loaded.length = 0;
    await page.goto(address);
    await expect.poll(() => loaded, { timeout: 60_000 }).toContain('error service');
  };
  const leave = async () => {
    await expect(page).toHaveURL(getDashboardUrl(endpoints));
    await keepCookies(context, secrets);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await expect(page).toHaveURL(`${endpoints.platformOrigin}/`);
  };

  // This provider sign-in must be linked to the account first.
  await recorded(`${endpoints.appOrigin}/sign-in`);
  const identity = { email: user.email, name: user.name, emailVerified: false };
  loaded.length = 0;
  await signInAtProvider(await openProvider(page, 'GitHub'), identity);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Connect your accounts');
  await expect.poll(() => loaded, { timeout: 60_000 }).toContain('analytics');
  await page.getByLabel('Password', { exact: true }).fill(user.password);
  await failOnPage(page, `${user.email} could not be linked`);
  await page.getByRole('button', { name: 'Sign in and connect' }).click();
  await leave();

  await recorded(`${endpoints.appOrigin}/sign-in/enterprise`);
  await page.getByLabel('Email', { exact: true }).fill(colleague.email);
  await page.getByRole('button', { name: 'Continue with SSO' }).click();
  await page.waitForURL(/emulator\/auth\/handler/);
  await signInAtProvider(page, colleague);
  await leave();

  await page.goto(`${endpoints.appOrigin}/partner-auth/initiate?partner=acme`);
  await page.waitForURL(/emulator\/auth\/handler/);
  await signInAtProvider(page, pupil);
  await leave();

  await page.goto(`${endpoints.appOrigin}/account-settings/change-password`);
  await submitSignIn(page, user);
  await expect(page.getByLabel('Current password', { exact: true })).toBeVisible();
  await recorded(`${endpoints.appOrigin}/account-settings/change-password`);
  await expect.poll(() => loaded, { timeout: 60_000 }).toContain('analytics');
  await page.getByLabel('Current password', { exact: true }).fill(user.password);
  await fillNewPassword(page);
  await failOnPage(page, `could not change the password of ${user.email}`);
  await page.getByRole('button', { name: 'Change password' }).click();
  await expect(page.getByRole('heading', { name: 'Your password has been changed' })).toBeVisible();
  await keepCookies(context, secrets);
  await recorded(`${endpoints.appOrigin}/security`);
  const before = errors.errors.length;
  await failOnPage(page, `last of all ${user.email}`);
  await expect.poll(() => errors.errors.length, { timeout: 60_000 }).toBeGreaterThan(before);
  // Deleting the account ends the session and is recorded.
  const cookie = await cookieHeader(context, endpoints);
  await accounts.remove(user);
  await expect.poll(() => sessionStatus(endpoints, cookie), { timeout: 60_000 }).toBe(401);
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
  await expect.poll(() => getEvents(services, 'userDeleted').length, { timeout: 60_000 }).toBe(1);
  await expect(page).toHaveURL(/\/sign-in/);

  expect([...errors.items.keys()]).toContain('replay_recording');
  const ways = () =>
    getEvents(services, 'signIn').map(({ properties: { provider, mode } }) => `${String(provider)} ${String(mode)}`);
  await expect.poll(ways).toEqual(expect.arrayContaining(['credentials link', 'credentials update']));
  expect(secrets.size).toBeGreaterThan(8);
  expectAbsent(secrets, services, [user.email, colleague.email, pupil.email]);
});

test('clearing a device deletes its recordings, and a shared one records nothing', async ({
  context,
  page,
  services,
}) => {
  const { endpoints } = services.stack;
  const [first, second] = [
    await createAccountsClient(endpoints).create(),
    await createAccountsClient(endpoints).create(),
  ];
  const { loaded } = watchLibraries(page);
  const kept = () => page.evaluate(() => JSON.stringify({ ...localStorage }));
  const signInHere = async (user: typeof first) => {
    await page.goto(`${endpoints.appOrigin}/security`);
    await submitSignIn(page, user);
    await expect(page).toHaveURL(`${endpoints.appOrigin}/security`);
    loaded.length = 0;
    await page.goto(`${endpoints.appOrigin}/security`);
    await expect.poll(() => loaded, { timeout: 60_000 }).toContain('analytics');
  };
  const getRecorded = ({ email }: typeof first) =>
    services.analytics.events.filter(({ properties }) => properties.distinct_id === email).length;
  await agree(context, services);

  await signInHere(first);
  await expect.poll(() => getRecorded(first), { timeout: 60_000 }).toBeGreaterThan(0);
  await expect.poll(kept).toContain(first.email);
  await page.getByRole('button', { name: 'Sign out and clear this device' }).click();
  await expect(page).toHaveURL(`${endpoints.appOrigin}/sign-in`);
  expect(await kept()).not.toContain(first.email);

  await page.goto(`${endpoints.appOrigin}/security`);
  await page.getByLabel('This is a shared computer').check();
  await expect.poll(async () => (await context.cookies()).map(({ name }) => name)).toContain('shared-computer');
  await signInHere(second);
  expect(await kept()).not.toContain(second.email);
  // Queued items are sent within 3 s.
  await page.waitForTimeout(3_500);
  expect(getRecorded(second)).toBe(0);
});
