import type { Page } from '@playwright/test';
import {
  getAlert,
  askForReset,
  codeFor,
  fillNewPassword,
  freshEmail,
  linkFor,
  register,
} from '../support/account-journeys';
import { listen } from '../support/announcements';
import { expect, test } from '../support/fixtures';
import { expectDashboard, expectPath, getSignInUrl, submitSignIn } from '../support/journeys';
import { newIdentity, openProvider, signInAtProvider } from '../support/provider-window';
import { getAccounts } from '../support/sign-in-ways';
import { checkScreen, LOCALES } from '../support/check-screen';
import { enrolApp } from '../support/second-factor';
import { readCodes } from '../support/second-factor-journeys';
import { SET_UP_PAGE, setUpApp, startWithRules } from '../support/second-factor-rules';
import { startOtherApp } from '../../scripts/lib/stack.mjs';

test.use({ locales: LOCALES });

const UNKNOWN = { email: 'unknown@campus.test', password: 'not-my-password' };

/** Leaves these requests pending forever, so that the page stays busy. */
const holdBack = (page: Page, calls: RegExp) => page.route(calls, () => new Promise<void>(() => undefined));

for (const [name, path] of [
  ['enterprise', '/sign-in/enterprise'],
  ['email-link', '/sign-in/with-email-link'],
  ['link-account.nothing-to-link', '/sign-in/link-account'],
  ['registration', '/registration'],
  ['registration-confirm.nothing-to-confirm', '/registration/confirm'],
  ['forget-password', '/forget-password'],
  ['actions.unusable-link', '/actions?mode=resetPassword&oobCode=unknown'],
  ['partner.unknown', '/partner-auth/initiate?partner=unknown'],
  ['app-shell', '/app-shell'],
  ['not-found', '/no-such-page'],
  ['failure', '/500'],
] as const)
  test(name, async ({ page, endpoints }) => {
    await page.goto(`${endpoints.appOrigin}${path}`);
    await checkScreen(page, name);
  });

test('self-check with findings', async ({ page, endpoints }) => {
  await page.addInitScript(() => {
    window.open = () => null;
  });
  await page.goto(`${endpoints.appOrigin}/self-check`);
  await checkScreen(page, 'self-check');
  await page.getByRole('button', { name: 'Start the check' }).click();
  await expect(page.getByText('Pop-up windows: not working')).toBeVisible();
  await expect(page.getByText('Connection to this site: OK')).toBeVisible();
  await checkScreen(page, 'self-check.findings');
});

for (const [name, host] of [
  ['sign-in', 'localhost'],
  ['sign-in.brand-acme', 'acme.localhost'],
  ['sign-in.brand-north', 'north.localhost'],
] as const)
  test(name, async ({ page, endpoints }) => {
    const callback = encodeURIComponent(`${endpoints.platformOrigin}/user/courses`);
    await page.goto(`${getSignInUrl(endpoints).replace('localhost', host)}?redirect_uri=${callback}`);
    await checkScreen(page, name);
  });

test.describe('with accounts that the browser remembers', () => {
  test.use({ seesAccounts: true });

  test('sign-in', async ({ page, endpoints, user }) => {
    const identity = newIdentity();
    const signOut = async () => {
      await page.getByRole('button', { name: 'Sign out' }).click();
      await expect(page).toHaveURL(`${endpoints.platformOrigin}/`);
      await page.goto(getSignInUrl(endpoints));
      await expect(getAccounts(page)).toBeVisible();
    };
    await page.goto(getSignInUrl(endpoints));
    await signInAtProvider(await openProvider(page, 'Google'), identity);
    await expectDashboard(page, endpoints, identity);
    await signOut();
    await page.getByRole('button', { name: 'Use another account' }).click();
    await submitSignIn(page, user);
    await expectDashboard(page, endpoints, user);
    await signOut();
    await checkScreen(page, 'sign-in.accounts');
  });
});

