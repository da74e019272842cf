import { askForLink, codeFor, fillNewPassword, getAlert, linkFor, NEW_PASSWORD } from '../support/account-journeys';
import { expectNoViolations } from '../support/axe';
import { waitOutRevocation } from '../support/client';
import { expect, test } from '../support/fixtures';
import { getDashboardUrl, expectDashboard, expectPath, submitSignIn } from '../support/journeys';
import { mailsBesidesAlerts, wrongCode } from '../support/mail';
import { enrolApp } from '../support/second-factor';
import { followWay } from '../support/sign-in-ways';

test('a link works once, and leads on to another', async ({ page, browser, endpoints, user }) => {
  await askForLink(page, endpoints, user.email);
  const link = await linkFor(endpoints, user.email);
  await page.goto(link);
  await expectDashboard(page, endpoints, user);
  const other = await (await browser.newContext()).newPage();
  await other.goto(link);
  await expect(other.getByText('This link has expired or has already been used.')).toBeVisible();
  await other.getByRole('link', { name: 'Request a new link' }).click();
  await expect(other.getByRole('button', { name: 'Email me a sign-in link' })).toBeVisible();
  await other.context().close();
});

test('the code of the email signs in where it was asked for, also after a reload', async ({
  page,
  endpoints,
  user,
}) => {
  await askForLink(page, endpoints, user.email);
  const code = await codeFor(endpoints, user.email);
  const field = page.getByRole('textbox', { name: 'Code', exact: true });
  await field.fill(wrongCode(code));
  await expect(page.getByText('You have 4 attempts left.')).toBeVisible();
  await expect(field).toBeFocused();
  await page.reload();
  await expect(page.getByText(`If ${user.email} can sign in here`)).toBeVisible();
  await field.fill(code.slice(0, -1).toLowerCase());
  await page.getByRole('button', { name: 'Verify', exact: true }).click();
  await expect(page.getByText('Enter all 6 characters of the code.')).toBeVisible();
  // A complete code is sent without a press.
  await field.fill(code.toLowerCase());
  await expectDashboard(page, endpoints, user);
});

test('a link that could not sign in can be pressed again', async ({ page, endpoints, user }) => {
  await askForLink(page, endpoints, user.email);
  await page.route('**/api/actions/sign-in', (route) => route.abort());
  await page.goto(await linkFor(endpoints, user.email));
  await expect(getAlert(page)).toContainText("We couldn't reach");
  await expectNoViolations(page);
  await page.unroute('**/api/actions/sign-in');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expectDashboard(page, endpoints, user);
});

test('a code says that its link was used on another device', async ({ page, browser, endpoints, user }) => {
  await askForLink(page, endpoints, user.email);
  const code = await codeFor(endpoints, user.email);
  const phone = await (await browser.newContext()).newPage();
  await phone.goto(await linkFor(endpoints, user.email));
  await phone.getByLabel('Email', { exact: true }).fill(user.email);
  await phone.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expectDashboard(phone, endpoints, user);
  await phone.context().close();
  await page.getByRole('textbox', { name: 'Code', exact: true }).fill(code);
  await expect(getAlert(page)).toContainText('This code has already been used.');
  await getAlert(page).getByRole('link').click();
  await expectPath(page, endpoints, '/sign-in');
});

test('a new visit begins without the earlier email', async ({ page, endpoints, user }) => {
  await askForLink(page, endpoints, user.email);
  await page.goto(`${endpoints.appOrigin}/sign-in/with-email-link`);
  await expect(page.getByRole('button', { name: 'Email me a sign-in link' })).toBeVisible();
});

test('a code leads to the second factor', async ({ page, endpoints, user }) => {
  const app = await enrolApp(endpoints, user);
  // Turning on the second factor revokes.
  await waitOutRevocation();
  await askForLink(page, endpoints, user.email);
  await page.getByRole('textbox', { name: 'Code', exact: true }).fill(await codeFor(endpoints, user.email, 2));
  await expectPath(page, endpoints, '/sign-in/second-factor');
  await page.getByLabel('Authentication code').fill(app.codeAt());
  await expectDashboard(page, endpoints, user);
});

