import type { Page } from '@playwright/test';
import { alertOf, askForReset, freshEmail, linkFor, register } from '../support/account-journeys';
import { expect, test } from '../support/fixtures';
import { signInPageOf, submitSignIn } from '../support/journeys';
import { openProvider, signInAtProvider } from '../support/provider-window';

/** A screen's accessibility tree, in order: a change of these files is a change for screen reader users. */
const expectOutline = (page: Page, name: string) =>
  expect(page.locator('#__next')).toMatchAriaSnapshot({ name: `${name}.aria.yml` });

for (const [name, path] of [
  ['sign-in', '/sign-in'],
  ['registration', '/registration'],
  ['forget-password', '/forget-password'],
  ['enterprise', '/sign-in/enterprise'],
  ['email-link', '/sign-in/with-email-link'],
  ['not-found', '/no-such-page'],
] as const)
  test(`outline of ${name}`, async ({ page, places }) => {
    await page.goto(`${places.appOrigin}${path}`);
    await expectOutline(page, name);
  });

test('outline of sign-in after a refusal', async ({ page, places }) => {
  await page.goto(signInPageOf(places));
  await submitSignIn(page, { email: 'nobody@campus.test', password: 'not-my-password' });
  await expect(alertOf(page)).toBeVisible();
  await expectOutline(page, 'sign-in-refused');
});

test('outline of registration-confirm', async ({ page, places }) => {
  await register(page, places, freshEmail());
  await expectOutline(page, 'registration-confirm');
});

test('outline of a reset by code and by link', async ({ page, places, person }) => {
  await askForReset(page, places, person.email);
  await expectOutline(page, 'reset-by-code');
  await page.goto(await linkFor(places, person.email));
  await expect(page.getByLabel('New password', { exact: true })).toBeVisible();
  await expectOutline(page, 'reset-by-link');
});

test('outline of a confirmation link in another browser', async ({ page, places, people }) => {
  const person = await people.create({ emailVerified: false });
  await page.goto(`${places.appOrigin}/sign-in/with-email-link`);
  await page.getByLabel('Email', { exact: true }).fill(person.email);
  await page.getByRole('button', { name: 'Email me a sign-in link' }).click();
  await page.goto(await linkFor(places, person.email));
  await expect(page.getByLabel('New password', { exact: true })).toBeVisible();
  await expectOutline(page, 'confirm-by-link');
});

test('outline of link-account', async ({ page, places, person }) => {
  await page.goto(signInPageOf(places));
  await signInAtProvider(await openProvider(page, 'GitHub'), { ...person, emailVerified: false });
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Connect your accounts');
  await expectOutline(page, 'link-account');
});

test('outline of courses and security', async ({ page, places, person }) => {
  await page.goto(`${signInPageOf(places)}?return_to=courses`);
  await submitSignIn(page, person);
  await expect(page).toHaveURL(`${places.appOrigin}/user/courses`);
  await expectOutline(page, 'courses');
  await page.goto(`${places.appOrigin}/security`);
  await expect(page.getByRole('button', { name: 'Connect X' })).toBeVisible();
  await expectOutline(page, 'security');
});
