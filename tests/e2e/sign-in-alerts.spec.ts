// ASVS: 6.3.5
// Threats: unnoticed-sign-in, forged-disavowal
import type { Page } from '@playwright/test';
import { nextSecond } from '../support/client';
import { expect, test } from '../support/fixtures';
import { expectSignInPage, signIn, submitSignIn } from '../support/journeys';
import { linksIn, mailsTo } from '../support/mail';
import { expectNoViolations } from '../support/axe';

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';

const getHeading = (page: Page) => page.getByRole('heading', { level: 1 });

test('the owner is told of a sign-in on a new browser, undoes it, and chooses a new password', async ({
  page,
  browser,
  endpoints,
  user,
}) => {
  await signIn(page, endpoints, user);
  // The link of a sign-in in the second of the account's creation asks the mailbox, as after a revocation.
  await nextSecond();
  const context = await browser.newContext({ userAgent: FIREFOX });
  const intruder = await context.newPage();
  await intruder.goto(`${endpoints.appOrigin}/security`);
  await submitSignIn(intruder, user);
  await expect(getHeading(intruder)).toHaveText('Account and security');
  // The outbox sends them within seconds. The owner's first browser is announced, too.
  const mails = await mailsTo(endpoints, user.email, 2);
  expect(mails.map(({ subject }) => subject)).toEqual(['New sign-in to Campus', 'New sign-in to Campus']);
  const mail = mails.find(({ text }) => text.includes('Device: Firefox on Windows'));

  const [link = ''] = linksIn(mail ?? { text: '' });
  await page.goto(link);
  await expect(getHeading(page)).toHaveText('Secure your account');
  expect(page.url()).toBe(`${endpoints.appOrigin}/actions`);
  await expect(page.getByText(/Someone signed in .* with Firefox on Windows\./)).toBeVisible();
  await expectNoViolations(page);
  await page.route('**/api/actions/disavow-sign-in', (route) => route.abort(), { times: 1 });
  await page.getByRole('button', { name: "This wasn't me" }).click();
  await expect(page.getByRole('alert').filter({ hasText: "We couldn't secure your account" })).toBeVisible();
  // Opening the link twice has changed nothing.
  await intruder.reload();
  await expect(getHeading(intruder)).toHaveText('Account and security');

  await page.getByRole('button', { name: "This wasn't me" }).click();
  await expect(getHeading(page)).toHaveText('Choose a new password');
  await expect(getHeading(page)).toBeFocused();
  await expectNoViolations(page);
  await intruder.reload();
  await expectSignInPage(intruder, endpoints);
  await context.close();
  // The code is sent to the owner immediately.
  await page.getByRole('button', { name: 'Choose a new password' }).click();
  await expect(page).toHaveURL(/forget-password\/instructions/);
  await expect(getHeading(page)).toHaveText('Check your email');
  await expect(page.getByText(user.email)).toBeVisible();
  expect((await mailsTo(endpoints, user.email, 3)).map(({ subject }) => subject)).toContainEqual(
    expect.stringMatching(/is your Campus reset code$/),
  );
  // The link was used before. The page says so again and asks for the email.
  await page.goto(link);
  await expect(getHeading(page)).toHaveText('Choose a new password');
  await page.getByRole('link', { name: 'Choose a new password' }).click();
  await expect(page).toHaveURL(/forget-password$/);
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue(user.email);
});