test('an email without an account gets another email, and the same screen', async ({ page, endpoints }) => {
  const email = `unknown-${Date.now()}@campus.test`;
  await askForLink(page, endpoints, email);
  await expect(page.getByText(`If ${email} can sign in here, you'll get an email.`)).toBeVisible();
  const [mail] = await mailsBesidesAlerts(endpoints, email);
  expect(mail?.subject).toContain('no Campus account');
});

test('an unverified email is verified first, with a new password', async ({ page, endpoints, accounts }) => {
  const user = await accounts.create({ emailVerified: false });
  await askForLink(page, endpoints, user.email);
  const [mail] = await mailsBesidesAlerts(endpoints, user.email);
  expect(mail?.subject).toBe('Confirm your email for Campus');
  expect(mail?.text).not.toContain('mode=signIn');

  await page.goto(await linkFor(endpoints, user.email));
  await fillNewPassword(page);
  await page.getByRole('button', { name: 'Confirm and save password' }).click();
  await expect(page).toHaveURL(`${endpoints.appOrigin}/registration/success`);
  await page.getByRole('link', { name: 'Continue' }).click();
  // Another person may have chosen the name.
  await expect(page).toHaveURL(getDashboardUrl(endpoints));
  await page.goto(`${endpoints.appOrigin}/app-shell`);
  await page.evaluate(() => localStorage.clear());
  await page.context().clearCookies();
  await page.goto(getDashboardUrl(endpoints));
  // A password that another person may have chosen is not accepted.
  await submitSignIn(page, user);
  await expect(getAlert(page)).toContainText('Incorrect email or password');
  await submitSignIn(page, { email: user.email, password: NEW_PASSWORD });
  await expect(page).toHaveURL(getDashboardUrl(endpoints));
});

test('another email can be requested after a wait', async ({ page, endpoints, user }) => {
  await page.clock.install();
  await askForLink(page, endpoints, user.email);
  const resend = page.getByRole('button', { name: 'Resend link' });
  await expect(resend).toHaveAttribute('aria-disabled', 'true');
  await page.clock.runFor(31_000);
  await resend.click();
  await expect(page.getByText("If you can sign in here, you'll get another email.")).toBeVisible();
  expect(await mailsBesidesAlerts(endpoints, user.email, 2)).toHaveLength(2);
});

test('the link leads to the page of this app that was asked for, and the next one to the callback', async ({
  page,
  endpoints,
  user,
}) => {
  await page.goto(`${endpoints.appOrigin}/security`);
  await followWay(page, 'Email me a sign-in link');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in without a password');
  await page.getByLabel('Email', { exact: true }).fill(user.email);
  await page.getByRole('button', { name: 'Email me a sign-in link' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Check your email');
  const tab = await page.context().newPage();
  await tab.goto(await linkFor(endpoints, user.email));
  await expectPath(tab, endpoints, '/security');
  await tab.getByRole('button', { name: 'Sign out', exact: true }).click();
  await expect(tab.getByText("You're signed out.")).toBeVisible();
  await askForLink(tab, endpoints, user.email);
  await tab.goto(await linkFor(endpoints, user.email, 2));
  await expectDashboard(tab, endpoints, user);
});

test('the link signs in on another device, which is asked for the address', async ({
  page,
  browser,
  endpoints,
  user,
  accounts,
}) => {
  await askForLink(page, endpoints, user.email);
  const phone = await (await browser.newContext()).newPage();
  await phone.goto(await linkFor(endpoints, user.email));
  // A wrong email does not consume the link. The message is the same whether or not it has an account.
  const stranger = await accounts.create();
  for (const wrong of ['unknown-user@campus.test', stranger.email]) {
    await phone.getByLabel('Email', { exact: true }).fill(wrong);
    const answer = phone.waitForResponse(`${endpoints.appOrigin}/api/actions/sign-in`);
    await phone.getByRole('button', { name: 'Sign in', exact: true }).click();
    expect((await answer).status()).toBe(400);
    await expect(getAlert(phone)).toHaveText(
      'This link was sent to another email address. Enter the one it was sent to.',
    );
  }
  await phone.getByLabel('Email', { exact: true }).fill(user.email);
  await phone.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expectDashboard(phone, endpoints, user);
  await phone.context().close();
});
