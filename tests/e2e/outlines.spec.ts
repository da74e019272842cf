import { beginSignIn } from '../../examples/mobile/client.mjs';
import { askForReset, getAlert, linkFor } from '../support/account-journeys';
import { expect, test } from '../support/fixtures';
import { expectPath, getSignInUrl, signInByApi, submitSignIn } from '../support/journeys';
import { expectOutline } from '../support/outline';
import { openProvider, signInAtProvider } from '../support/provider-window';
import { scheduleDeletion } from '../support/scheduled-deletion';

// outlines.nightly.spec.ts has the outlines of screens that another test of the first tier opens.

test('outlines of pages that an address opens', async ({ page, endpoints }) => {
  for (const [name, path] of [
    ['sign-in', '/sign-in'],
    ['registration', '/registration'],
    ['forget-password', '/forget-password'],
    ['enterprise', '/sign-in/enterprise'],
    ['email-link', '/sign-in/with-email-link'],
    ['not-found', '/no-such-page'],
    ['failure', '/500'],
    ['app-shell', '/app-shell'],
    ['self-check', '/self-check'],
    ['partner-unknown', '/partner-auth/initiate?partner=unknown'],
    ['unusable-link', '/actions'],
  ] as const) {
    await page.goto(`${endpoints.appOrigin}${path}`);
    await expectOutline(page, name);
  }
});

test('outline of sign-in after a refusal', async ({ page, endpoints }) => {
  await page.goto(getSignInUrl(endpoints));
  await submitSignIn(page, { email: 'unknown@campus.test', password: 'not-my-password' });
  await expect(getAlert(page)).toBeVisible();
  await expectOutline(page, 'sign-in-refused');
});

test('outline of courses and security', async ({ page, endpoints, user }) => {
  await page.goto(`${getSignInUrl(endpoints)}?return_to=courses`);
  await submitSignIn(page, user);
  await expect(page).toHaveURL(`${endpoints.appOrigin}/user/courses`);
  await expectOutline(page, 'courses');
  await page.goto(`${endpoints.appOrigin}/security`);
  await expect(page.getByRole('button', { name: 'Sign out', exact: true })).toBeVisible();
  await expectOutline(page, 'security');
});

test('outline of a reset by code and by link', async ({ page, endpoints, user }) => {
  await askForReset(page, endpoints, user.email);
  await expectOutline(page, 'reset-by-code');
  await page.goto(`${endpoints.appOrigin}/forget-password/reset`);
  await expectOutline(page, 'reset');
  await page.goto(await linkFor(endpoints, user.email));
  await expect(page.getByLabel('New password', { exact: true })).toBeVisible();
  await expectOutline(page, 'reset-by-link');
});

test('outline of link-account', async ({ page, endpoints, user }) => {
  await page.goto(getSignInUrl(endpoints));
  await signInAtProvider(await openProvider(page, 'GitHub'), { ...user, emailVerified: false });
  await expectPath(page, endpoints, '/sign-in/link-account');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Connect your accounts');
  await expectOutline(page, 'link-account');
});

test('outline of the other pages of an account', async ({ page, endpoints, accounts }) => {
  const user = await accounts.create({ name: 'Mia Moreau' });
  await scheduleDeletion(endpoints, user);
  await signInByApi(page, endpoints, await accounts.idToken(user));
  await page.goto(`${endpoints.appOrigin}/sign-in/keep-account`);
  await expectOutline(page, 'keep-account');
  await page.getByRole('button', { name: 'Keep my account' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText("Your account won't be deleted");
  await expectOutline(page, 'account-kept');
  for (const [name, address] of [
    ['change-password', `${endpoints.appOrigin}/account-settings/change-password`],
    ['sign-out', `${endpoints.appOrigin}/sign-out`],
    ['account-selection', beginSignIn(endpoints).address],
  ] as const) {
    await page.goto(address);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expectOutline(page, name);
  }
});
