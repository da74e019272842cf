import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { linkFor } from '../support/account-journeys';
import { expect, test } from '../support/fixtures';
import { dashboardOf, expectDashboard } from '../support/journeys';
import { mailsTo } from '../support/mail';
import type { Places } from '../support/stack';

/** From the platform to the page that says that a mail is on its way. */
async function askForLink(page: Page, places: Places, email: string): Promise<void> {
  await page.goto(dashboardOf(places));
  await page.getByRole('link', { name: 'Email me a sign-in link' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in without a password');
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByRole('button', { name: 'Email me a sign-in link' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Look into your mailbox');
}

test('the link signs in on the same device, and the callback is kept', async ({ page, places, person }) => {
  await askForLink(page, places, person.email);
  expect((await new AxeBuilder({ page }).analyze()).violations.map(({ id }) => id)).toEqual([]);
  await page.goto(await linkFor(places, person.email));
  await expect(page).not.toHaveURL(/oobCode/);
  // The address is known here, and is not asked for.
  await expect(page.getByLabel('Email', { exact: true })).toHaveCount(0);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expectDashboard(page, places, person);
});

test('the link signs in on another device, which is asked for the address', async ({
  page,
  browser,
  places,
  person,
}) => {
  await askForLink(page, places, person.email);
  const phone = await (await browser.newContext()).newPage();
  await phone.goto(await linkFor(places, person.email));
  await phone.getByLabel('Email', { exact: true }).fill('somebody-else@campus.test');
  await phone.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(phone.getByRole('alert').filter({ hasText: /\S/ })).toBeVisible();
  await phone.getByLabel('Email', { exact: true }).fill(person.email);
  await phone.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expectDashboard(phone, places, person);
  await phone.context().close();
});

test('a link works once, and leads on to another', async ({ page, browser, places, person }) => {
  await askForLink(page, places, person.email);
  const link = await linkFor(places, person.email);
  await page.goto(link);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expectDashboard(page, places, person);
  const other = await (await browser.newContext()).newPage();
  await other.goto(link);
  await expect(other.getByText('This link has expired or was used already.')).toBeVisible();
  await other.getByRole('link', { name: 'Ask for a new link' }).click();
  await expect(other.getByRole('button', { name: 'Email me a sign-in link' })).toBeVisible();
  await other.context().close();
});

test('an address without an account gets another mail, and the screen does not tell', async ({ page, places }) => {
  const email = `nobody-${Date.now()}@campus.test`;
  await askForLink(page, places, email);
  await expect(page.getByText(`If ${email} can sign in here, a mail is on its way.`)).toBeVisible();
  const [mail] = await mailsTo(places, email);
  expect(mail?.subject).toContain('no Campus account');
});

test('an unconfirmed address is confirmed first', async ({ page, places, people }) => {
  const person = await people.create({ emailVerified: false });
  await askForLink(page, places, person.email);
  const [mail] = await mailsTo(places, person.email);
  expect(mail?.text).toContain('mode=verifyEmail');
  expect(mail?.text).not.toContain('mode=signIn');
});

test('another mail can be asked for after a wait', async ({ page, places, person }) => {
  await page.clock.install();
  await askForLink(page, places, person.email);
  await expect(page.getByRole('button', { name: 'Email me a sign-in link' })).toHaveCount(0);
  await page.clock.runFor(31_000);
  await page.getByRole('button', { name: 'Email me a sign-in link' }).click();
  await expect(page.getByText('Another mail is on its way.')).toBeVisible();
  expect(await mailsTo(places, person.email, 2)).toHaveLength(2);
});
