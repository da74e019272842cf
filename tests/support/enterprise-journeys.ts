import type { Page } from '@playwright/test';
import { expect } from './fixtures';
import { getDashboardUrl } from './journeys';
import type { Endpoints } from '../../scripts/lib/stack.mjs';
import { newIdentity } from './provider-window';
import { followWay } from './sign-in-ways';

export const newColleague = () => newIdentity('acme.test');

export async function openEnterprise(page: Page, endpoints: Endpoints): Promise<void> {
  await page.goto(getDashboardUrl(endpoints));
  await followWay(page, 'Sign in with your organization');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in with your organization');
}

export async function continueAs(page: Page, email: string): Promise<void> {
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByRole('button', { name: 'Continue with SSO' }).click();
}
