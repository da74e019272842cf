import type { Browser, Page } from '@playwright/test';
import { expect } from './fixtures';
import { submitSignIn } from './journeys';
import type { Endpoints } from '../../scripts/lib/stack.mjs';
import type { TestUser } from './accounts-client';

export const getDevices = (page: Page) => page.getByRole('list', { name: 'Devices' }).getByRole('listitem');

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';

/** Signs in at /security in another browser. */
export async function openElsewhere(browser: Browser, { appOrigin }: Endpoints, user: TestUser): Promise<Page> {
  const context = await browser.newContext({ userAgent: FIREFOX });
  const page = await context.newPage();
  await page.goto(`${appOrigin}/security`);
  await submitSignIn(page, user);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Account and security');
  return page;
}
