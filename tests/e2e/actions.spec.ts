// ASVS: 3.4.5, 3.5.3
// Threats: foreign-confirmation, email-scanner, code-leak
import { askForReset, fillNewPassword, freshEmail, linkFor, NEW_PASSWORD, register } from '../support/account-journeys';
import { expect, test } from '../support/fixtures';
import { cookieHeader, expectDashboard, sessionStatus, signIn, submitSignIn } from '../support/journeys';

test('a code is removed from the URL before any page is shown, and stays out of the history', async ({
  page,
  endpoints,
  user,
}) => {
  await askForReset(page, endpoints, user.email);
  const link = await linkFor(endpoints, user.email);
  const code = new URL(link).searchParams.get('oobCode') ?? '';
  const seen: string[] = [];
  page.on('request', (request) => seen.push(request.url(), request.headers().referer ?? ''));
  await page.goto(link);
  await expect(page.getByLabel('New password', { exact: true })).toBeVisible();
  const withCode = seen.filter((address) => address.includes(code));
  expect(withCode).toEqual([link]);
  const kept = await page.evaluate(() =>
    JSON.stringify([location.href, history.state, document.referrer, { ...localStorage }, { ...sessionStorage }]),
  );
  expect(kept).not.toContain(code);
  await page.reload();
  await expect(page.getByLabel('New password', { exact: true })).toBeVisible();
});

test('another signed-in user has to choose first', async ({ page, context, endpoints, user, accounts }) => {
  const owner = await accounts.create();
  await askForReset(page, endpoints, owner.email);
  const link = await linkFor(endpoints, owner.email);
  await signIn(page, endpoints, user);
  const cookie = await cookieHeader(context, endpoints);
  await page.goto(link);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText("You're signed in to another account");
  await expect(page.getByText(user.email)).toBeVisible();
  await page.getByRole('button', { name: 'Sign out and use the link' }).click();
  await expect(page.getByLabel('New password', { exact: true })).toBeVisible();
  await expect(page.getByText(owner.email)).toBeVisible();
  expect(await sessionStatus(endpoints, cookie)).toBe(401);
  await fillNewPassword(page);
  await page.getByRole('button', { name: 'Reset password' }).click();
  await expect(page).toHaveURL(`${endpoints.appOrigin}/forget-password/confirmation`);
});

test('a confirmation link used twice shows that the email is verified, and links to sign-in', async ({
  page,
  browser,
  endpoints,
}) => {
  const email = freshEmail();
  await register(page, endpoints, email);
  const link = await linkFor(endpoints, email);
  await page.goto(link);
  await expect(page).toHaveURL(`${endpoints.appOrigin}/registration/success`);

  const other = await (await browser.newContext()).newPage();
  await other.goto(link);
  await expect(other.getByRole('heading', { level: 1 })).toHaveText('Your email is confirmed');
  await other.getByRole('link', { name: 'Sign in', exact: true }).click();
  await expect(other.getByLabel('Email', { exact: true })).toHaveValue(email);
  await submitSignIn(other, { email, password: NEW_PASSWORD });
  await expectDashboard(other, endpoints, { name: 'Mia Moreau' });
  await other.context().close();

  await page.goto(link);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Your email is confirmed');
  await page.getByRole('button', { name: 'Continue' }).click();
  await expectDashboard(page, endpoints, { name: 'Mia Moreau' });
});

test('a link of an earlier registration does not confirm the account of a later one', async ({
  page,
  endpoints,
  browser,
}) => {
  const email = freshEmail();
  await register(page, endpoints, email);
  const link = await linkFor(endpoints, email);
  const later = await (await browser.newContext()).newPage();
  await register(later, endpoints, email);
  await page.goto(link);
  await expect(page.getByText("This link doesn't work.")).toBeVisible();
  await later.context().close();
});
