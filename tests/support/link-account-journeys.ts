import type { Page } from '@playwright/test';
import type { TestUser } from './accounts-client';
import { expect } from './fixtures';
import { getDashboardUrl } from './journeys';
import { openProvider, signInAtProvider } from './provider-window';
import type { Endpoints } from '../../scripts/lib/stack.mjs';

/** Signs in to an email address whose account has another method: the provider has not verified the address. */
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
