import type { Page } from '@playwright/test';
import { expect } from './fixtures';

export const getSection = (page: Page) => page.getByRole('region', { name: 'Passkeys' });

export const getPasskeys = (page: Page) => page.getByRole('list', { name: 'Passkeys' }).getByRole('listitem');

export const getAdd = (page: Page) => page.getByRole('button', { name: 'Add a passkey' });

export const getRemove = (page: Page) => getPasskeys(page).getByRole('button', { name: 'Remove', exact: true });

export async function addPasskey(page: Page): Promise<void> {
  await getAdd(page).click();
  // Its name can be changed immediately.
  await getSection(page).getByRole('button', { name: 'Skip' }).click();
  await expect(page.getByText('Your passkey is added. You can sign in')).toBeVisible();
}
