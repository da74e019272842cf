import { freshEmail, linkFor, register } from '../support/account-journeys';
import { expect, test } from '../support/fixtures';
import { expectPath, getSignInUrl, submitSignIn } from '../support/journeys';
import { expectOutline } from '../support/outline';
import { enrolApp } from '../support/second-factor';

test('outline of registration-confirm', async ({ page, endpoints }) => {
  await register(page, endpoints, freshEmail());
  await expectOutline(page, 'registration-confirm');
});

test('outline of a confirmation link in another browser', async ({ page, endpoints, accounts }) => {
  const user = await accounts.create({ emailVerified: false });
  await page.goto(`${endpoints.appOrigin}/sign-in/with-email-link`);
  await page.getByLabel('Email', { exact: true }).fill(user.email);
  await page.getByRole('button', { name: 'Email me a sign-in link' }).click();
  await expect(page.getByRole('button', { name: 'Verify' })).toBeVisible();
  await expectOutline(page, 'email-link-sent');
  await page.goto(await linkFor(endpoints, user.email));
  await expect(page.getByLabel('New password', { exact: true })).toBeVisible();
  await expectOutline(page, 'confirm-by-link');
});

test('outline of a second factor', async ({ page, endpoints, user }) => {
  await enrolApp(endpoints, user);
  await page.goto(getSignInUrl(endpoints));
  await submitSignIn(page, user);
  await expect(page.getByLabel('Authentication code')).toBeVisible();
  await expectOutline(page, 'second-factor');
  await page.getByRole('button', { name: 'Use a recovery code' }).click();
  await expectOutline(page, 'recovery-code');
  await page.getByRole('button', { name: 'Lost your app and your recovery codes?' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Turn off two-step verification');
  await expectOutline(page, 'factor-reset');
});

test('outline of the set-up of a second factor', async ({ page, endpoints, user }) => {
  await page.goto(`${endpoints.platformOrigin}/user/certificates`);
  await submitSignIn(page, user);
  await expectPath(page, endpoints, '/sign-in/set-up-second-factor');
  await expectOutline(page, 'set-up-second-factor');
});
