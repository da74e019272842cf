import type { BrowserContext, Page } from '@playwright/test';
import { expect } from './fixtures';
import { signIn } from './journeys';
import type { AccountsClient, TestUser } from './accounts-client';
import type { Endpoints } from '../../scripts/lib/stack.mjs';

/** Ends the session of one tab and signs in as another user. */
export async function changeUser(tab: Page, endpoints: Endpoints, next: TestUser): Promise<void> {
  await tab.context().clearCookies();
  await signIn(tab, endpoints, next);
}

/** Opens a tab that gets no messages from others, like a tab with another version of this app. */
async function openDeafTab(context: BrowserContext): Promise<Page> {
  const tab = await context.newPage();
  await tab.addInitScript(() => Reflect.deleteProperty(globalThis, 'BroadcastChannel'));
  return tab;
}

export async function openStaleTab(
  context: BrowserContext,
  endpoints: Endpoints,
  accounts: AccountsClient,
  path = '/security',
): Promise<{ first: TestUser; second: TestUser; stale: Page }> {
  const [first, second] = [await accounts.create(), await accounts.create()];
  const tab = await context.newPage();
  await signIn(tab, endpoints, first);
  const stale = await openDeafTab(context);
  const checked = stale.waitForResponse('**/api/check-auth-status');
  await stale.goto(endpoints.appOrigin + path);
  await checked;
  await expect(stale.getByText(path === '/sign-out' ? first.email : first.name).first()).toBeVisible();
  await changeUser(tab, endpoints, second);
  return { first, second, stale };
}
