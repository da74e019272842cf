import type { Page } from '@playwright/test';
import {
  alertOf,
  askForReset,
  codeFor,
  fillNewPassword,
  freshEmail,
  linkFor,
  register,
} from '../support/account-journeys';
import { listen } from '../support/announcements';
import { expect, test } from '../support/fixtures';
import { signInPageOf, submitSignIn } from '../support/journeys';
import { openProvider, signInAtProvider } from '../support/provider-window';
import { look } from '../support/look';
import { startOtherApp } from '../support/other-app';

const NOBODY = { email: 'nobody@campus.test', password: 'not-my-password' };

/** Leaves these requests pending forever, so that the page stays busy. */
const holdBack = (page: Page, calls: RegExp) => page.route(calls, () => new Promise<void>(() => undefined));

for (const [name, path] of [
  ['enterprise', '/sign-in/enterprise'],
  ['email-link', '/sign-in/with-email-link'],
  ['link-account.nothing-to-link', '/sign-in/link-account'],
  ['registration', '/registration'],
  ['registration-confirm.nothing-to-confirm', '/registration/confirm'],
  ['forget-password', '/forget-password'],
  ['actions.dead-link', '/actions?mode=resetPassword&oobCode=unknown'],
  ['partner.unknown', '/partner-auth/initiate?partner=nobody'],
  ['app-shell', '/app-shell'],
  ['not-found', '/no-such-page'],
  ['failure', '/500'],
] as const)
  test(name, async ({ page, places }) => {
    await page.goto(`${places.appOrigin}${path}`);
    await look(page, name);
  });

test('self-check with findings', async ({ page, places }) => {
  await page.addInitScript(() => {
    window.open = () => null;
  });
  await page.goto(`${places.appOrigin}/self-check`);
  await look(page, 'self-check');
  await page.getByRole('button', { name: 'Start the check' }).click();
  await expect(page.getByText("Pop-up windows: doesn't work")).toBeVisible();
  await expect(page.getByText('Connection to this site: works')).toBeVisible();
  await look(page, 'self-check.findings');
});

for (const [name, host] of [
  ['sign-in', 'localhost'],
  ['sign-in.brand-acme', 'acme.localhost'],
  ['sign-in.brand-north', 'north.localhost'],
] as const)
  test(name, async ({ page, places }) => {
    const callback = encodeURIComponent(`${places.platformOrigin}/user/courses`);
    await page.goto(`${signInPageOf(places).replace('localhost', host)}?redirect_uri=${callback}`);
    await look(page, name);
  });

test('sign-in with an error, busy, and with a notification', async ({ page, places }) => {
  await page.goto(signInPageOf(places));
  await submitSignIn(page, NOBODY);
  await expect(alertOf(page)).toBeVisible();
  await look(page, 'sign-in.error');
  await holdBack(page, /accounts:signInWithPassword/);
  await submitSignIn(page, NOBODY);
  await expect(page.getByText('Signing you in').first()).toBeAttached();
  await look(page, 'sign-in.busy');
  const said = await listen(page);
  await page.goto(`${signInPageOf(places)}?notification=AutoSignOut`);
  await expect(page.getByText("You've been signed out").first()).toBeVisible();
  await expect.poll(() => said).toEqual(["You've been signed out. Sign in to continue."]);
  await look(page, 'sign-in.notification');
});

test('enterprise with an error', async ({ page, places }) => {
  await page.goto(`${places.appOrigin}/sign-in/enterprise`);
  await page.getByLabel('Email', { exact: true }).fill('somebody@nowhere.test');
  await page.getByRole('button', { name: 'Continue with SSO' }).click();
  await expect(alertOf(page)).toBeVisible();
  await look(page, 'enterprise.error');
});

