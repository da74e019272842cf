// cspell:ignore canpus
import { expect, type Browser, type Locator, type Page } from '@playwright/test';
import type { Endpoints } from '../../scripts/lib/stack.mjs';
import {
  NEW_PASSWORD,
  askForReset,
  codeFor,
  confirmWith,
  fillNewPassword,
  freshEmail,
  getAlert,
  getDownload,
  linkFor,
  openSecuritySignedIn,
} from './account-journeys';
import type { AccountsClient, TestUser } from './accounts-client';
import { addAuthenticator } from './authenticator';
import { codeField, giveFirstFactor, recoveryField } from './code-page';
import { heading, link, readCode, send } from './factor-reset-journeys';
import { meetAccount, open, prove } from './link-account-journeys';
import { expectDashboard, expectPath, getDashboardUrl, getSignInUrl, pageReady } from './journeys';
import { wrongCode } from './mail';
import { withoutAutofill, withoutOffer } from './passkey-journeys';
import { enrolApp } from './second-factor';
import { getAppCode, getRecoveryCode, getSetUp, getTurnOn, readCodes, scanKey } from './second-factor-journeys';
import { getAdd, getSection } from './security-passkeys-journeys';

export type FormVisit = {
  page: Page;
  browser: Browser;
  endpoints: Endpoints;
  user: TestUser;
  accounts: AccountsClient;
  /** Types a code or an email, with the learner's keyboard. */
  type: (field: Locator, text: string) => Promise<void>;
};

type FormWalk = {
  name: string;
  /** The components that contain this form, below components/. */
  parts: string[];
  /** Whether digits are typed. */
  takesCode?: true;
  /** Submits the form empty or with errors, where that is possible, and then correctly. */
  walk: (visit: FormVisit) => Promise<void>;
};

const getEmail = (page: Page) => page.getByLabel('Email', { exact: true });
const getPassword = (page: Page) => page.getByLabel('Password', { exact: true });
const getCode = (page: Page) => page.getByLabel('Code', { exact: true });
const press = (page: Page, name: string) => page.getByRole('main').getByRole('button', { name, exact: true }).click();

/** A page that was changed before hydration is rendered again, which replaces an element that is being pressed. */
async function settle(page: Page): Promise<void> {
  await pageReady(page);
  await page.evaluate(() => new Promise<void>((done) => void requestIdleCallback(() => done())));
}

/** Makes each opened page settle before it is used. @param appOrigin origin of this app's pages */
export function settleAlways(page: Page, { appOrigin }: Endpoints): void {
  const open = page.goto.bind(page);
  page.goto = async (...where) => {
    const answer = await open(...where);
    if (page.url().startsWith(appOrigin)) await settle(page);
    return answer;
  };
}

