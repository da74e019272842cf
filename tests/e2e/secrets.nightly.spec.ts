// ASVS: 10.1.1
// Threats: code-leak
import { expect } from '@playwright/test';
import { beginSignIn } from '../../examples/mobile/client.mjs';
import { codeFor, fillNewPassword, freshEmail, linkFor, NEW_PASSWORD } from '../support/account-journeys';
import { agree, failOnPage, test, watchLibraries } from '../support/services';
import { expectAbsent, keepCookies, keepParameters, keepTokens } from '../support/secrets';

test.describe.configure({ mode: 'serial', timeout: 240_000 });

const OTHER_PASSWORD = 'another-quiet-lantern-43';

test('recordings and logs of the other flows contain no secret', async ({ context, page, services }) => {
  const { errors, stack } = services;
  const { endpoints } = stack;
  const email = freshEmail();
  const secrets = new Set<string>([NEW_PASSWORD, OTHER_PASSWORD]);
  await agree(context, services);
  keepTokens(page, secrets);
  const { loaded } = watchLibraries(page);
  /** Opens a page and waits until it is recorded. */
  const open = async (address: string) => {
    loaded.length = 0;
    await page.goto(address);
    await expect.poll(() => loaded, { timeout: 60_000 }).toContain('error service');
  };

  await open(`${endpoints.appOrigin}/registration`);
  await page.getByLabel('Name', { exact: true }).fill('Mia Moreau');
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByLabel('Password', { exact: true }).fill(NEW_PASSWORD);
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page).toHaveURL(/\/registration\/confirm\?/);
  await keepCookies(context, secrets);
  secrets.add(await codeFor(endpoints, email));
  const link = await linkFor(endpoints, email);
  keepParameters(link, secrets);
  await open(link);
  await failOnPage(page, `${link} could not be used by ${email}`);
  await expect(page).toHaveURL(/\/registration\/success$/);

  await open(`${endpoints.appOrigin}/forget-password`);
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByRole('button', { name: 'Send reset code' }).click();
  const code = await codeFor(endpoints, email, 2);
  secrets.add(code);
  keepParameters(await linkFor(endpoints, email, 2), secrets);
  await keepCookies(context, secrets);
  await page.getByLabel('Code', { exact: true }).fill(code);
  await fillNewPassword(page, OTHER_PASSWORD);
  await failOnPage(page, `code=${code} failed`);
  await page.getByRole('button', { name: 'Reset password' }).click();
  await expect(page).toHaveURL(/\/forget-password\/confirmation$/);

  // The reset has signed the user in.
  await page.goto(`${endpoints.appOrigin}/app-shell`);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page.getByText("You're signed out.")).toBeVisible();

  await open(`${endpoints.appOrigin}/sign-in/with-email-link`);
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByRole('button', { name: 'Email me a sign-in link' }).click();
  // The response stores the email of the link.
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Check your email');
  const signInLink = await linkFor(endpoints, email, 4);
  keepParameters(signInLink, secrets);
  // The page goes on by itself.
  await page.goto(signInLink);
  await expect(page).toHaveURL(new RegExp(`^${endpoints.platformOrigin}`));

  const begun = beginSignIn(endpoints);
  keepParameters(begun.address, secrets);
  await open(begun.address);
  await page.getByRole('button', { name: 'Continue as Mia Moreau' }).click();
  const callback = await page.getByRole('link', { name: 'Open the app' }).getAttribute('href');
  keepParameters(callback ?? '', secrets);
  await keepCookies(context, secrets);
  const before = errors.errors.length;
  await failOnPage(page, `last of all ${callback ?? ''}`);
  await expect.poll(() => errors.errors.length, { timeout: 60_000 }).toBeGreaterThan(before);
  await page.goto(`${endpoints.platformOrigin}/`);

  expect(secrets.size).toBeGreaterThan(10);
  expectAbsent(secrets, services, [email]);
});