test('sign-in with an error, busy, and with a notification', async ({ page, endpoints }) => {
  await page.goto(getSignInUrl(endpoints));
  await submitSignIn(page, UNKNOWN);
  await expect(getAlert(page)).toBeVisible();
  await checkScreen(page, 'sign-in.error');
  await holdBack(page, /accounts:signInWithPassword/);
  await submitSignIn(page, UNKNOWN);
  await expect(page.getByText('Signing you in').first()).toBeAttached();
  await checkScreen(page, 'sign-in.busy');
  const said = await listen(page);
  await page.goto(`${getSignInUrl(endpoints)}?notification=AutoSignOut`);
  await expect(page.getByText("You've been signed out").first()).toBeVisible();
  await expect.poll(() => said).toEqual(["You've been signed out. Sign in to continue."]);
  await checkScreen(page, 'sign-in.notification');
});

test('enterprise with an error', async ({ page, endpoints }) => {
  await page.goto(`${endpoints.appOrigin}/sign-in/enterprise`);
  await page.getByLabel('Email', { exact: true }).fill('learner@nowhere.test');
  await page.getByRole('button', { name: 'Continue with SSO' }).click();
  await expect(getAlert(page)).toBeVisible();
  await checkScreen(page, 'enterprise.error');
});

test('a sign-in link by email', async ({ page, browser, endpoints, user }) => {
  await page.goto(`${endpoints.appOrigin}/sign-in/with-email-link`);
  await page.getByLabel('Email', { exact: true }).fill(user.email);
  await page.getByRole('button', { name: 'Email me a sign-in link' }).click();
  await expect(page.getByText(user.email).first()).toBeVisible();
  await checkScreen(page, 'email-link.sent');
  const elsewhere = await (await browser.newContext()).newPage();
  await elsewhere.goto(await linkFor(endpoints, user.email));
  await checkScreen(elsewhere, 'actions.sign-in-link-on-another-device');
  await elsewhere.close();
});

test('an account with another method', async ({ page, endpoints, user }) => {
  await page.goto(getSignInUrl(endpoints));
  await signInAtProvider(await openProvider(page, 'GitHub'), { ...user, emailVerified: false });
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Connect your accounts');
  await checkScreen(page, 'link-account');
});

test('registration, step by step', async ({ page, endpoints }) => {
  const email = freshEmail();
  await page.goto(`${endpoints.appOrigin}/registration`);
  await page.getByLabel('Password', { exact: true }).fill('quiet');
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(getAlert(page).first()).toBeVisible();
  await checkScreen(page, 'registration.errors');
  await register(page, endpoints, email);
  await checkScreen(page, 'registration-confirm');
  await page.getByLabel('Code', { exact: true }).fill('AAAAAA');
  await expect(getAlert(page)).toBeVisible();
  await checkScreen(page, 'registration-confirm.wrong-code');
  await page.getByLabel('Code', { exact: true }).fill(await codeFor(endpoints, email));
  await expect(page).toHaveURL(`${endpoints.appOrigin}/registration/success`);
  await checkScreen(page, 'registration-success');
});

test('a confirmation link on another device', async ({ page, browser, endpoints }) => {
  const email = freshEmail();
  await register(page, endpoints, email);
  const link = await linkFor(endpoints, email);
  const elsewhere = await (await browser.newContext()).newPage();
  await elsewhere.goto(link);
  await expect(elsewhere.getByLabel('New password', { exact: true })).toBeVisible();
  await checkScreen(elsewhere, 'actions.confirm-on-another-device');
  await fillNewPassword(elsewhere, 'iloveyou1');
  await elsewhere.getByRole('button', { name: 'Confirm and save password' }).click();
  await expect(getAlert(elsewhere)).toBeVisible();
  await checkScreen(elsewhere, 'actions.confirm-on-another-device-refused');
  await fillNewPassword(elsewhere);
  await elsewhere.getByRole('button', { name: 'Confirm and save password' }).click();
  await expect(elsewhere).toHaveURL(`${endpoints.appOrigin}/registration/success`);
  await elsewhere.goto(link);
  await expect(elsewhere.getByRole('heading', { level: 1 })).toHaveText('Your email is confirmed');
  await checkScreen(elsewhere, 'actions.confirmed-before');
  await elsewhere.close();
});

