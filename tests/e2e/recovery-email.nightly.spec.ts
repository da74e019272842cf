// ASVS: 6.4.3, 7.5.1
import {
  codeFor,
  fillNewPassword,
  freshEmail,
  lastMail,
  NEW_PASSWORD,
  signInAtSecurity,
} from '../support/account-journeys';
import { expectNoViolations } from '../support/axe';
import { nextSecond } from '../support/client';
import { expect, test } from '../support/fixtures';
import { cookieHeader, expectDashboard, sessionStatus } from '../support/journeys';
import { linksIn, mailsBesidesAlerts } from '../support/mail';

test('a recovery email is added by its code, becomes the main email, and “This wasn’t me” removes one', async ({
  page,
  context,
  endpoints,
  user,
}) => {
  await signInAtSecurity(page, endpoints, user);
  const section = page.getByRole('region', { name: 'Recovery email' });
  const add = async (to: string) => {
    await section.getByRole('button', { name: 'Add recovery email' }).click();
    await section.getByLabel('Recovery email', { exact: true }).fill(to);
    await section.getByRole('button', { name: 'Send code' }).click();
    await section.getByLabel('Code', { exact: true }).fill(await codeFor(endpoints, to));
    await expect(section.getByText('Your recovery email is added.')).toBeVisible();
    await expect(section.getByRole('heading')).toBeFocused();
    await expect(section.getByText(to)).toBeVisible();
  };
  const first = freshEmail();
  await add(first);
  await expectNoViolations(page);
  await section.getByRole('button', { name: 'Remove recovery email' }).click();
  await section.getByRole('button', { name: 'Cancel' }).click();
  await section.getByRole('button', { name: 'Make this my main email' }).click();
  await expect(section.getByText(`Make ${first} your main email?`)).toBeVisible();
  await expectNoViolations(page);
  await section.getByRole('button', { name: 'Make this my main email' }).click();
  await expect(section.getByText('Your email is changed.')).toBeVisible();
  await expect(page.getByRole('region', { name: 'Email', exact: true }).getByText(first)).toBeVisible();
  expect(await sessionStatus(endpoints, await cookieHeader(context, endpoints))).toBe(200);

  // The change has revoked all sign-ins of its second.
  await nextSecond();
  await add(freshEmail());
  const mails = await mailsBesidesAlerts(endpoints, first, 3);
  const added = mails.find(({ subject }) => subject === 'A recovery email was added to your Campus account');
  const [link = ''] = linksIn(added ?? { text: '' });
  await page.goto(link);
  await expect(page.getByRole('heading', { name: 'Remove the recovery email' })).toBeVisible();
  await page.getByRole('button', { name: 'Remove recovery email' }).click();
  await expect(page.getByRole('heading', { name: 'The recovery email is removed' })).toBeFocused();
  expect(await sessionStatus(endpoints, await cookieHeader(context, endpoints))).toBe(401);
  expect((await lastMail(endpoints, first, 4)).subject).toBe('The recovery email of your Campus account was removed');
});

test('a reset by the recovery email leads to a sign-in with the main email', async ({ page, endpoints, user }) => {
  await signInAtSecurity(page, endpoints, user);
  const section = page.getByRole('region', { name: 'Recovery email' });
  const recovery = freshEmail();
  await section.getByRole('button', { name: 'Add recovery email' }).click();
  await section.getByLabel('Recovery email', { exact: true }).fill(recovery);
  await section.getByRole('button', { name: 'Send code' }).click();
  await section.getByLabel('Code', { exact: true }).fill(await codeFor(endpoints, recovery));
  await expect(section.getByText('Your recovery email is added.')).toBeVisible();
  await page.getByRole('banner').getByRole('button', { name: 'Sign out' }).click();

  await page.goto(`${endpoints.appOrigin}/forget-password`);
  await page.getByLabel('Email', { exact: true }).fill(recovery);
  await page.getByRole('button', { name: 'Send reset code' }).click();
  await page.getByLabel('Code', { exact: true }).fill(await codeFor(endpoints, recovery, 2));
  await fillNewPassword(page);
  await page.getByRole('button', { name: 'Reset password' }).click();
  await expect(page).toHaveURL(`${endpoints.appOrigin}/forget-password/confirmation`);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue(user.email);
  await page.getByLabel('Password', { exact: true }).fill(NEW_PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expectDashboard(page, endpoints, user);
});
