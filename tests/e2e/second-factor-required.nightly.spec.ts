// ASVS: 6.3.3, 6.3.4
// Threats: factor-skipped
import { fillNewPassword } from '../support/account-journeys';
import { codeField, expectCodePage } from '../support/code-page';
import { expect, test } from '../support/fixtures';
import {
  expectDashboard,
  expectPath,
  getDashboardUrl,
  getSignInUrl,
  pageReady,
  submitSignIn,
} from '../support/journeys';
import { mailsBesidesAlerts } from '../support/mail';
import { openProvider, signInAtProvider } from '../support/provider-window';
import { waitOutRevocation } from '../support/client';
import { enrolApp } from '../support/second-factor';
import { startOtherApp, type Endpoints } from '../../scripts/lib/stack.mjs';
import { followWay } from '../support/sign-in-ways';

/** Finds a text in an email that may arrive among those about the second factor. */
async function readMail(endpoints: Endpoints, email: string, pattern: RegExp): Promise<string> {
  const find = async () =>
    (await mailsBesidesAlerts(endpoints, email)).map(({ text }) => pattern.exec(text)?.[0]).find(Boolean);
  await expect.poll(find).toBeDefined();
  return (await find()) ?? '';
}

test('an email link', async ({ page, endpoints, user }) => {
  const app = await enrolApp(endpoints, user);
  // Turning on the second factor revokes.
  await waitOutRevocation();
  await page.goto(getDashboardUrl(endpoints));
  await followWay(page, 'Email me a sign-in link');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in without a password');
  await page.getByLabel('Email', { exact: true }).fill(user.email);
  await page.getByRole('button', { name: 'Email me a sign-in link' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Check your email');
  await page.goto(await readMail(endpoints, user.email, /^http\S+mode=signIn\S*$/m));
  await expectCodePage(page, endpoints);
  await codeField(page).fill(app.codeAt());
  await expectDashboard(page, endpoints, user);
});

test('the first password of a legacy account', async ({ page, endpoints: shared, user, accounts }) => {
  const { endpoints, stop } = await startOtherApp(shared, { NEXT_PUBLIC_ROLLOUT_MODE: 'V3FirstLogin' });
  const app = await enrolApp(endpoints, user);
  await accounts.markLegacy(user);
  await page.goto(`${getSignInUrl(endpoints)}?return_to=security`);
  await submitSignIn(page, user);
  await expectPath(page, endpoints, '/first-login-reset-password');
  await fillNewPassword(page);
  await page.getByRole('button', { name: 'Reset password' }).click();
  await expectCodePage(page, endpoints);
  await codeField(page).fill(app.codeAt());
  await expectPath(page, endpoints, '/security');
  // Leave the page, because its pending requests would fail when the app stops.
  await page.goto('about:blank');
  await stop();
});

test('a social provider', async ({ page, endpoints, user }) => {
  const app = await enrolApp(endpoints, user);
  await page.goto(getDashboardUrl(endpoints));
  await signInAtProvider(await openProvider(page, 'Google'), user);
  await expectCodePage(page, endpoints);
  await codeField(page).fill(app.codeAt());
  await expectDashboard(page, endpoints, user);
});

test('a password that connects another method', async ({ page, endpoints, user, accounts }) => {
  const app = await enrolApp(endpoints, user);
  await page.goto(getDashboardUrl(endpoints));
  await signInAtProvider(await openProvider(page, 'GitHub'), { ...user, emailVerified: false });
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Connect your accounts');
  await page.getByLabel('Password', { exact: true }).fill(user.password);
  await page.getByRole('button', { name: 'Sign in and connect' }).click();
  await expectCodePage(page, endpoints);
  await codeField(page).fill(app.codeAt());
  await expectDashboard(page, endpoints, user);
  expect(await accounts.fetchMethods(user)).toEqual(['github.com', 'password']);
});

test('the code that confirms an email address', async ({ page, endpoints, user, accounts }) => {
  const app = await enrolApp(endpoints, user);
  await accounts.setUnverified(user);
  await page.goto(getDashboardUrl(endpoints));
  await pageReady(page);
  await submitSignIn(page, user);
  await expectPath(page, endpoints, '/registration/confirm');
  await page.getByLabel('Code', { exact: true }).fill(await readMail(endpoints, user.email, /^[0-9A-Z]{6}$/m));
  await expectCodePage(page, endpoints);
  await codeField(page).fill(app.codeAt());
  await expectDashboard(page, endpoints, user);
});
