// ASVS: 6.3.3, 7.5.1
// Threats: stolen-session, planted-factor
import { readFileSync } from 'node:fs';
import { getAlert, openSecurity } from '../support/account-journeys';
import { expect, test } from '../support/fixtures';
import { signIn } from '../support/journeys';
import { withoutOffer } from '../support/passkey-journeys';
import {
  getAppCode,
  getApps,
  getFactorSection,
  getRecoveryCode,
  getSetUp,
  readCodes,
  getContinue,
  getTurnOn,
  getActivity,
} from '../support/second-factor-journeys';
import { SoftwareApp } from '../support/totp';

test.beforeEach(async ({ page, endpoints, user }) => {
  await withoutOffer(page);
  await signIn(page, endpoints, user);
  await openSecurity(page, endpoints);
});

test('an authenticator app is set up, with recovery codes', async ({ page, context, endpoints, user }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const section = getFactorSection(page);
  const getClipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await expect(section).toContainText('After your password, enter a code from an app on your phone.');
  await getSetUp(page).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Set up an authenticator app' })).toBeFocused();
  await expect(section.getByRole('img', { name: 'QR code for your authenticator app' })).toBeVisible();
  const key = await section.getByRole('definition').innerText();
  expect(key).toMatch(/^[A-Z2-7]{4}( [A-Z2-7]{1,4})+$/);
  const link = section.getByRole('link', { name: 'Open in an authenticator app' });
  const uri = new URL((await link.getAttribute('href')) ?? '');
  expect(uri.protocol).toBe('otpauth:');
  expect(uri.searchParams.get('secret')).toBe(key.replaceAll(' ', ''));
  await page.getByRole('button', { name: 'Copy key' }).click();
  await expect(section.getByText('Copied.')).toBeVisible();
  expect(await getClipboard()).toBe(key.replaceAll(' ', ''));
  const app = new SoftwareApp(key);

  await test.step('an incomplete and an incorrect code', async () => {
    await getAppCode(page).fill('123');
    await getContinue(page).click();
    await expect(page.getByText('Enter all 6 digits of the code.')).toBeVisible();
    const wrong = app.wrongCode();
    await getAppCode(page).fill(wrong);
    await expect(getAlert(page).getByText('This code is incorrect.')).toBeVisible();
    await expect(getAppCode(page)).toHaveValue(wrong);
  });

  await getAppCode(page).fill(await app.nextCode());
  const codes = await readCodes(page);
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  for (const code of codes) expect(code).toMatch(/^([\dA-Z]{4}-){3}[\dA-Z]{4}$/);
  expect(new Set(codes).size).toBe(10);

  await test.step('the codes are copied, downloaded and printed', async () => {
    await page.getByRole('button', { name: 'Copy codes' }).click();
    await expect(section.getByText('Copied.')).toBeVisible();
    expect(await getClipboard()).toBe(codes.join('\n'));
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download codes' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe('recovery-codes.txt');
    const text = readFileSync(await file.path(), 'utf8');
    expect(text).toContain('Campus');
    expect(text).toContain(user.email);
    expect(text.split('\n').filter((line) => codes.includes(line))).toEqual(codes);
    await page.evaluate(() => (window.print = () => void (document.title = 'printed')));
    await page.getByRole('button', { name: 'Print', exact: true }).click();
    await expect(page).toHaveTitle('printed');
    await page.emulateMedia({ media: 'print' });
    await expect(page.getByText(codes[9] ?? '')).toBeVisible();
    await expect(page.locator('h1, h2, button, input, a').filter({ visible: true })).toHaveCount(0);
    await page.emulateMedia({ media: 'screen' });
  });

  await test.step('only one of these codes turns it on', async () => {
    await getRecoveryCode(page).fill('0000-0000-0000-0000');
    await getTurnOn(page).click();
    await expect(getAlert(page).getByText('This code is incorrect.')).toBeVisible();
    await expect(page.getByText(codes[0] ?? '')).toBeVisible();
    await getRecoveryCode(page).fill((codes[3] ?? '').toLowerCase().replaceAll('-', ' '));
    await getTurnOn(page).click();
    await expect(page.getByText('Two-step verification is on.')).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Two-step verification' })).toBeFocused();
  });

  await expect(getApps(page)).toHaveCount(1);
  await expect(getApps(page)).toContainText('Authenticator app');
  await expect(section).toContainText(
    '10 of 10 recovery codes leftIf you lose your phone, each code signs you in once.',
  );
  await expect(getActivity(page)).toContainText('Two-step verification turned on');
  await openSecurity(page, endpoints);
  await expect(getApps(page)).toHaveCount(1);
});
