// ASVS: 6.3.3, 6.4.4, 6.5.1
// Threats: factor-skipped, factor-replayed
import { getAlert } from '../support/account-journeys';
import { expectNoViolations } from '../support/axe';
import { expect, test } from '../support/fixtures';
import {
  cookieHeader,
  expectDashboard,
  getSignInUrl,
  pageReady,
  sessionStatus,
  submitSignIn,
} from '../support/journeys';
import { codeField, expectCodePage, giveFirstFactor, heading, recoveryField } from '../support/code-page';
import { enrolApp } from '../support/second-factor';

test('a code of the app completes the sign-in, and the callback is kept', async ({ page, endpoints, user }) => {
  const app = await enrolApp(endpoints, user);
  const course = `${endpoints.platformOrigin}/user/courses/the-night-sky`;
  await page.goto(`${getSignInUrl(endpoints)}?redirect_uri=${encodeURIComponent(course)}`);
  await pageReady(page);
  await submitSignIn(page, user);
  await expectCodePage(page, endpoints);
  await expect(page.getByText('enter the 6 digits that it shows for Campus.')).toBeVisible();
  await expect(page.getByText(/^Continue to The night sky/)).toBeVisible();
  await expect(codeField(page)).toHaveAttribute('autocomplete', 'one-time-code');
  await expect(codeField(page)).toHaveJSProperty('inputMode', 'numeric');
  // The account has none.
  await expect(page.getByRole('button', { name: 'Use a passkey' })).toHaveCount(0);
  await expectNoViolations(page);
  const [, start = '', end = ''] = /^(...)(...)$/.exec(app.codeAt()) ?? [];
  await codeField(page).fill(`${start} ${end}`);
  await expect(page).toHaveURL(course);
});

test('until then there is neither a session nor a token in the browser', async ({ page, context, endpoints, user }) => {
  await enrolApp(endpoints, user);
  await giveFirstFactor(page, endpoints, user);
  expect(await sessionStatus(endpoints, await cookieHeader(context, endpoints))).toBe(401);
  const pending = (await context.cookies()).find(({ name }) => name === 'pending-sign-in');
  expect(pending).toMatchObject({ httpOnly: true, secure: true, sameSite: 'Lax' });
  const tokens = await page.evaluate(async () => {
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open('firebaseLocalStorageDb');
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(new Error('No database'));
    });
    if (database.objectStoreNames.length === 0) return [];
    return new Promise<unknown[]>((resolve) => {
      const request = database.transaction('firebaseLocalStorage').objectStore('firebaseLocalStorage').getAllKeys();
      request.onsuccess = () => resolve(request.result);
    });
  });
  expect(tokens).toEqual([]);
});

test('a code works once', async ({ page, endpoints, user }) => {
  const app = await enrolApp(endpoints, user);
  const code = app.codeAt();
  await giveFirstFactor(page, endpoints, user);
  await codeField(page).fill(code);
  await expectDashboard(page, endpoints, user);
  await page.context().clearCookies();
  await giveFirstFactor(page, endpoints, user);
  await codeField(page).fill(code);
  await expect(getAlert(page)).toContainText('This code was already used. Wait until your app shows the next one.');
  await codeField(page).fill(app.codeAt(30));
  await expectDashboard(page, endpoints, user);
});

test.describe('a recovery code', () => {
  test('signs in once, and says how many are left', async ({ page, endpoints, user }) => {
    const { recoveryCodes } = await enrolApp(endpoints, user);
    const [first = '', second = ''] = recoveryCodes;
    await giveFirstFactor(page, endpoints, user);
    await page.getByRole('button', { name: 'Use a recovery code' }).click();
    await expect(recoveryField(page)).toBeFocused();
    await expect(recoveryField(page)).toHaveAttribute('autocomplete', 'off');
    await expectNoViolations(page);
    await recoveryField(page).fill(first.toLowerCase().replaceAll('-', ' '));
    await page.getByRole('button', { name: 'Continue', exact: true }).click();
    await expect(page.getByText('You used a recovery code. 9 are left.')).toBeVisible();
    await expect(heading(page)).toBeFocused();
    await expectNoViolations(page);
    await page.getByRole('button', { name: 'Continue', exact: true }).click();
    await expectDashboard(page, endpoints, user);

    await page.context().clearCookies();
    await giveFirstFactor(page, endpoints, user);
    await page.getByRole('button', { name: 'Use a recovery code' }).click();
    await recoveryField(page).fill(first);
    await recoveryField(page).press('Enter');
    await expect(getAlert(page)).toContainText('This recovery code was already used. Enter another one.');
    await recoveryField(page).fill(second);
    await recoveryField(page).press('Enter');
    await expect(page.getByText('You used a recovery code. 8 are left.')).toBeVisible();
    await page.getByRole('link', { name: 'Get new recovery codes' }).click();
    await expect(page).toHaveURL(`${endpoints.appOrigin}/security?part=two-step-verification`);
    await expect(page.getByRole('heading', { name: 'Two-step verification' })).toBeFocused();
  });
});
