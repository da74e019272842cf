import { expect, type Page } from '@playwright/test';
import { codeIn, linksIn, mailsTo, type Mail } from './mail';
import type { Places } from './stack';

export const NEW_PASSWORD = 'quiet-lantern-42';

/** An unused email address. */
export const freshEmail = () => `new-${crypto.randomUUID().slice(0, 8)}@campus.test`;

export async function register(page: Page, places: Places, email: string, name = 'Mia Moreau'): Promise<void> {
  await page.goto(`${places.appOrigin}/registration`);
  await submitRegistration(page, places, email, name);
}

/** Fills in the open registration form and submits it. */
export async function submitRegistration(page: Page, places: Places, email: string, name = 'Mia Moreau') {
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByLabel('Password', { exact: true }).fill(NEW_PASSWORD);
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page).toHaveURL(`${places.appOrigin}/registration/confirm`);
}

/** From "Forgot password?" to the page that requests the code. */
export async function askForReset(page: Page, places: Places, email: string): Promise<void> {
  await page.goto(`${places.appOrigin}/forget-password`);
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByRole('button', { name: 'Send reset code' }).click();
  await expect(page).toHaveURL(`${places.appOrigin}/forget-password/instructions`);
  await page.getByRole('link', { name: 'Enter the code' }).click();
  await expect(page).toHaveURL(`${places.appOrigin}/forget-password/reset`);
}

export async function fillNewPassword(page: Page, password = NEW_PASSWORD): Promise<void> {
  await page.getByLabel('New password', { exact: true }).fill(password);
  await page.getByLabel('Confirm password', { exact: true }).fill(password);
}

export async function lastMail(places: Places, email: string, count = 1): Promise<Mail> {
  const mail = (await mailsTo(places, email, count)).at(-1);
  if (!mail) throw new Error(`No mail to ${email}`);
  return mail;
}

export const codeFor = async (places: Places, email: string, count = 1) => codeIn(await lastMail(places, email, count));

/** The link of the newest email. */
export async function linkFor(places: Places, email: string, count = 1): Promise<string> {
  const [link] = linksIn(await lastMail(places, email, count));
  if (!link) throw new Error('The mail holds no link');
  return link;
}

/** The displayed errors, once they appear. */
export const alertOf = (page: Page) => page.getByRole('main').getByRole('alert').filter({ hasText: /\S/ });
