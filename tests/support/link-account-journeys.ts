import type { Page } from '@playwright/test';
import type { TestUser } from './accounts-client';
import { expect } from './fixtures';
import { expectDashboard, getDashboardUrl } from './journeys';
import { openProvider, signInAtProvider } from './provider-window';
import type { Endpoints } from '../../scripts/lib/stack.mjs';

/** Signs in with an email whose account has another method. The provider has not verified the email. */
export async function meetAccount(
  page: Page,
  provider: string,
  { email, name }: Pick<TestUser, 'email' | 'name'>,
): Promise<void> {
  await signInAtProvider(await openProvider(page, provider), { email, name, emailVerified: false });
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Connect your accounts');
}

export async function prove(page: Page, password: string): Promise<void> {
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in and connect' }).click();
}

export const open = (page: Page, endpoints: Endpoints) => page.goto(getDashboardUrl(endpoints));

/** Starts from the page of organizations, with an email in its field. */
export async function leaveForOrganization(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Continue with SSO' }).click();
  await page.waitForURL(/emulator\/auth\/handler/);
}

/** Creates the account of an organization's learner and signs out. */
export async function registerWithOrganization(
  page: Page,
  endpoints: Endpoints,
  identity: Pick<TestUser, 'email' | 'name'>,
): Promise<void> {
  await page.goto(`${endpoints.appOrigin}/sign-in/enterprise`);
  await page.getByLabel('Email', { exact: true }).fill(identity.email);
  await leaveForOrganization(page);
  await signInAtProvider(page, identity);
  await expectDashboard(page, endpoints, identity);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page).toHaveURL(`${endpoints.platformOrigin}/`);
}
