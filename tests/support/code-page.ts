import { expect, type Page } from '@playwright/test';
import type { TestUser } from './accounts-client';
import { expectPath, getDashboardUrl, pageReady, submitSignIn } from './journeys';
import type { Endpoints } from '../../scripts/lib/stack.mjs';

export const codeField = (page: Page) => page.getByLabel('Authentication code', { exact: true });

export const recoveryField = (page: Page) => page.getByLabel('Recovery code', { exact: true });

/** Waits for the page that asks for the second factor. */
export async function expectCodePage(page: Page, endpoints: Endpoints): Promise<void> {
  await expectPath(page, endpoints, '/sign-in/second-factor');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Enter your code');
  await pageReady(page);
}

/** Goes from the platform to the page that asks for the second factor. */
export async function giveFirstFactor(page: Page, endpoints: Endpoints, user: TestUser): Promise<void> {
  await page.goto(getDashboardUrl(endpoints));
  await pageReady(page);
  await submitSignIn(page, user);
  await expectCodePage(page, endpoints);
}

export const heading = (page: Page) => page.getByRole('heading', { level: 1 });
