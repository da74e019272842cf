// ASVS: 6.3.3, 7.5.1
// Threats: stolen-session, planted-factor
import { getAlert, openSecurity, openRows } from '../support/account-journeys';
import { tokenBy } from '../support/accounts-client';
import { expectNoViolations } from '../support/axe';
import { expect, test } from '../support/fixtures';
import { signIn } from '../support/journeys';
import { withoutOffer } from '../support/passkey-journeys';
import {
  confirmApp,
  getAppCode,
  getApps,
  getFactorSection,
  getRecoveryCode,
  getSetUp,
  readCodes,
  scanKey,
  turnOn,
  getTurnOn,
  getCancel,
  getRemove,
  getActivity,
} from '../support/second-factor-journeys';

test.beforeEach(async ({ page, endpoints, user }) => {
  await withoutOffer(page);
  await signIn(page, endpoints, user);
  await openSecurity(page, endpoints);
});

test('a set-up that is canceled leaves it off', async ({ page, endpoints }) => {
  await getSetUp(page).click();
  await scanKey(page);
  await getCancel(page).click();
  await expect(getSetUp(page)).toBeFocused();
  await getSetUp(page).click();
  await confirmApp(page);
  await readCodes(page);
  await getCancel(page).click();
  await expect(getSetUp(page)).toBeFocused();
  await openSecurity(page, endpoints);
  await expect(getSetUp(page)).toBeVisible();
  await expect(getApps(page)).toHaveCount(0);
});

test('new recovery codes replace the old ones once one was entered', async ({ page, endpoints, user }) => {
  const { codes: old } = await turnOn(page);
  const renew = page.getByRole('button', { name: 'Get new recovery codes' });
  await renew.click();
  const unused = await readCodes(page);
  await getCancel(page).click();
  await expect(renew).toBeFocused();
  await renew.click();
  const codes = await readCodes(page);
  expect([...old, ...unused].filter((code) => codes.includes(code))).toEqual([]);
  await getRecoveryCode(page).fill(old[1] ?? '');
  await page.getByRole('button', { name: 'Use these codes' }).click();
  await expect(getAlert(page).getByText('This code is incorrect.')).toBeVisible();
  await getRecoveryCode(page).fill(codes[0] ?? '');
  await page.getByRole('button', { name: 'Use these codes' }).click();
  await expect(page.getByText('Your new recovery codes are ready.')).toBeVisible();
  await expect(getActivity(page)).toContainText('Recovery codes replaced');

  await test.step('few codes left are a warning', async () => {
    const use = async (recoveryCode = '') => {
      const data = { token: await tokenBy(endpoints, 'signInWithPassword', user), recoveryCode };
      const headers = { origin: endpoints.appOrigin, 'sec-fetch-site': 'same-origin' };
      return (await page.request.post(`${endpoints.appOrigin}/api/second-factor/prove`, { data, headers })).status();
    };
    expect(await use(old[2])).toBe(400);
    for (const code of codes.slice(0, 7)) expect(await use(code)).toBe(200);
    await openSecurity(page, endpoints);
    const notice = getFactorSection(page).getByRole('status').filter({ hasText: '3 of 10 recovery codes left' });
    await expect(notice).toContainText('Get new ones before you run out.');
  });
});

test('works with the keyboard alone', async ({ page }) => {
  await getSetUp(page).focus();
  await page.keyboard.press('Enter');
  const heading = page.getByRole('heading', { level: 1 });
  await expect(heading).toHaveText('Set up an authenticator app');
  await expect(heading).toBeFocused();
  const app = await scanKey(page);
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'Copy key' })).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await expect(getAppCode(page)).toBeFocused();
  await page.keyboard.type(await app.nextCode());
  await page.keyboard.press('Enter');
  const [code = ''] = await readCodes(page);
  await expect(heading).toHaveText('Save your recovery codes');
  await expect(heading).toBeFocused();
  for (const name of ['Copy codes', 'Download codes', 'Print']) {
    await page.keyboard.press('Tab');
    await expect(page.getByRole('button', { name, exact: true })).toBeFocused();
  }
  await page.keyboard.press('Tab');
  await page.keyboard.type(code);
  await page.keyboard.press('Enter');
  await expect(page.getByText('Two-step verification is on.')).toBeVisible();
  await page.keyboard.press('Tab');
  await expect(getRemove(page)).toBeFocused();
  await page.keyboard.press('Space');
  await expect(page.getByRole('group', { name: 'Remove this authenticator app?' })).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Two-step verification is off.')).toBeVisible();
});

for (const theme of ['light', 'dark']) {
  for (const width of [390, 1280]) {
    test(`no accessibility violation in ${theme} at ${String(width)}`, async ({ page, endpoints }) => {
      await page.setViewportSize({ width, height: 900 });
      await page.goto(`${endpoints.appOrigin}/security?theme=${theme}`);
      await openRows(page);
      const analyze = async () => {
        await expectNoViolations(page);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      };
      await analyze();
      await getSetUp(page).click();
      const app = await scanKey(page);
      const qr = getFactorSection(page).getByRole('img');
      await expect(qr).toHaveCSS('background-color', 'rgb(255, 255, 255)');
      await analyze();
      await getAppCode(page).fill(app.wrongCode());
      await expect(getAlert(page)).toBeVisible();
      await analyze();
      await getAppCode(page).fill(await app.nextCode());
      const [code = ''] = await readCodes(page);
      await analyze();
      await getRecoveryCode(page).fill(code);
      await getTurnOn(page).click();
      await expect(getApps(page)).toHaveCount(1);
      await analyze();
      await getRemove(page).click();
      await analyze();
    });
  }
}

test('a second app is added, and without the last one it is off', async ({ page }) => {
  await turnOn(page);
  const another = page.getByRole('button', { name: 'Add another app' });
  await another.click();
  await confirmApp(page);
  await expect(page.getByText('Your authenticator app is added.')).toBeVisible();
  await expect(getApps(page)).toHaveCount(2);
  await expect(another).toHaveCount(0);
  await expect(getRemove(page).first()).toHaveAccessibleDescription(/^Authenticator app Added /);

  await getRemove(page).first().click();
  const question = page.getByRole('group', { name: 'Remove this authenticator app?' });
  await expect(question).toBeFocused();
  await expect(question).toContainText('You can still use the codes of your other authenticator app.');
  await getCancel(page).click();
  await expect(getRemove(page).first()).toBeFocused();
  await getRemove(page).first().click();
  await page.getByRole('button', { name: 'Remove app' }).click();
  await expect(page.getByText('The authenticator app is removed.')).toBeVisible();
  await expect(getApps(page)).toHaveCount(1);
  await expect(another).toBeVisible();

  await getRemove(page).click();
  await expect(question).toContainText('two-step verification is turned off');
  await page.getByRole('button', { name: 'Turn off' }).click();
  await expect(page.getByText('Two-step verification is off.')).toBeVisible();
  await expect(getSetUp(page)).toBeVisible();
  await expect(getActivity(page)).toContainText('Two-step verification turned off');
});
