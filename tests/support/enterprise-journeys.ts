import type { Page } from '@playwright/test';
import { expect } from './fixtures';
import { getDashboardUrl } from './journeys';
import type { Endpoints } from '../../scripts/lib/stack.mjs';
import { newIdentity } from './provider-window';

export const newColleague = () => newIdentity('acme.test');

export async function openEnterprise(page: Page, endpoints: Endpoints): Promise<void> {
  await page.goto(getDashboardUrl(endpoints));
  await page.getByRole('link', { name: 'Sign in with your organization' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in with your organization');
}

export async function continueAs(page: Page, email: string): Promise<void> {
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByRole('button', { name: 'Continue with SSO' }).click();
}
