import type { Page } from '@playwright/test';
import { createPasskey, passkeyButton, withoutAutofill } from '../support/passkey-journeys';
import { addAuthenticator } from '../support/authenticator';
import { expectNoViolations } from '../support/axe';
import { expect, test } from '../support/fixtures';
import {
  expectDashboard,
  expectPath,
  expectSignInPage,
  getDashboardUrl,
  pageReady,
  signIn,
  signInByApi,
  submitSignIn,
} from '../support/journeys';
import { codeField, giveFirstFactor, recoveryField } from '../support/code-page';
import { scheduleDeletion } from '../support/scheduled-deletion';
import { enrolApp } from '../support/second-factor';
import { SET_UP_PAGE, setUp } from '../support/second-factor-rules';

const getTitle = (page: Page) => page.getByRole('heading', { level: 1 });
const expectScheduled = (page: Page) => expect(getTitle(page)).toHaveText(/^Your account will be deleted on/);
const goOn = (page: Page) => page.getByRole('button', { name: 'Not now' }).click();

test('a sign-in with a passkey says that the account will be deleted', async ({ page, endpoints, user }) => {
  const { key } = await createPasskey(endpoints, user);
  await (await addAuthenticator(page)).add(key);
  await scheduleDeletion(endpoints, user);
  await withoutAutofill(page);
  await page.goto(getDashboardUrl(endpoints));
  await pageReady(page);
  await passkeyButton(page).click();
  await expectScheduled(page);
  await goOn(page);
  await expectDashboard(page, endpoints, user);
});

for (const by of ['code', 'recovery code'] as const)
  test(`so does one with a ${by}`, async ({ page, endpoints, user }) => {
    await scheduleDeletion(endpoints, user);
    const { codeAt, recoveryCodes } = await enrolApp(endpoints, user);
    await giveFirstFactor(page, endpoints, user);
    if (by === 'code') await codeField(page).fill(codeAt());
    else {
      await page.getByRole('button', { name: 'Use a recovery code' }).click();
      await recoveryField(page).fill(recoveryCodes[1] ?? '');
      await recoveryField(page).press('Enter');
      await expect(getTitle(page)).toHaveText("You're signed in");
      await page.getByRole('button', { name: 'Continue', exact: true }).click();
    }
    await expectScheduled(page);
  });

test('so does one that has set up the second factor that it needs', async ({ page, endpoints, user }) => {
  await scheduleDeletion(endpoints, user);
  await page.goto(`${endpoints.platformOrigin}/user/certificates`);
  await submitSignIn(page, user);
  await expectPath(page, endpoints, SET_UP_PAGE);
  await setUp(page);
  await expectScheduled(page);
});

for (const colorScheme of ['light', 'dark'] as const)
  test(`the page is accessible in ${colorScheme}, and nothing is shown where nothing is scheduled`, async ({
    page,
    endpoints,
    accounts,
    user,
  }) => {
    await page.emulateMedia({ colorScheme });
    await scheduleDeletion(endpoints, user);
    await signIn(page, endpoints, await accounts.create());
    await page.goto(`${endpoints.appOrigin}/sign-in/keep-account`);
    await expect(page).not.toHaveURL(/keep-account/);
    await page.context().clearCookies();
    await signInByApi(page, endpoints, await accounts.idToken(user));
    await page.goto(`${endpoints.appOrigin}/sign-in/keep-account`);
    await expectScheduled(page);
    await expectNoViolations(page);
  });

test('without a session, the page asks to sign in first', async ({ page, endpoints, user }) => {
  await page.goto(`${endpoints.appOrigin}/sign-in/keep-account`);
  await expectSignInPage(page, endpoints);
  await scheduleDeletion(endpoints, user);
  await submitSignIn(page, user);
  await expectScheduled(page);
  await page.getByRole('button', { name: 'Keep my account' }).click();
  await expect(getTitle(page)).toHaveText("Your account won't be deleted");
});
