import { randomUUID } from 'node:crypto';
import { expect, type Page } from '@playwright/test';
import { showWay } from './sign-in-ways';

export type Identity = { email: string; name: string; emailVerified?: boolean };

/** Returns a person whom only a provider knows. */
export function newIdentity(domain = 'campus.test'): Identity {
  const id = randomUUID().slice(0, 8);
  return { email: `person-${id}@${domain}`, name: `Sol ${id}` };
}

/** The social providers by the names on their buttons. */
export const PROVIDERS = ['Google', 'Microsoft', 'Apple', 'Facebook', 'LinkedIn', 'GitHub', 'X'];

export async function pressProvider(page: Page, name: string): Promise<void> {
  // On the account page, a provider confirms who the user is.
  const button = page.getByRole('button', { name: new RegExp(`^(Continue|Confirm) with ${name}$`) });
  await showWay(page, button);
  await button.click();
}

/** Selects a provider's button. @returns the window that opens */
export async function openProvider(page: Page, name: string): Promise<Page> {
  const [popup] = await Promise.all([page.waitForEvent('popup'), pressProvider(page, name)]);
  await expect(popup.getByText('Add new account')).toBeVisible();
  return popup;
}

/** Signs in at the emulator's own provider page. */
export async function signInAtProvider(page: Page, { email, name, emailVerified = true }: Identity): Promise<void> {
  await page.getByText('Add new account').click();
  await page.locator('#email-input').fill(email);
  await page.locator('#display-name-input').fill(name);
  if (!emailVerified) await answerAs(page, { email_verified: false });
  await page.locator('#sign-in').click();
}

/** Adds claims to the provider's response for which the emulator's form has no field. */
export async function answerAs(page: Page, claims: Record<string, unknown>): Promise<void> {
  await page.evaluate((more) => {
    const scope = window as unknown as { createFakeClaims: (info: unknown) => string };
    const original = scope.createFakeClaims;
    scope.createFakeClaims = (info) => {
      const said = JSON.parse(decodeURIComponent(original(info))) as object;
      return encodeURIComponent(JSON.stringify({ ...said, ...more }));
    };
  }, claims);
}
