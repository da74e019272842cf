// ASVS: 7.4.3, 7.5.1
import {
  codeFor,
  confirmWith,
  freshEmail,
  getAlert,
  lastMail,
  openSecuritySignedIn,
  signInAtSecurity,
} from '../support/account-journeys';
import { callProvider } from '../support/accounts-client';
import { expectNoViolations } from '../support/axe';
import { expect, test } from '../support/fixtures';
import { cookieHeader, sessionStatus, signIn } from '../support/journeys';
import { linksIn, mailsBesidesAlerts } from '../support/mail';
import { shiftIdToken } from '../support/test-users';

test('changing the email keeps this browser signed in, ends all others, and is undone by the former mailbox', async ({
  page,
  context,
  endpoints,
  user,
  browser,
}) => {
  const elsewhere = await browser.newContext();
  await signIn(await elsewhere.newPage(), endpoints, user);
  const other = await cookieHeader(elsewhere, endpoints);
  await signInAtSecurity(page, endpoints, user);
  await page.getByRole('button', { name: 'Change email' }).click();
  const field = page.getByLabel('New email', { exact: true });
  await expect(field).toBeFocused();
  await field.fill(user.email);
  await page.getByRole('button', { name: 'Send code' }).click();
  await expect(getAlert(page)).toHaveText('This is your email already.');
  const to = freshEmail();
  await field.fill(to);
  await page.getByRole('button', { name: 'Send code' }).click();
  await expect(page.getByText(`We've sent a code to ${to}.`)).toBeVisible();
  await expectNoViolations(page);
  await page.getByLabel('Code', { exact: true }).fill('ABC234');
  await expect(page.getByText('You have 4 attempts left')).toBeVisible();
  await page.getByLabel('Code', { exact: true }).fill(await codeFor(endpoints, to));
  await expect(page.getByText('Your email is changed.')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Email', exact: true })).toBeFocused();
  await expect(page.getByText(to).first()).toBeVisible();
  expect(await sessionStatus(endpoints, other)).toBe(401);
  expect(await sessionStatus(endpoints, await cookieHeader(context, endpoints))).toBe(200);

  const mails = await mailsBesidesAlerts(endpoints, user.email, 2);
  const [link = ''] = linksIn(mails[1] ?? { text: '' });
  const owner = await elsewhere.newPage();
  await owner.goto(link);
  await expect(owner.getByRole('heading', { name: 'Restore your email address' })).toBeVisible();
  await owner.getByRole('button', { name: 'Restore this address' }).click();
  await expect(owner.getByRole('heading', { name: 'Your email address is restored' })).toBeFocused();
  await expect(owner.getByRole('link', { name: 'Choose a new password' })).toBeVisible();
  expect(await sessionStatus(endpoints, await cookieHeader(context, endpoints))).toBe(401);
  expect((await lastMail(endpoints, user.email, 3)).subject).toBe('We secured your Campus account');
  await elsewhere.close();
});

test('another code can be sent, which ends the one before', async ({ page, endpoints, user }) => {
  await signInAtSecurity(page, endpoints, user);
  await page.getByRole('button', { name: 'Change email' }).click();
  const to = freshEmail();
  await page.getByLabel('New email', { exact: true }).fill(to);
  await page.getByRole('button', { name: 'Send code' }).click();
  await expect(page.getByText(/It works until \d+:\d\d/)).toBeVisible();
  const first = await codeFor(endpoints, to);
  const resend = page.getByRole('button', { name: 'Resend code' });
  await expect(resend).toBeEnabled({ timeout: 60_000 });
  await resend.click();
  await expect(page.getByText("We've sent a new code.")).toBeVisible();
  const field = page.getByLabel('Code', { exact: true });
  await expect(field).toBeFocused();
  await expectNoViolations(page);
  const second = await codeFor(endpoints, to, 2);
  await field.fill(first);
  await expect(page.getByText('You have 4 attempts left')).toBeVisible();
  await field.fill(second);
  await expect(page.getByText('Your email is changed.')).toBeVisible();
});

test('the link of the new mailbox changes the email in a session on another device, after a proof', async ({
  page,
  endpoints,
  accounts,
  user,
  browser,
}) => {
  const validSince = String(Math.floor(Date.now() / 1000) - 1_000);
  const path = `projects/${endpoints.projectId}/accounts:update`;
  await callProvider(endpoints, path, { localId: user.uid, validSince }, { authorization: 'Bearer owner' });
  // Such a sign-in is recent for 20 more seconds.
  await openSecuritySignedIn(page, endpoints, shiftIdToken(await accounts.idToken(user), -280));
  await page.waitForTimeout(21_000);
  const to = freshEmail();
  await page.getByRole('button', { name: 'Change email' }).click();
  await page.getByLabel('New email', { exact: true }).fill(to);
  await page.getByRole('button', { name: 'Send code' }).click();
  await expect(page.getByText(`Confirm it's you to change your email to ${to}.`)).toBeVisible();
  await confirmWith(page, user.password);
  await expect(page.getByLabel('Code', { exact: true })).toBeVisible();

  const stranger = await browser.newContext();
  const read = await stranger.newPage();
  const [link = ''] = linksIn(await lastMail(endpoints, to));
  await read.goto(link);
  await read.getByRole('button', { name: 'Use this address' }).click();
  await expect(read.getByRole('heading', { name: 'Sign in first' })).toBeFocused();
  await stranger.close();

  const phone = await browser.newContext();
  const opened = await phone.newPage();
  await signIn(opened, endpoints, user);
  await opened.goto(link);
  await expect(opened.getByText(`Your account gets the email address ${to}.`)).toBeVisible();
  await opened.getByRole('button', { name: 'Use this address' }).click();
  await expect(opened.getByRole('heading', { name: 'Your email is changed' })).toBeFocused();
  await opened.getByRole('link', { name: 'Go to your account' }).click();
  await expect(opened.getByText(to).first()).toBeVisible();
  await phone.close();
});
