// ASVS: 7.5.1
// Threats: stolen-session, factor-skipped, factor-replayed, planted-factor
import { confirmWith, openSecurity, getDownload, getAlert, signInAtSecurity } from '../support/account-journeys';
import { addAuthenticator } from '../support/authenticator';
import { expect, test } from '../support/fixtures';
import { expectPath, signIn } from '../support/journeys';
import { withoutOffer } from '../support/passkey-journeys';
import {
  confirmWithCode,
  getApps,
  getAppCode,
  getFactorSection,
  readCodes,
  turnOn,
  getRecoveryCode,
} from '../support/second-factor-journeys';
import { startTimedApp } from '../support/timed-app';
import { expectNoViolations } from '../support/axe';

test.beforeEach(({ page }) => withoutOffer(page));

test('a passkey is both steps', async ({ page, endpoints, user }) => {
  await addAuthenticator(page);
  await signIn(page, endpoints, user);
  await openSecurity(page, endpoints);
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await expect(page.getByText('Your passkey is added.')).toBeVisible();
  await expect(getFactorSection(page)).toContainText('A passkey already counts as both steps');
  await turnOn(page);
  await getDownload(page).click();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Confirm with a passkey' }).click();
  await download;
  await expect(page.getByText('Your data was downloaded.')).toBeVisible();
});

test('the account is deleted after a code', async ({ page, endpoints, user }) => {
  await signIn(page, endpoints, user);
  await openSecurity(page, endpoints);
  const { app } = await turnOn(page);
  await page.getByRole('button', { name: 'Delete my account' }).click();
  await confirmWith(page, user.password);
  await getAppCode(page).fill(await app.nextCode());
  await page.getByRole('region', { name: 'Your data' }).getByRole('button', { name: 'Delete my account' }).click();
  await expectPath(page, endpoints, '/sign-in/keep-account');
});

test('after more than 5 minutes, changes of the second factor take a proof', async ({
  page,
  endpoints: shared,
  user,
}) => {
  // Starts another app.
  test.slow();
  const { endpoints, advance, stop } = await startTimedApp(shared);
  await signInAtSecurity(page, endpoints, user);

  await test.step('the first app: the password', async () => {
    await advance(400);
    await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
    const proof = page.getByRole('group', { name: "Confirm it's you first, then set up your authenticator app." });
    await expect(proof).toBeFocused();
    await advance(0);
    await confirmWith(page, user.password);
    await expect(getFactorSection(page).getByRole('img')).toBeVisible();
    await page.getByRole('button', { name: 'Cancel' }).click();
  });

  const { app } = await turnOn(page);

  await test.step('new recovery codes: the password and a code', async () => {
    await advance(400);
    await page.getByRole('button', { name: 'Get new recovery codes' }).click();
    await expect(page.getByText("Confirm it's you first, then get new recovery codes.")).toBeVisible();
    await advance(0);
    await confirmWith(page, user.password);
    await confirmWithCode(page, await app.nextCode());
    await readCodes(page);
    await page.getByRole('button', { name: 'Cancel' }).click();
  });

  await test.step('the removal: the password and a code', async () => {
    await advance(400);
    await getApps(page).getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('button', { name: 'Turn off' }).click();
    await expect(page.getByText("Confirm it's you to remove the authenticator app.")).toBeVisible();
    await advance(0);
    await confirmWith(page, user.password);
    await confirmWithCode(page, await app.nextCode(), 'Turn off');
    await expect(page.getByText('Two-step verification is off.')).toBeVisible();
  });
  await stop();
});

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
  // The text is selected, so the next code replaces it.
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
