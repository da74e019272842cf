// ASVS: 7.5.1
// Threats: stolen-session, factor-skipped, factor-replayed, planted-factor
import { confirmWith, getAlert, openSecurity, getDownload } from '../support/account-journeys';
import { expectNoViolations } from '../support/axe';
import { expect, test } from '../support/fixtures';
import { signIn } from '../support/journeys';
import { withoutOffer } from '../support/passkey-journeys';
import {
  confirmWithCode,
  getAppCode,
  getFactorSection,
  getRecoveryCode,
  turnOn,
} from '../support/second-factor-journeys';

test.beforeEach(({ page }) => withoutOffer(page));

test('a change takes a code after the password', async ({ page, endpoints, user }) => {
  await signIn(page, endpoints, user);
  await openSecurity(page, endpoints);
  const { app, codes } = await turnOn(page);
  await getDownload(page).click();
  await confirmWith(page, user.password);
  await expect(getAppCode(page)).toBeFocused();
  await expect(getAlert(page)).toHaveCount(0);
  await expectNoViolations(page);
  const wrong = app.wrongCode();
  await confirmWithCode(page, wrong);
  await expect(getAlert(page).getByText('This code is incorrect.')).toBeVisible();
  await expect(getAppCode(page)).toHaveValue(wrong);
  // Selected: the next code replaces it.
  await expect(getAppCode(page)).toBeFocused();
  await expect(getAppCode(page)).toHaveAttribute('aria-invalid', 'true');
  const download = page.waitForEvent('download');
  await page.keyboard.type(await app.nextCode());
  await page.keyboard.press('Enter');
  await download;
  await expect(page.getByText('Your data was downloaded.')).toBeVisible();

  await test.step('a recovery code takes its place, once', async () => {
    const connect = page.getByRole('button', { name: 'Connect GitHub' });
    await connect.click();
    await confirmWith(page, user.password);
    await page.getByRole('button', { name: 'Use a recovery code instead' }).click();
    await expect(getRecoveryCode(page)).toBeFocused();
    await getRecoveryCode(page).fill(codes[0] ?? '');
    await page.getByRole('button', { name: 'Confirm', exact: true }).click();
    await expect(page.getByRole('button', { name: 'Continue with GitHub' })).toBeVisible();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await connect.click();
    await confirmWith(page, user.password);
    await page.getByRole('button', { name: 'Use a recovery code instead' }).click();
    await getRecoveryCode(page).fill(codes[0] ?? '');
    await page.getByRole('button', { name: 'Confirm', exact: true }).click();
    await expect(getAlert(page)).toBeVisible();
    await page.getByRole('button', { name: 'Use your authenticator app instead' }).click();
    await expect(getAppCode(page)).toBeFocused();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect(connect).toBeFocused();
    await openSecurity(page, endpoints);
    await expect(getFactorSection(page)).toContainText('9 of 10 recovery codes left');
  });
});
