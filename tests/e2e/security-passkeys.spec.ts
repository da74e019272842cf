// ASVS: 6.3.7, 7.5.1
// Threats: stolen-session
import type { Page } from '@playwright/test';
import { openSecurity } from '../support/account-journeys';
import { addAuthenticator } from '../support/authenticator';
import { expectNoViolations } from '../support/axe';
import { expect, test } from '../support/fixtures';
import { signIn } from '../support/journeys';
import { mailsBesidesAlerts } from '../support/mail';
import { withoutOffer } from '../support/passkey-journeys';
import type { Endpoints } from '../../scripts/lib/stack.mjs';
import { getAdd, getSection, getPasskeys, getRemove } from '../support/security-passkeys-journeys';

async function getSubjects(endpoints: Endpoints, email: string, count: number): Promise<string[]> {
  return (await mailsBesidesAlerts(endpoints, email, count)).map(({ subject }) => subject);
}

function getRememberedMethods(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const accounts = JSON.parse(localStorage.getItem('remembered-accounts') ?? '[]') as { method: string }[];
    return accounts.map(({ method }) => method);
  });
}

test.use({ seesAccounts: true });
test.beforeEach(({ page }) => withoutOffer(page));

test('a passkey is added, named and removed', async ({ page, endpoints, user }) => {
  const authenticator = await addAuthenticator(page);
  await signIn(page, endpoints, user);
  await openSecurity(page, endpoints);
  await expect(getSection(page)).toContainText("You don't have a passkey yet");
  await getAdd(page).click();
  const form = getSection(page).getByRole('form', { name: 'Name your passkey' });
  await expect(form.getByLabel('Name', { exact: true })).toBeFocused();
  await expect(form.getByLabel('Name', { exact: true })).toHaveValue(/^Chrome.* on Linux$/);
  await expect(getSection(page).getByText(/^Your passkey is added\. Give it a name/)).toBeVisible();
  await expectNoViolations(page);
  await page.keyboard.press('Enter');
  await expect(page.getByText(/^Your passkey is now called Chrome.* on Linux\.$/)).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Passkeys' })).toBeFocused();
  await expect(getPasskeys(page)).toContainText('Synced to your other devices');
  await expect(getPasskeys(page)).toContainText('Not used yet');
  await expect(getSection(page)).toContainText('You have only one passkey.');
  await expect(page.getByRole('list', { name: 'Account activity' })).toContainText('Passkey added');
  expect((await getSubjects(endpoints, user.email, 1)).at(-1)).toContain('A passkey was added to ');
  expect(await authenticator.credentials()).toHaveLength(1);
  // If the account is chosen on /sign-in, its password is not requested.
  expect(await getRememberedMethods(page)).toEqual(['passkey']);

  await test.step('rename', async () => {
    const rename = page.getByRole('button', { name: 'Rename' });
    await expect(rename).toHaveAccessibleDescription(/^Chrome.* on Linux$/);
    await rename.click();
    const name = page.getByLabel('Name', { exact: true });
    await expect(name).toBeFocused();
    await name.fill(' ');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('Enter a name for this passkey.')).toBeVisible();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect(rename).toBeFocused();
    await rename.click();
    await name.fill('My phone');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('Your passkey is now called My phone.')).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Passkeys' })).toBeFocused();
    await expect(getPasskeys(page)).toContainText('My phone');
  });

  await test.step('remove', async () => {
    await expect(getRemove(page)).toHaveAccessibleDescription('My phone');
    await getRemove(page).click();
    await expect(page.getByRole('group', { name: 'Remove My phone?' })).toBeFocused();
    await expect(getSection(page)).toContainText('You can still sign in with: password.');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect(getRemove(page)).toBeFocused();
    await getRemove(page).click();
    await page.getByRole('button', { name: 'Remove passkey' }).click();
    await expect(page.getByText('My phone is removed.')).toBeVisible();
    await expect(getSection(page)).toContainText("You don't have a passkey yet");
    await expect(page.getByRole('list', { name: 'Account activity' })).toContainText('Passkey removed');
    await expect.poll(() => authenticator.credentials()).toHaveLength(0);
    expect(await getRememberedMethods(page)).toEqual(['password']);
    expect((await getSubjects(endpoints, user.email, 2)).at(-1)).toContain('A passkey was removed from ');
  });
});
