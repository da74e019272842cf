// ASVS: 6.3.3, 6.4.4, 6.5.1
// Threats: factor-skipped, factor-guessed, factor-lock-out, factor-replayed
import type { Page } from '@playwright/test';
import { getAlert } from '../support/account-journeys';
import { addAuthenticator } from '../support/authenticator';
import { expectNoViolations } from '../support/axe';
import { expect, test } from '../support/fixtures';
import {
  expectDashboard,
  expectPath,
  expectSignInPage,
  getDashboardUrl,
  getSignInUrl,
  pageReady,
  submitSignIn,
  cookieHeader,
  sessionStatus,
} from '../support/journeys';
import { codeField, expectCodePage, giveFirstFactor, heading, recoveryField } from '../support/code-page';
import { createPasskey, withoutAutofill } from '../support/passkey-journeys';
import { enrolApp } from '../support/second-factor';
import { startTimedApp } from '../support/timed-app';
import { awaitRoomInStep } from '../support/totp';

type App = Awaited<ReturnType<typeof enrolApp>>;

/** Returns codes of six digits that the app shows neither now nor soon. */
function wrongCodes(app: App, count: number): string[] {
  const shown = new Set([-60, -30, 0, 30, 60].map((seconds) => app.codeAt(seconds)));
  return Array.from({ length: count + shown.size }, (_, index) => String(100_000 + index))
    .filter((code) => !shown.has(code))
    .slice(0, count);
}

/** Enters wrong codes until the sign-in is locked. */
async function lock(page: Page, app: App): Promise<void> {
  for (const [index, code] of wrongCodes(app, 5).entries()) {
    await codeField(page).fill(code);
    if (index < 4) await expect(getAlert(page)).toContainText(`You have ${4 - index} attempt`);
  }
  await expect(heading(page)).toHaveText('Sign in again');
}

test('a wrong code says how many tries are left, and the right one signs in', async ({ page, endpoints, user }) => {
  const app = await enrolApp(endpoints, user);
  await giveFirstFactor(page, endpoints, user);
  const [wrong = ''] = wrongCodes(app, 1);
  await codeField(page).fill(wrong);
  await expect(getAlert(page)).toContainText('This code is incorrect. You have 4 attempts left.');
  await expect(getAlert(page)).toContainText('Check that your phone sets its date and time automatically.');
  await expect(codeField(page)).toHaveValue(wrong);
  await expect(page).toHaveTitle(/^Error: /);
  await expectNoViolations(page);
  await codeField(page).fill(app.codeAt());
  await expectDashboard(page, endpoints, user);
});

test('an incomplete code is not sent', async ({ page, endpoints, user }) => {
  await enrolApp(endpoints, user);
  await giveFirstFactor(page, endpoints, user);
  await codeField(page).fill('12 34');
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await expect(getAlert(page)).toHaveText('Enter all 6 digits of the code.');
});

test.describe('a phone whose clock is 30 s', () => {
  test('fast', async ({ page, endpoints, user }) => {
    const app = await enrolApp(endpoints, user);
    await giveFirstFactor(page, endpoints, user);
    await codeField(page).fill(app.codeAt(30));
    await expectDashboard(page, endpoints, user);
  });

  test('slow, and one that is two minutes slow', async ({ page, endpoints: shared, user }) => {
    const { endpoints, advance, stop } = await startTimedApp(shared);
    const app = await enrolApp(endpoints, user);
    // Codes from before the app's set-up count as used.
    await advance(120);
    await page.goto(`${getSignInUrl(endpoints)}?return_to=security`);
    await pageReady(page);
    await submitSignIn(page, user);
    await expectCodePage(page, endpoints);
    await awaitRoomInStep();
    await codeField(page).fill(app.codeAt());
    await expect(getAlert(page)).toContainText('Check that your phone sets its date and time automatically.');
    await codeField(page).fill(app.codeAt(90));
    await expectPath(page, endpoints, '/security');
    // Leave the page, because its pending requests would fail when the app stops.
    await page.goto('about:blank');
    await stop();
  });
});

test('five wrong codes end the sign-in; a new one takes the right code', async ({ page, endpoints, user }) => {
  const app = await enrolApp(endpoints, user);
  await giveFirstFactor(page, endpoints, user);
  await lock(page, app);
  await expect(getAlert(page)).toContainText('You entered too many incorrect codes.');
  await expect(heading(page)).toBeFocused();
  await expectNoViolations(page);
  await page.getByRole('link', { name: 'Sign in again' }).click();
  await expectSignInPage(page, endpoints);
  await submitSignIn(page, user);
  await expectCodePage(page, endpoints);
  await codeField(page).fill(app.codeAt());
  await expectDashboard(page, endpoints, user);
});

test('after ten wrong codes, codes rest for 15 minutes; a passkey signs in', async ({ page, endpoints, user }) => {
  await withoutAutofill(page);
  const authenticator = await addAuthenticator(page);
  await authenticator.add((await createPasskey(endpoints, user)).key);
  const app = await enrolApp(endpoints, user);
  for (let round = 0; round < 2; round += 1) {
    await giveFirstFactor(page, endpoints, user);
    await lock(page, app);
  }
  await giveFirstFactor(page, endpoints, user);
  await codeField(page).fill(app.codeAt());
  await expect(getAlert(page)).toContainText(
    /Too many incorrect codes\. For now you can't use the codes of your app\.\s*You can try again in 15 minutes\.\s*You can still use a passkey or a recovery code\./,
  );
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await expectDashboard(page, endpoints, user);
});

