import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { alertOf, fillNewPassword, linkFor, NEW_PASSWORD } from '../support/account-journeys';
import { expect, test } from '../support/fixtures';
import { dashboardOf, expectDashboard, submitSignIn } from '../support/journeys';
import { mailsTo } from '../support/mail';
import type { Places } from '../support/stack';

/** From the platform to the page that says that an email was sent. */
async function askForLink(page: Page, places: Places, email: string): Promise<void> {
  await page.goto(dashboardOf(places));
  await page.getByRole('link', { name: 'Email me a sign-in link' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in without a password');
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByRole('button', { name: 'Email me a sign-in link' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Check your email');
}

test('the link signs in on the same device, and the callback is kept', async ({ page, places, person }) => {
  await askForLink(page, places, person.email);
  expect((await new AxeBuilder({ page }).analyze()).violations.map(({ id }) => id)).toEqual([]);
  await page.goto(await linkFor(places, person.email));
  await expect(page).not.toHaveURL(/oobCode/);
  // This browser knows the email address, so the page does not request it.
  await expect(page.getByLabel('Email', { exact: true })).toHaveCount(0);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expectDashboard(page, places, person);
});

test('the link signs in on another device, which is asked for the address', async ({
  page,
  browser,
  places,
  person,
  people,
}) => {
  await askForLink(page, places, person.email);
  const phone = await (await browser.newContext()).newPage();
  await phone.goto(await linkFor(places, person.email));
  // A wrong email address does not consume the link, and the message is the same whether or not it has an account.
  const stranger = await people.create();
  for (const wrong of ['nobody-at-all@campus.test', stranger.email]) {
    await phone.getByLabel('Email', { exact: true }).fill(wrong);
    const answer = phone.waitForResponse(`${places.appOrigin}/api/actions/sign-in`);
    await phone.getByRole('button', { name: 'Sign in', exact: true }).click();
    expect((await answer).status()).toBe(400);
    await expect(alertOf(phone)).toHaveText(
      'This link was sent to another email address. Enter the one it was sent to.',
    );
  }
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
  await expect(other.getByText('This link has expired or has already been used.')).toBeVisible();
  await other.getByRole('link', { name: 'Request a new link' }).click();
  await expect(other.getByRole('button', { name: 'Email me a sign-in link' })).toBeVisible();
  await other.context().close();
});

test('an email without an account gets another email, and the same screen', async ({ page, places }) => {
  const email = `nobody-${Date.now()}@campus.test`;
  await askForLink(page, places, email);
  await expect(page.getByText(`If ${email} can sign in here, you'll get an email.`)).toBeVisible();
  const [mail] = await mailsTo(places, email);
  expect(mail?.subject).toContain('no Campus account');
});

test('an unverified email is verified first, with a new password', async ({ page, places, people }) => {
  const person = await people.create({ emailVerified: false });
  await askForLink(page, places, person.email);
  const [mail] = await mailsTo(places, person.email);
  expect(mail?.subject).toBe('Confirm your email for Campus');
  expect(mail?.text).not.toContain('mode=signIn');

  await page.goto(await linkFor(places, person.email));
  await fillNewPassword(page);
  await page.getByRole('button', { name: 'Verify' }).click();
  await expect(page).toHaveURL(`${places.appOrigin}/registration/success`);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue(person.email);
  // A password that another person may have chosen is not accepted.
  await submitSignIn(page, person);
  await expect(alertOf(page)).toContainText('Incorrect email or password');
  await submitSignIn(page, { email: person.email, password: NEW_PASSWORD });
  await expect(page).toHaveURL(dashboardOf(places));
});

test('another email can be requested after a wait', async ({ page, places, person }) => {
  await page.clock.install();
  await askForLink(page, places, person.email);
  await expect(page.getByRole('button', { name: 'Email me a sign-in link' })).toHaveCount(0);
  await page.clock.runFor(31_000);
  await page.getByRole('button', { name: 'Email me a sign-in link' }).click();
  await expect(page.getByText("If you can sign in here, you'll get another email.")).toBeVisible();
  expect(await mailsTo(places, person.email, 2)).toHaveLength(2);
});
