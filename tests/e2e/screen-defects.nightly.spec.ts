import type { Locator } from '@playwright/test';
import { askForReset, codeFor, freshEmail, NEW_PASSWORD, register } from '../support/account-journeys';
import { expect, test } from '../support/fixtures';
import { expectDashboard, expectPath, pageReady } from '../support/journeys';
import { linksIn, mailsBesidesAlerts, wrongCode } from '../support/mail';
import { showWay } from '../support/sign-in-ways';

test('an incorrect code is an error of its field, and typing replaces it', async ({ page, endpoints }) => {
  const email = freshEmail();
  await register(page, endpoints, email);
  const field = page.getByRole('textbox', { name: 'Code', exact: true });
  const wrong = wrongCode(await codeFor(endpoints, email));
  await field.fill(wrong);
  await expect(field).toHaveAttribute('aria-invalid', 'true');
  await expect(field).toHaveAccessibleDescription(/^This code is incorrect\..* You have 4 attempts left\.$/);
  await expect(field).toBeFocused();
  expect(await page.evaluate(() => getSelection()?.toString())).toBe(wrong);
  await page.keyboard.type('A');
  await expect(field).toHaveValue('A');
  await expect(field).toHaveAttribute('aria-invalid', 'false');
});

test('a new password is typed once, on the page that the reset code is entered on', async ({
  page,
  endpoints,
  user,
}) => {
  await askForReset(page, endpoints, user.email);
  const code = page.getByRole('textbox', { name: 'Code', exact: true });
  const password = page.getByRole('textbox', { name: 'New password', exact: true });
  await expect(page.getByRole('main').getByRole('textbox')).toHaveCount(2);
  await code.fill(wrongCode(await codeFor(endpoints, user.email)));
  await password.fill(NEW_PASSWORD);
  await page.getByRole('button', { name: 'Reset password' }).click();
  await expect(code).toBeFocused();
  await expect(code).toHaveAttribute('aria-invalid', 'true');
  await expect(password).toHaveValue(NEW_PASSWORD);
  await code.fill(await codeFor(endpoints, user.email));
  await page.getByRole('button', { name: 'Reset password' }).click();
  await expectPath(page, endpoints, '/forget-password/confirmation');
});

test('a wrong address at registration is corrected in its field', async ({ page, endpoints }) => {
  const email = freshEmail();
  await register(page, endpoints, `typo-${email}`);
  await page.getByRole('link', { name: 'Use another email address' }).click();
  const field = page.getByRole('textbox', { name: 'Email', exact: true });
  await expect(field).toBeFocused();
  await expect(field).toHaveValue(`typo-${email}`);
  await expect(page.getByRole('textbox', { name: 'Name', exact: true })).not.toHaveValue('');
});

test('a sign-in link can be sent again, and to another address', async ({ page, endpoints, user }) => {
  await page.goto(`${endpoints.appOrigin}/sign-in/with-email-link`);
  await pageReady(page);
  const email = page.getByRole('textbox', { name: 'Email', exact: true });
  const typo = `typo-${user.email}`;
  await email.fill(typo);
  await page.getByRole('button', { name: 'Email me a sign-in link' }).click();
  await expect(page.getByRole('button', { name: 'Resend link' })).toBeVisible();
  await expect(page.getByText(/^in 0:\d\d$/)).toBeVisible();
  await page.getByRole('button', { name: 'Use another email address' }).click();
  await expect(email).toHaveValue(typo);
  await email.fill(user.email);
  await page.getByRole('button', { name: 'Email me a sign-in link' }).click();
  await expect(page.getByText(`If ${user.email} can sign in here`)).toBeVisible();
  const [mail] = await mailsBesidesAlerts(endpoints, user.email);
  await page.goto(linksIn(mail ?? { text: '' })[0] ?? '');
  await expectDashboard(page, endpoints, user);
});

