import { followWay } from './sign-in-ways';
import { expect, type Page } from '@playwright/test';
import type { TestUser } from './accounts-client';
import { expectPath, getDashboardUrl, signInByApi, submitSignIn } from './journeys';
import { codeIn, linksIn, mailsBesidesAlerts, type Mail } from './mail';
import type { Endpoints } from '../../scripts/lib/stack.mjs';

export const NEW_PASSWORD = 'quiet-lantern-42';

/** An unused email address. */
export const freshEmail = () => `new-${crypto.randomUUID().slice(0, 8)}@campus.test`;

export async function register(page: Page, endpoints: Endpoints, email: string, name = 'Mia Moreau'): Promise<void> {
  await page.goto(`${endpoints.appOrigin}/registration`);
  await submitRegistration(page, endpoints, email, name);
}

/** Fills in the open registration form and submits it. */
export async function submitRegistration(page: Page, endpoints: Endpoints, email: string, name = 'Mia Moreau') {
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByLabel('Password', { exact: true }).fill(NEW_PASSWORD);
  await page.getByRole('button', { name: 'Create account' }).click();
  await expectPath(page, endpoints, '/registration/confirm');
}

/** Goes from "Forgot password?" to the page that takes the code. */
export async function askForReset(page: Page, endpoints: Endpoints, email: string): Promise<void> {
  await page.goto(`${endpoints.appOrigin}/forget-password`);
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByRole('button', { name: 'Send reset code' }).click();
  await expectPath(page, endpoints, '/forget-password/instructions');
}

export async function fillNewPassword(page: Page, password = NEW_PASSWORD): Promise<void> {
  await page.getByLabel('New password', { exact: true }).fill(password);
}

/** Returns the newest of `count` emails. Emails about new sign-ins do not count. */
export async function lastMail(endpoints: Endpoints, email: string, count = 1): Promise<Mail> {
  const mail = (await mailsBesidesAlerts(endpoints, email, count)).at(-1);
  if (!mail) throw new Error(`No mail to ${email}`);
  return mail;
}

export const codeFor = async (endpoints: Endpoints, email: string, count = 1) =>
  codeIn(await lastMail(endpoints, email, count));

/** Returns the link of the newest email. */
export async function linkFor(endpoints: Endpoints, email: string, count = 1): Promise<string> {
  const [link] = linksIn(await lastMail(endpoints, email, count));
  if (!link) throw new Error('The mail holds no link');
  return link;
}

/** Finds the displayed errors once they appear. */
export const getAlert = (page: Page) => page.getByRole('main').getByRole('alert').filter({ hasText: /\S/ });

/** Opens /security, with the list of accounts that can be connected. */
export async function openSecurity(page: Page, endpoints: Endpoints): Promise<void> {
  await loadSecurity(page, endpoints);
  const others = page.getByRole('button', { name: 'Connect another account' });
  if (await others.isVisible()) await others.click();
}

/** Opens /security in a new session, without the screens of the sign-in. @param token the ID token of the user */
export async function openSecuritySignedIn(page: Page, endpoints: Endpoints, token: string): Promise<void> {
  await signInByApi(page, endpoints, token);
  await loadSecurity(page, endpoints);
}

/** Opens /security with the session that the browser has. */
export async function loadSecurity(page: Page, { appOrigin }: Endpoints): Promise<void> {
  await page.goto(`${appOrigin}/security`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Account and security');
  // Wait for hydration.
  await expect(page.getByRole('button', { name: 'Sign out', exact: true })).toBeVisible();
  await openRows(page);
}

/** Opens every row of /security, which are closed on a phone. On a desktop there is nothing to open. */
export async function openRows(page: Page): Promise<void> {
  const rows = getRows(page);
  while ((await rows.count()) > 0) await rows.first().click();
}

/** The closed rows of /security on a phone. */
export const getRows = (page: Page) =>
  page.getByRole('main').locator('button[aria-labelledby][aria-expanded="false"]:visible');

export const getParts = (page: Page) => page.getByRole('navigation', { name: 'Security settings' });
/** The card with the step that makes the account safer next. */
export const getNextStep = (page: Page) => page.getByRole('region', { name: 'Next step' });
export const getPartHeading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });

/** Uses the open /security, which asks for confirmation first. */
export async function signOutEverywhere(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: 'Sign out everywhere' });
  await button.click();
  await page.getByRole('group').filter({ has: button }).getByRole('button', { name: 'Sign out everywhere' }).click();
}

/** Opens /security, which asks to sign in first. */
export async function signInAtSecurity(
  page: Page,
  { appOrigin }: Pick<Endpoints, 'appOrigin'>,
  user: Pick<TestUser, 'email' | 'password'>,
): Promise<void> {
  await page.goto(`${appOrigin}/security`);
  await submitSignIn(page, user);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Account and security');
}

/**
 * Reauthenticates with the password before an account change. @param button name of the button, which is the change's
 * own name if the change follows immediately
 */
export async function confirmWith(page: Page, password: string, button = 'Confirm'): Promise<void> {
  const form = page.getByRole('form', { name: "Confirm it's you" });
  await form.getByLabel('Current password', { exact: true }).fill(password);
  await form.getByRole('button', { name: button, exact: true }).click();
}

export const getDownload = (page: Page) => page.getByRole('button', { name: 'Download my data' });

/** Goes from the platform to the page that confirms that an email was sent. */
export async function askForLink(page: Page, endpoints: Endpoints, email: string): Promise<void> {
  await page.goto(getDashboardUrl(endpoints));
  await followWay(page, 'Email me a sign-in link');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in without a password');
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByRole('button', { name: 'Email me a sign-in link' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Check your email');
}
