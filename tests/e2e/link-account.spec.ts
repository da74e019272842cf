import { randomUUID } from 'node:crypto';
import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import type { Person } from '../support/accounts';
import { codeFor } from '../support/account-journeys';
import { expect, test } from '../support/fixtures';
import { dashboardOf, expectDashboard, signInPageOf, submitSignIn } from '../support/journeys';
import { openProvider, signInAtProvider } from '../support/provider-window';
import type { Places } from '../support/stack';

/** Signs in to an email address whose account has another method: the provider has not verified the address. */
async function meetAccount(
  page: Page,
  provider: string,
  { email, name }: Pick<Person, 'email' | 'name'>,
): Promise<void> {
  await signInAtProvider(await openProvider(page, provider), { email, name, emailVerified: false });
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Connect your accounts');
}

async function prove(page: Page, password: string): Promise<void> {
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in and connect' }).click();
}

const open = (page: Page, places: Places) => page.goto(dashboardOf(places));

test('a new method is linked once the password has verified the account', async ({ page, places, person, people }) => {
  await open(page, places);
  await meetAccount(page, 'GitHub', person);
  await expect(page.getByText(`You already have an account for ${person.email}`)).toBeVisible();
  await expect(page.getByText('You currently sign in with: your password')).toBeVisible();
  expect((await new AxeBuilder({ page }).analyze()).violations.map(({ id }) => id)).toEqual([]);
  await prove(page, 'not-my-password');
  await expect(page.getByRole('alert').filter({ hasText: 'Incorrect email or password' })).toBeVisible();
  await prove(page, person.password);
  await expectDashboard(page, places, person);
  expect(await people.methodsOf(person)).toEqual(['github.com', 'password']);
});

test('an account of another provider is verified there', async ({ page, places, people }) => {
  const id = randomUUID().slice(0, 8);
  const identity = { email: `both-${id}@campus.test`, name: `Bo ${id}` };
  await open(page, places);
  await signInAtProvider(await openProvider(page, 'Google'), identity);
  await expectDashboard(page, places, identity);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page).toHaveURL(`${places.platformOrigin}/`);
  await page.context().clearCookies();

  await open(page, places);
  await meetAccount(page, 'Facebook', identity);
  await expect(page.getByLabel('Password', { exact: true })).toHaveCount(0);
  const popup = await openProvider(page, 'Google');
  await popup.locator('.js-reuse-account', { hasText: identity.email }).click();
  await expectDashboard(page, places, identity);
  const uid = (await page.context().cookies()).find(({ name }) => name === 'kk_uid')?.value ?? '';
  expect(await people.methodsOf({ uid })).toEqual(['facebook.com', 'google.com']);
});

test('an account of an organization is verified there', async ({ page, places, people }) => {
  const identity = { email: `linker-${randomUUID().slice(0, 8)}@acme.test`, name: 'Ola' };
  await page.goto(`${places.appOrigin}/sign-in/enterprise`);
  await page.getByLabel('Email', { exact: true }).fill(identity.email);
  await page.getByRole('button', { name: 'Continue with SSO' }).click();
  await page.waitForURL(/emulator\/auth\/handler/);
  await signInAtProvider(page, identity);
  await expectDashboard(page, places, identity);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page).toHaveURL(`${places.platformOrigin}/`);

  await open(page, places);
  await meetAccount(page, 'GitHub', identity);
  await expect(page.getByText('You currently sign in with: SSO')).toBeVisible();
  const [popup] = await Promise.all([
    page.waitForEvent('popup'),
    page.getByRole('button', { name: 'Continue with SSO' }).click(),
  ]);
  await popup.locator('.js-reuse-account', { hasText: identity.email }).click();
  await expectDashboard(page, places, identity);
  const uid = (await page.context().cookies()).find(({ name }) => name === 'kk_uid')?.value ?? '';
  expect(await people.methodsOf({ uid })).toEqual(['github.com', 'saml.acme']);
});

test('verifying another account links nothing', async ({ page, places, people }) => {
  const identity = { email: `only-google-${randomUUID().slice(0, 8)}@campus.test`, name: 'Gil' };
  await open(page, places);
  await signInAtProvider(await openProvider(page, 'Google'), identity);
  await expectDashboard(page, places, identity);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page).toHaveURL(`${places.platformOrigin}/`);

  await open(page, places);
  await meetAccount(page, 'GitHub', identity);
  const stranger = await people.create();
  await signInAtProvider(await openProvider(page, 'Google'), stranger);
  await expect(page.getByRole('alert').filter({ hasText: 'uses a different email address' })).toBeVisible();
  expect(await people.methodsOf(stranger)).toEqual(['google.com', 'password']);
  expect((await page.request.post(`${places.appOrigin}/api/check-auth-status`)).status()).toBe(401);
});

test('leaving the flow links nothing later', async ({ page, places, person, people }) => {
  await open(page, places);
  await meetAccount(page, 'GitHub', person);
  await page.getByRole('link', { name: 'Sign in another way' }).click();
  await submitSignIn(page, person);
  await expectDashboard(page, places, person);
  expect(await people.methodsOf(person)).toEqual(['password']);
});

test('of two pending credentials only the newer is linked, to its own account', async ({
  page,
  places,
  person,
  people,
}) => {
  const other = await people.create();
  await open(page, places);
  await meetAccount(page, 'GitHub', person);
  await page.goto(signInPageOf(places));
  await meetAccount(page, 'Facebook', other);
  await prove(page, other.password);
  await expectDashboard(page, places, other);
  expect(await people.methodsOf(other)).toEqual(['facebook.com', 'password']);
  expect(await people.methodsOf(person)).toEqual(['password']);
});

test('an account with an unverified email needs the code, and nothing is linked to it', async ({
  page,
  places,
  people,
}) => {
  const unconfirmed = await people.create({ emailVerified: false });
  await open(page, places);
  await meetAccount(page, 'GitHub', unconfirmed);
  await prove(page, unconfirmed.password);
  await expect(page).toHaveURL(`${places.appOrigin}/registration/confirm`);
  await page.getByLabel('Code', { exact: true }).fill(await codeFor(places, unconfirmed.email));
  await page.getByRole('link', { name: 'Continue' }).click();
  await expectDashboard(page, places, unconfirmed);
  expect(await people.methodsOf(unconfirmed)).toEqual(['password']);
});

test('opened without a pending credential, the page shows a notice', async ({ page, places }) => {
  await page.goto(`${places.appOrigin}/sign-in/link-account`);
  await expect(page.getByText('nothing to connect')).toBeVisible();
});