test('a common password is not called good while it is typed', async ({ page, endpoints }) => {
  await page.goto(`${endpoints.appOrigin}/registration`);
  const password = page.getByRole('textbox', { name: 'Password', exact: true });
  await password.fill('password1');
  await expect(password).toHaveAccessibleDescription(/^Long enough\. We'll check that it's safe to use/);
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Mia Moreau');
  await page.getByRole('textbox', { name: 'Email', exact: true }).fill(freshEmail());
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(password).toHaveAccessibleDescription(/^This password is too common\./);
  await expect(password).toHaveAttribute('aria-invalid', 'true');
});

test('a page that waits for a code leads to a well-known inbox, in another tab', async ({ page, endpoints }) => {
  const email = freshEmail().replace('campus.test', 'outlook.com');
  await register(page, endpoints, email);
  const link = page.getByRole('link', { name: 'Open Outlook' });
  await expect(link).toHaveAttribute('target', '_blank');
  await expect(link).toHaveAttribute('href', /^https:\/\/outlook\./);
});

test('common mailbox domains are known', async ({ page, endpoints }) => {
  await page.goto(`${endpoints.appOrigin}/sign-in`);
  const email = page.getByRole('textbox', { name: 'Email', exact: true });
  for (const [typed, meant] of [
    ['mia@gmial.com', 'mia@gmail.com'],
    ['mia@gmail.con', 'mia@gmail.com'],
  ] as const) {
    await email.fill(typed);
    await page.getByRole('button', { name: meant }).click();
    await expect(email).toHaveValue(meant);
  }
});

test("the theme is the system's, light or dark, and the choice is exposed", async ({ page, endpoints }) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto(`${endpoints.appOrigin}/sign-in`);
  await pageReady(page);
  const theme = page.getByRole('combobox', { name: 'Theme' });
  await expect(theme).toHaveValue('system');
  await theme.selectOption('Light');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
  await page.reload();
  await expect(theme).toHaveValue('light');
  await theme.selectOption('System');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
});

test('names of providers stay whole on the narrowest screen, in one column', async ({ page, endpoints }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await page.goto(`${endpoints.appOrigin}/sign-in`);
  const microsoft = page.getByRole('button', { name: 'Continue with Microsoft' });
  await showWay(page, microsoft);
  const box = await microsoft.boundingBox();
  expect(box?.width).toBeGreaterThan(250);
  const lines = await microsoft.getByText('Microsoft').evaluate((text) => {
    const range = document.createRange();
    range.selectNodeContents(text);
    return range.getClientRects().length;
  });
  expect(lines).toBe(1);
});

test('a busy button keeps its label, and quiet buttons stay in the column with forced colors', async ({
  page,
  endpoints,
  user,
}) => {
  await page.emulateMedia({ forcedColors: 'active' });
  await askForReset(page, endpoints, user.email);
  const getLeft = (locator: Locator) => locator.evaluate((element) => element.getBoundingClientRect().left);
  expect(await getLeft(page.getByRole('button', { name: 'Resend code' }))).toBeGreaterThanOrEqual(
    await getLeft(page.getByRole('form')),
  );
  let release = () => undefined as void;
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/api/password-reset/confirm', async (route) => {
    await held;
    await route.continue();
  });
  await page.getByRole('textbox', { name: 'Code', exact: true }).fill(await codeFor(endpoints, user.email));
  await page.getByRole('textbox', { name: 'New password', exact: true }).fill(NEW_PASSWORD);
  const button = page.getByRole('button', { name: 'Reset password' });
  const before = await button.boundingBox();
  await button.click();
  await expect(button).toHaveAttribute('aria-disabled', 'true');
  await expect(button.getByText('Reset password')).toHaveCSS('opacity', '1');
  expect(await button.boundingBox()).toEqual(before);
  release();
  await expectPath(page, endpoints, '/forget-password/confirmation');
});

test('registration links the terms and the privacy notice of the brand', async ({ page, endpoints }) => {
  await page.goto(`${endpoints.appOrigin}/registration`);
  const form = page.getByRole('form', { name: 'Create an account' });
  await expect(form.getByRole('link', { name: 'terms of use' })).toBeVisible();
  await expect(form.getByRole('link', { name: 'privacy notice' })).toBeVisible();
});

test('the failure page has a button that loads the page again', async ({ page, endpoints }) => {
  await page.goto(`${endpoints.appOrigin}/500`);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.waitForEvent('load');
});
