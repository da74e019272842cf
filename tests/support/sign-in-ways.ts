import type { Locator, Page } from '@playwright/test';

/**
 * Opens "More ways to sign in" (or "sign up") if the sign-in method is behind it. @param way the method's button or
 * link
 */
export async function showWay(page: Page, way: Locator): Promise<void> {
  const more = page.locator('details');
  await way.or(more).first().waitFor();
  // Sets the attribute instead of pressing, because the page can open them itself at the same moment.
  await more.evaluateAll((all) => all.forEach((one) => one.setAttribute('open', '')));
  await way.waitFor();
}

/** Follows a link on /sign-in, which may be behind "More ways to sign in". */
export async function followWay(page: Page, name: string): Promise<void> {
  const link = page.getByRole('link', { name });
  await showWay(page, link);
  await link.click();
}

/** The list of accounts that the browser remembers, on /sign-in. */
export const getAccounts = (page: Page) => page.getByRole('region', { name: 'Choose an account' });