test('a forgotten password, step by step', async ({ page, endpoints, user }) => {
  await askForReset(page, endpoints, user.email);
  await checkScreen(page, 'forget-password-instructions');
  await page.getByLabel('Code', { exact: true }).fill(await codeFor(endpoints, user.email));
  await fillNewPassword(page);
  await page.getByRole('button', { name: 'Reset password' }).click();
  await expect(page).toHaveURL(`${endpoints.appOrigin}/forget-password/confirmation`);
  await checkScreen(page, 'forget-password-confirmation');
});

test('a reset by link', async ({ page, endpoints, user }) => {
  await askForReset(page, endpoints, user.email);
  await page.goto(await linkFor(endpoints, user.email));
  await expect(page.getByLabel('New password', { exact: true })).toBeVisible();
  await checkScreen(page, 'actions.reset-password');
});

test('a second factor, step by step', async ({ page, endpoints, user }) => {
  const app = await enrolApp(endpoints, user);
  await page.goto(getSignInUrl(endpoints));
  await submitSignIn(page, user);
  const field = page.getByLabel('Authentication code');
  await expect(field).toBeVisible();
  await checkScreen(page, 'second-factor');
  await field.fill(app.codeAt(3_600));
  await expect(getAlert(page)).toBeVisible();
  await checkScreen(page, 'second-factor.wrong-code');
  await page.getByRole('button', { name: 'Use a recovery code' }).click();
  await checkScreen(page, 'second-factor.recovery-code');
  await page.getByLabel('Recovery code', { exact: true }).fill(app.recoveryCodes[0] ?? '');
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText("You're signed in");
  await checkScreen(page, 'second-factor.recovered');
});

test('a second factor that came too late', async ({ page, context, endpoints, user }) => {
  const app = await enrolApp(endpoints, user);
  await page.goto(getSignInUrl(endpoints));
  await submitSignIn(page, user);
  await expect(page.getByLabel('Authentication code')).toBeVisible();
  await context.clearCookies({ name: 'pending-sign-in' });
  await page.getByLabel('Authentication code').fill(app.codeAt());
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in again');
  await checkScreen(page, 'second-factor.expired');
});

test('a second factor that is set up during the sign-in', async ({ page, endpoints: shared, user }) => {
  const { endpoints, stop } = await startWithRules(shared, { origin: { use: 'required' } });
  await page.goto(getSignInUrl(endpoints));
  await submitSignIn(page, user);
  await expectPath(page, endpoints, SET_UP_PAGE);
  await checkScreen(page, 'set-up-second-factor');
  await setUpApp(page);
  await readCodes(page);
  await checkScreen(page, 'set-up-second-factor.recovery-codes');
  await stop();
});

test('a second factor that was lost', async ({ page, endpoints, user }) => {
  await enrolApp(endpoints, user);
  await page.goto(getSignInUrl(endpoints));
  await submitSignIn(page, user);
  await page.getByRole('button', { name: 'Lost your app and your recovery codes?' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Turn off two-step verification');
  await checkScreen(page, 'second-factor.reset');
  await page.getByRole('button', { name: 'Email me a code' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Check your email');
  await checkScreen(page, 'second-factor.reset-code');
});

test('first-login-reset-password', async ({ page, endpoints: shared, accounts }) => {
  const { endpoints, stop } = await startOtherApp(shared, { NEXT_PUBLIC_ROLLOUT_MODE: 'V3FirstLogin' });
  const user = await accounts.create();
  await accounts.markLegacy(user);
  await page.goto(getSignInUrl(endpoints));
  await submitSignIn(page, user);
  await expect(page).toHaveURL(`${endpoints.appOrigin}/first-login-reset-password`);
  await checkScreen(page, 'first-login-reset-password');
  await stop();
});