/** Lists every form of this app once, with each error text that is beside a field. */
export const EVERY_FORM: FormWalk[] = [
  {
    name: 'sign-in',
    parts: ['sign-in/password-form'],
    walk: async ({ page, endpoints, user, type }) => {
      await page.goto(getDashboardUrl(endpoints));
      await press(page, 'Sign in');
      await expect(getAlert(page)).toHaveCount(2);
      await type(getEmail(page), user.email);
      await getPassword(page).fill('not-the-password-1');
      await press(page, 'Sign in');
      await expect(getAlert(page)).toHaveCount(1);
      await page.getByRole('button', { name: 'Show password' }).click();
      await getPassword(page).fill(user.password);
      await press(page, 'Sign in');
      await expectDashboard(page, endpoints, user);
    },
  },
  {
    name: 'registration',
    parts: [
      'registration/registration-screen',
      'registration/confirm-screen',
      'account-forms/name-field',
      'account-forms/new-password-fields',
      'account-forms/one-time-code-field',
    ],
    takesCode: true,
    walk: async ({ page, endpoints, type }) => {
      const email = freshEmail();
      await page.goto(`${endpoints.appOrigin}/registration?redirect_uri=${getDashboardUrl(endpoints)}`);
      await press(page, 'Create account');
      await expect(getAlert(page)).toHaveCount(3);
      await page.getByLabel('Name', { exact: true }).fill('Mia Moreau');
      await type(getEmail(page), email.replace('campus.test', 'canpus.test'));
      await page.getByRole('button', { name: email }).click();
      await expect(getEmail(page)).toHaveValue(email);
      await type(getEmail(page), email);
      for (const password of ['quiet', 'iloveyou1', NEW_PASSWORD]) await getPassword(page).fill(password);
      await press(page, 'Create account');
      await expectPath(page, endpoints, '/registration/confirm');
      const code = await codeFor(endpoints, email);
      await press(page, 'Verify');
      await expect(getAlert(page)).toBeVisible();
      await type(getCode(page), wrongCode(code));
      await expect(getAlert(page)).toContainText('incorrect');
      await type(getCode(page), code);
      await expectPath(page, endpoints, '/registration/success');
      await settle(page);
      await page.getByRole('link', { name: 'Continue' }).click();
      await expectDashboard(page, endpoints, { name: 'Mia Moreau' });
    },
  },
  {
    name: 'forgotten password',
    parts: ['account-forms/email-request-form', 'password-reset/reset-screen', 'ui/form/code-field', 'ui/form/fields'],
    takesCode: true,
    walk: async ({ page, endpoints, user, type }) => {
      await page.goto(`${endpoints.appOrigin}/forget-password`);
      await press(page, 'Send reset code');
      await expect(getAlert(page)).toHaveCount(1);
      await type(getEmail(page), user.email);
      await press(page, 'Send reset code');
      await expectPath(page, endpoints, '/forget-password/instructions');
      await press(page, 'Reset password');
      await expect(getAlert(page)).toHaveCount(2);
      const code = await codeFor(endpoints, user.email);
      await fillNewPassword(page);
      await type(getCode(page), wrongCode(code));
      await press(page, 'Reset password');
      await expect(getAlert(page)).toContainText('incorrect');
      await type(getCode(page), code);
      await press(page, 'Reset password');
      await expectPath(page, endpoints, '/forget-password/confirmation');
    },
  },
  {
    name: 'reset by link',
    parts: ['account-forms/new-password-form'],
    walk: async ({ page, endpoints, user }) => {
      await askForReset(page, endpoints, user.email);
      await page.goto(await linkFor(endpoints, user.email));
      await press(page, 'Reset password');
      await expect(getAlert(page)).toHaveCount(1);
      await fillNewPassword(page, 'iloveyou1');
      await press(page, 'Reset password');
      await expect(getAlert(page)).toHaveCount(1);
      await fillNewPassword(page);
      await press(page, 'Reset password');
      await expectPath(page, endpoints, '/forget-password/confirmation');
    },
  },
  {
    name: 'sign-in link on another device',
    parts: ['email-action/link-sign-in'],
    walk: async ({ page, browser, endpoints, user, type }) => {
      const elsewhere = await (await browser.newContext()).newPage();
      await elsewhere.goto(`${endpoints.appOrigin}/sign-in/with-email-link`);
      await getEmail(elsewhere).fill(user.email);
      await press(elsewhere, 'Email me a sign-in link');
      await page.goto(await linkFor(endpoints, user.email));
      await press(page, 'Sign in');
      await expect(getAlert(page)).toHaveCount(1);
      await type(getEmail(page), `not-${user.email}`);
      await press(page, 'Sign in');
      await expect(getAlert(page)).toHaveCount(1);
      await type(getEmail(page), user.email);
      await press(page, 'Sign in');
      await expectDashboard(page, endpoints, user);
      await elsewhere.context().close();
    },
  },
  {
    name: 'organization',
    parts: ['sign-in/enterprise-screen'],
    walk: async ({ page, endpoints, type }) => {
      await page.goto(`${endpoints.appOrigin}/sign-in/enterprise`);
      await press(page, 'Continue with SSO');
      await expect(getAlert(page)).toHaveCount(1);
      await type(getEmail(page), 'mia@nowhere.test');
      await press(page, 'Continue with SSO');
      await expect(getAlert(page)).toHaveCount(1);
      await type(getEmail(page), 'mia@acme.test');
      await press(page, 'Continue with SSO');
      await page.waitForURL(/emulator\/auth\/handler/);
    },
  },
  {
    name: 'account with another method',
    parts: ['sign-in/link-account-screen'],
    walk: async ({ page, endpoints, user }) => {
      await open(page, endpoints);
      await meetAccount(page, 'GitHub', user);
      await press(page, 'Sign in and connect');
      await expect(getAlert(page)).toHaveCount(1);
      await prove(page, 'not-the-password-1');
      await expect(getAlert(page)).toHaveCount(1);
      await prove(page, user.password);
      await expectDashboard(page, endpoints, user);
    },
  },
  {
    name: 'second factor',
    parts: ['sign-in/second-factor/second-factor-screen'],
    takesCode: true,
    walk: async ({ page, endpoints, user, type }) => {
      const app = await enrolApp(endpoints, user);
      await giveFirstFactor(page, endpoints, user);
      await press(page, 'Continue');
      await expect(getAlert(page)).toHaveCount(1);
      await type(codeField(page), app.codeAt(3_600));
      await expect(getAlert(page)).toContainText('incorrect');
      await page.getByRole('button', { name: 'Use a recovery code' }).click();
      await press(page, 'Continue');
      await expect(getAlert(page)).toHaveCount(1);
      await page.getByRole('button', { name: 'Use your authenticator app' }).click();
      await type(codeField(page), app.codeAt());
      await expectDashboard(page, endpoints, user);
      await page.context().clearCookies();
      await giveFirstFactor(page, endpoints, user);
      await page.getByRole('button', { name: 'Use a recovery code' }).click();
      await type(recoveryField(page), app.recoveryCodes[0] ?? '');
      await press(page, 'Continue');
      await expect(heading(page)).toHaveText("You're signed in");
    },
  },
  {
    name: 'lost second factor',
    parts: ['sign-in/second-factor/reset-stage'],
    takesCode: true,
    walk: async ({ page, endpoints, user, type }) => {
      await enrolApp(endpoints, user);
      await giveFirstFactor(page, endpoints, user);
      await link(page).click();
      await send(page).click();
      const code = await readCode(endpoints, user);
      await type(getCode(page), wrongCode(code));
      await expect(getAlert(page)).toContainText('incorrect');
      await type(getCode(page), code);
      await expect(heading(page)).toHaveText('Two-step verification will be turned off');
    },
  },
  {
    name: 'new authenticator app, its recovery codes, and a proof with each',
    parts: ['account/factor-steps'],
    takesCode: true,
    walk: async ({ page, endpoints, user, accounts, type }) => {
      await openSecuritySignedIn(page, endpoints, await accounts.idToken(user));
      await getSetUp(page).click();
      const app = await scanKey(page);
      await press(page, 'Continue');
      await expect(getAlert(page)).toHaveCount(1);
      await type(getAppCode(page), app.wrongCode());
      await expect(getAlert(page)).toContainText('incorrect');
      await type(getAppCode(page), await app.nextCode());
      const codes = await readCodes(page);
      await getTurnOn(page).click();
      await expect(getAlert(page)).toHaveCount(1);
      await type(getRecoveryCode(page), codes[0] ?? '');
      await getTurnOn(page).click();
      await expect(page.getByText('Two-step verification is on.')).toBeVisible();
      await getDownload(page).click();
      await confirmWith(page, user.password);
      await press(page, 'Confirm');
      await expect(getAlert(page)).toHaveCount(1);
      await type(getAppCode(page), app.wrongCode());
      await press(page, 'Confirm');
      await expect(getAlert(page)).toContainText('incorrect');
      await page.getByRole('button', { name: 'Use a recovery code instead' }).click();
      const download = page.waitForEvent('download');
      await type(getRecoveryCode(page), codes[1] ?? '');
      await press(page, 'Confirm');
      await download;
    },
  },
  {
    name: 'proof with the password',
    parts: ['account/proof-form'],
    walk: async ({ page, endpoints, user, accounts }) => {
      await openSecuritySignedIn(page, endpoints, await accounts.idToken(user));
      await getDownload(page).click();
      await press(page, 'Confirm');
      await expect(getAlert(page)).toHaveCount(1);
      await confirmWith(page, 'not-the-password-1');
      await expect(getAlert(page)).toHaveCount(1);
      const download = page.waitForEvent('download');
      await confirmWith(page, user.password);
      await download;
    },
  },
  {
    name: 'change of the name',
    parts: ['account/profile-section', 'account/form-in-place'],
    walk: async ({ page, endpoints, user, accounts }) => {
      await openSecuritySignedIn(page, endpoints, await accounts.idToken(user));
      await press(page, 'Change your name');
      const field = page.getByLabel('Name', { exact: true });
      for (const wrong of ['', 'Jo', '🙂🙂🙂🙂']) {
        await field.fill(wrong);
        await press(page, 'Save');
        await expect(getAlert(page)).toHaveCount(1);
      }
      await field.fill('علی‌رضا');
      await press(page, 'Save');
      await expect(page.getByText('Your name is changed.')).toBeVisible();
      await expect(page.getByRole('region', { name: 'Your name' })).toContainText('علی‌رضا');
    },
  },
  {
    name: 'name of a passkey',
    parts: ['account/passkey-panels'],
    walk: async ({ page, endpoints, user, accounts }) => {
      await withoutOffer(page);
      await addAuthenticator(page);
      await openSecuritySignedIn(page, endpoints, await accounts.idToken(user));
      await getAdd(page).click();
      const field = getSection(page).getByLabel('Name', { exact: true });
      await field.fill('');
      await press(page, 'Save');
      await expect(getAlert(page)).toHaveCount(1);
      await field.fill('Lena’s laptop');
      await press(page, 'Save');
      await expect(getSection(page)).toContainText('Lena’s laptop');
    },
  },
  {
    name: 'change of the password',
    parts: ['account/change-password-screen'],
    walk: async ({ page, endpoints, user, accounts }) => {
      await openSecuritySignedIn(page, endpoints, await accounts.idToken(user));
      await page.goto(`${endpoints.appOrigin}/account-settings/change-password`);
      await press(page, 'Change password');
      await expect(getAlert(page)).toHaveCount(2);
      const current = page.getByLabel('Current password', { exact: true });
      await current.fill('not-the-password-1');
      await fillNewPassword(page);
      await press(page, 'Change password');
      await expect(getAlert(page)).toHaveCount(1);
      await current.fill(user.password);
      await press(page, 'Change password');
      await expect(heading(page)).toHaveText('Your password has been changed');
    },
  },
  {
    name: 'sign-out',
    parts: ['sign-out/sign-out-screen'],
    walk: async ({ page, endpoints, user, accounts }) => {
      await withoutAutofill(page);
      await openSecuritySignedIn(page, endpoints, await accounts.idToken(user));
      await page.goto(`${endpoints.appOrigin}/sign-out`);
      await expect(page.getByText(user.email)).toBeVisible();
      await press(page, 'Sign out');
      await expect(page).toHaveURL(getSignInUrl(endpoints));
    },
  },
];