test('a sign-in link by email', async ({ page, browser, places, person }) => {
  await page.goto(`${places.appOrigin}/sign-in/with-email-link`);
  await page.getByLabel('Email', { exact: true }).fill(person.email);
  await page.getByRole('button', { name: 'Email me a sign-in link' }).click();
  await expect(page.getByText(person.email).first()).toBeVisible();
  await look(page, 'email-link.sent');
  const elsewhere = await (await browser.newContext()).newPage();
  await elsewhere.goto(await linkFor(places, person.email));
  await look(elsewhere, 'actions.sign-in-link-on-another-device');
  await elsewhere.close();
});

test('an account with another method', async ({ page, places, person }) => {
  await page.goto(signInPageOf(places));
  await signInAtProvider(await openProvider(page, 'GitHub'), { ...person, emailVerified: false });
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Connect your accounts');
  await look(page, 'link-account');
});

test('registration, step by step', async ({ page, places }) => {
  const email = freshEmail();
  await page.goto(`${places.appOrigin}/registration`);
  await page.getByLabel('Password', { exact: true }).fill('quiet');
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(alertOf(page).first()).toBeVisible();
  await look(page, 'registration.errors');
  await register(page, places, email);
  await look(page, 'registration-confirm');
  await page.getByLabel('Code', { exact: true }).fill('AAAAAA');
  await expect(alertOf(page)).toBeVisible();
  await look(page, 'registration-confirm.wrong-code');
  await page.getByLabel('Code', { exact: true }).fill(await codeFor(places, email));
  await expect(page).toHaveURL(`${places.appOrigin}/registration/success`);
  await look(page, 'registration-success');
});

test('a confirmation link on another device', async ({ page, browser, places }) => {
  const email = freshEmail();
  await register(page, places, email);
  const link = await linkFor(places, email);
  const elsewhere = await (await browser.newContext()).newPage();
  await elsewhere.goto(link);
  await expect(elsewhere.getByLabel('New password', { exact: true })).toBeVisible();
  await look(elsewhere, 'actions.confirm-on-another-device');
  await fillNewPassword(elsewhere, 'iloveyou1');
  await elsewhere.getByRole('button', { name: 'Verify' }).click();
  await expect(alertOf(elsewhere)).toBeVisible();
  await look(elsewhere, 'actions.confirm-on-another-device-refused');
  await fillNewPassword(elsewhere);
  await elsewhere.getByRole('button', { name: 'Verify' }).click();
  await expect(elsewhere).toHaveURL(`${places.appOrigin}/registration/success`);
  await elsewhere.goto(link);
  await expect(elsewhere.getByRole('heading', { level: 1 })).toHaveText('Your email is confirmed');
  await look(elsewhere, 'actions.confirmed-before');
  await elsewhere.close();
});

test('a forgotten password, step by step', async ({ page, places, person }) => {
  await askForReset(page, places, person.email);
  await look(page, 'forget-password-reset');
  await page.goBack();
  await expect(page.getByRole('link', { name: 'Enter the code' })).toBeVisible();
  await look(page, 'forget-password-instructions');
  await page.goForward();
  await page.getByLabel('Code', { exact: true }).fill(await codeFor(places, person.email));
  await fillNewPassword(page);
  await page.getByRole('button', { name: 'Reset password' }).click();
  await expect(page).toHaveURL(`${places.appOrigin}/forget-password/confirmation`);
  await look(page, 'forget-password-confirmation');
});

test('a reset by link', async ({ page, places, person }) => {
  await askForReset(page, places, person.email);
  await page.goto(await linkFor(places, person.email));
  await expect(page.getByLabel('New password', { exact: true })).toBeVisible();
  await look(page, 'actions.reset-password');
});

test('first-login-reset-password', async ({ page, places: shared, people }) => {
  const { places, stop } = await startOtherApp(shared, { NEXT_PUBLIC_ROLLOUT_MODE: 'V3FirstLogin' });
  const person = await people.create();
  await people.markLegacy(person);
  await page.goto(signInPageOf(places));
  await submitSignIn(page, person);
  await expect(page).toHaveURL(`${places.appOrigin}/first-login-reset-password`);
  await look(page, 'first-login-reset-password');
  await stop();
});