test('a passkey signs in instead of a code', async ({ page, endpoints, user }) => {
  await withoutAutofill(page);
  const authenticator = await addAuthenticator(page);
  await authenticator.add((await createPasskey(endpoints, user)).key);
  await enrolApp(endpoints, user);
  await giveFirstFactor(page, endpoints, user);
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await expectDashboard(page, endpoints, user);
});

test('a browser without passkeys is offered none', async ({ page, endpoints, user }) => {
  await page.addInitScript(() => Reflect.deleteProperty(globalThis, 'PublicKeyCredential'));
  await enrolApp(endpoints, user);
  await giveFirstFactor(page, endpoints, user);
  await expect(page.getByRole('button', { name: 'Use a recovery code' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Use a passkey' })).toHaveCount(0);
});

test('the page can be reloaded, left with the Back button and opened again', async ({ page, endpoints, user }) => {
  const app = await enrolApp(endpoints, user);
  await giveFirstFactor(page, endpoints, user);
  await page.reload();
  await expectCodePage(page, endpoints);
  await page.goBack();
  await expectSignInPage(page, endpoints);
  await page.goForward();
  await expectCodePage(page, endpoints);
  await codeField(page).fill(app.codeAt());
  await expectDashboard(page, endpoints, user);
  // The sign-in page redirects a signed-in learner. The page of the code is no longer in the history.
  await page.goBack();
  await expectDashboard(page, endpoints, user);
});

test('"Back to sign-in" leads to all sign-in methods', async ({ page, endpoints, user }) => {
  await enrolApp(endpoints, user);
  await giveFirstFactor(page, endpoints, user);
  await page.getByRole('link', { name: 'Back to sign-in' }).click();
  await expectSignInPage(page, endpoints);
});

test.describe('without a sign-in that waits', () => {
  test('the page leads to sign-in', async ({ page, endpoints }) => {
    await page.goto(`${endpoints.appOrigin}/sign-in/second-factor`);
    await expect(page).toHaveURL(getSignInUrl(endpoints));
  });

  test('a code says that it has expired, and a reload leads to sign-in', async ({ page, context, endpoints, user }) => {
    const app = await enrolApp(endpoints, user);
    await giveFirstFactor(page, endpoints, user);
    await context.clearCookies({ name: 'pending-sign-in' });
    await codeField(page).fill(app.codeAt());
    await expect(getAlert(page)).toContainText('This sign-in has expired.');
    await page.reload();
    await expect(page).toHaveURL(getSignInUrl(endpoints));
  });

  test('no cache keeps the page', async ({ request, endpoints }) => {
    const headers = { cookie: 'pending-sign-in=any' };
    const address = `${endpoints.appOrigin}/sign-in/second-factor`;
    for (const options of [{ headers }, {}]) {
      const answer = await request.get(address, { ...options, maxRedirects: 0 });
      expect(answer.headers()['cache-control']).toContain('no-store');
    }
  });
});

test('without a connection the code stays, and is sent again', async ({ page, endpoints, user }) => {
  const app = await enrolApp(endpoints, user);
  await giveFirstFactor(page, endpoints, user);
  await page.route('**/api/second-factor/sign-in', (route) => route.abort('connectionrefused'), { times: 1 });
  await codeField(page).fill(app.codeAt());
  await expect(getAlert(page)).toContainText('Check your connection and try again.');
  await expect(codeField(page)).toHaveValue(/^\d{6}$/);
  // Repeated, because a click within a second of the response counts as part of the automatic submit.
  await expect(async () => {
    if (page.url().startsWith(endpoints.appOrigin)) await page.getByRole('button', { name: 'Continue' }).click();
    await expect(page).toHaveURL(getDashboardUrl(endpoints), { timeout: 15_000 });
  }).toPass();
});

test.describe('a recovery code', () => {
  test('is a choice that can be taken back', async ({ page, endpoints, user }) => {
    const app = await enrolApp(endpoints, user);
    await giveFirstFactor(page, endpoints, user);
    await page.getByRole('button', { name: 'Use a recovery code' }).click();
    await recoveryField(page).fill('ABCD');
    await page.getByRole('button', { name: 'Continue', exact: true }).click();
    await expect(getAlert(page)).toHaveText('Enter all 16 letters and numbers of the recovery code.');
    await page.getByRole('button', { name: 'Use your authenticator app' }).click();
    await expect(codeField(page)).toBeFocused();
    await codeField(page).fill(app.codeAt());
    await expectDashboard(page, endpoints, user);
  });
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
    await expect(page.getByText('You used a recovery code. You have 9 left.')).toBeVisible();
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
    await expect(page.getByText('You used a recovery code. You have 8 left.')).toBeVisible();
    const part = '/security?part=two-step-verification';
    await expect(page.getByRole('link', { name: 'Lost your app? Set up a new one' })).toHaveAttribute('href', part);
    await page.getByRole('link', { name: 'Get new recovery codes' }).click();
    await expect(page).toHaveURL(endpoints.appOrigin + part);
    await expect(page.getByRole('heading', { name: 'Two-step verification' })).toBeFocused();
  });
});
