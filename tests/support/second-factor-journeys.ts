import { expect, type Page } from '@playwright/test';
import { SoftwareApp } from './totp';

export const getFactorSection = (page: Page) => page.getByRole('region', { name: 'Two-step verification' });
export const getSetUp = (page: Page) => page.getByRole('button', { name: 'Set up an authenticator app' });
export const getAppCode = (page: Page) => page.getByLabel('Authentication code', { exact: true });
export const getRecoveryCode = (page: Page) => page.getByRole('textbox', { name: 'Recovery code', exact: true });
export const getApps = (page: Page) => page.getByRole('list', { name: 'Authenticator apps' }).getByRole('listitem');

/** Creates the app whose key the open page shows. */
export async function scanKey(page: Page): Promise<SoftwareApp> {
  return new SoftwareApp(await getFactorSection(page).getByRole('definition').innerText());
}

/** Reads the recovery codes that the open page shows. */
export async function readCodes(page: Page): Promise<string[]> {
  const codes = page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem');
  await expect(codes).toHaveCount(10);
  return codes.allInnerTexts();
}

/** Enters the code of the app whose key the open page shows. */
export async function confirmApp(page: Page): Promise<SoftwareApp> {
  const app = await scanKey(page);
  await getAppCode(page).fill(await app.nextCode());
  return app;
}

/** Turns on two-step verification on the open /security. */
export async function turnOn(page: Page): Promise<{ app: SoftwareApp; codes: string[] }> {
  await getSetUp(page).click();
  const app = await confirmApp(page);
  const codes = await readCodes(page);
  await getRecoveryCode(page).fill(codes[0] ?? '');
  await page.getByRole('button', { name: 'Turn on', exact: true }).click();
  await expect(page.getByText('Two-step verification is on.')).toBeVisible();
  return { app, codes };
}

/** Completes the second step of a proof. */
export async function confirmWithCode(page: Page, code: string, button = 'Confirm'): Promise<void> {
  await getAppCode(page).fill(code);
  await page.getByRole('button', { name: button, exact: true }).click();
}

export const getContinue = (page: Page) => page.getByRole('button', { name: 'Continue', exact: true });

export const getTurnOn = (page: Page) => page.getByRole('button', { name: 'Turn on', exact: true });

export const getCancel = (page: Page) => page.getByRole('button', { name: 'Cancel' });

export const getRemove = (page: Page) => getApps(page).getByRole('button', { name: 'Remove', exact: true });

export const getActivity = (page: Page) => page.getByRole('list', { name: 'Account activity' });
