import type { Page } from '@playwright/test';
import type { Endpoints } from '../../scripts/lib/stack.mjs';
import { expect, test } from '../support/fixtures';
import { linkFor, signInAtSecurity } from '../support/account-journeys';
import { expectNoViolations } from '../support/axe';
import { readFileSync } from 'node:fs';
import type { TestUser } from '../support/accounts-client';
import { expectDashboard, expectPath, expectSignInPage, getDashboardUrl, submitSignIn } from '../support/journeys';
import { mailsBesidesAlerts } from '../support/mail';
import { newIdentity, openProvider, signInAtProvider } from '../support/provider-window';

const getSection = (page: Page) => page.getByRole('region', { name: 'Your data' });

test('canceling the proof changes nothing', async ({ page, endpoints, user }) => {
  await signInAtSecurity(page, endpoints, user);
  const section = getSection(page);
  await section.getByRole('button', { name: 'Delete my account' }).click();
  await expect(section.getByText("When you confirm, you're signed out on all other devices.")).toBeVisible();
  await expectNoViolations(page);
  await section.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('heading', { name: 'Your data' })).toBeFocused();
  await page.reload();
  await expect(section.getByRole('button', { name: 'Delete my account' })).toBeVisible();
});

/** The sentence is the same as in the emails. */
const DELETED_ON = /^Your account will be deleted on \w+\s\d+, \d{4}$/;

const getTitle = (page: Page) => page.getByRole('heading', { level: 1 });

async function confirm(page: Page, password: string): Promise<void> {
  const section = getSection(page);
  await section.getByLabel('Current password', { exact: true }).fill(password);
  await section.getByRole('button', { name: /^(Confirm|Delete my account)$/ }).click();
}

async function requestDeletion(page: Page, endpoints: Endpoints, user: TestUser): Promise<void> {
  await signInAtSecurity(page, endpoints, user);
  await getSection(page).getByRole('button', { name: 'Delete my account' }).click();
  await confirm(page, user.password);
  await expectPath(page, endpoints, '/sign-in/keep-account');
  await expect(getTitle(page)).toHaveText(DELETED_ON);
}

test('all data is downloaded after the password, and after a wrong one is not', async ({ page, endpoints, user }) => {
  await signInAtSecurity(page, endpoints, user);
  const section = getSection(page);
  await section.getByRole('button', { name: 'Download my data' }).click();
  await expect(section.getByRole('group')).toBeFocused();
  await confirm(page, 'not-the-password-1');
  await expect(section.getByRole('alert').filter({ hasText: /\S/ }).first()).toBeVisible();
  const download = page.waitForEvent('download');
  await confirm(page, user.password);
  const file = await download;
  expect(file.suggestedFilename()).toMatch(/^account-data-\d{4}-\d\d-\d\d\.json$/);
  const data = JSON.parse(readFileSync(await file.path(), 'utf8')) as { account: object };
  expect(data.account).toMatchObject({ accountId: user.uid, email: user.email });
  await expect(section.getByText('Your data was downloaded.')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Your data' })).toBeFocused();
});

test('without a password, an emailed link confirms: it leads back to what was begun', async ({
  page,
  endpoints,
  user,
}) => {
  await signInAtSecurity(page, endpoints, user);
  await getSection(page).getByRole('button', { name: 'Download my data' }).click();
  await getSection(page).getByRole('button', { name: 'Use an emailed link' }).click();
  await expectPath(page, endpoints, '/sign-in/with-email-link');
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue(user.email);
  await page.getByRole('button', { name: 'Email me a sign-in link' }).click();
  await expect(getTitle(page)).toHaveText('Check your email');
  const tab = await page.context().newPage();
  const download = tab.waitForEvent('download');
  await tab.goto(await linkFor(endpoints, user.email));
  await expectPath(tab, endpoints, '/security');
  expect((await download).suggestedFilename()).toMatch(/^account-data-/);
  await expect(getSection(tab).getByText('Your data was downloaded.')).toBeVisible();
});

test('a deletion has a page, which the next sign-in shows before it goes on, and which keeps the account', async ({
  page,
  endpoints,
  user,
}) => {
  await requestDeletion(page, endpoints, user);
  await expectNoViolations(page);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expectSignInPage(page, endpoints);
  await page.goto(getDashboardUrl(endpoints));
  await submitSignIn(page, user);
  await expect(getTitle(page)).toHaveText(DELETED_ON);
  await page.getByRole('button', { name: 'Not now' }).click();
  await expectDashboard(page, endpoints, user);
  await page.goto(`${endpoints.appOrigin}/sign-in/keep-account`);
  await page.route('**/api/account/keep', (route) => route.abort(), { times: 1 });
  const keep = page.getByRole('button', { name: 'Keep my account' });
  await keep.click();
  await expect(page.getByRole('alert').filter({ hasText: "We couldn't keep your account" })).toBeVisible();
  await keep.click();
  await expect(getTitle(page)).toHaveText("Your account won't be deleted");
  await expect(getTitle(page)).toBeFocused();
  await expectNoViolations(page);
  await page.goto(`${endpoints.appOrigin}/security`);
  await expect(getSection(page).getByRole('button', { name: 'Delete my account' })).toBeVisible();
});

test('the link of the email only shows the deletion; its button cancels it, once', async ({
  page,
  endpoints,
  user,
  browser,
}) => {
  await requestDeletion(page, endpoints, user);
  // The outbox sends it within seconds.
  const link = await linkFor(endpoints, user.email);
  await page.goto(link);
  await expect(getTitle(page)).toHaveText('Keep your account');
  expect(page.url()).toBe(`${endpoints.appOrigin}/actions`);
  await expectNoViolations(page);
  const other = await browser.newPage();
  await other.goto(link);
  await page.getByRole('button', { name: 'Keep my account' }).click();
  await expect(getTitle(page)).toHaveText("We've kept your account");
  await expect(getTitle(page)).toBeFocused();
  await expectNoViolations(page);
  await other.getByRole('button', { name: 'Keep my account' }).click();
  await expect(getTitle(other)).toHaveText('This deletion was canceled');
  await other.close();
  const subjects = (await mailsBesidesAlerts(endpoints, user.email, 2)).map(({ subject }) => subject);
  expect(subjects[1]).toBe("Your Campus account won't be deleted");
});

test('without a password, a deletion says what happens before a provider confirms it', async ({ page, endpoints }) => {
  const identity = newIdentity();
  await page.goto(getDashboardUrl(endpoints));
  await signInAtProvider(await openProvider(page, 'Google'), identity);
  await expectDashboard(page, endpoints, identity);
  await page.goto(`${endpoints.appOrigin}/security`);
  const section = getSection(page);
  await section.getByRole('button', { name: 'Delete my account' }).click();
  const question = section.getByRole('group', { name: 'Delete your account?' });
  await expect(question).toBeFocused();
  await expect(question.getByRole('listitem').first()).toHaveText(/deleted for good\.$/);
  await expect(question.getByRole('button')).toHaveText(['Delete my account', 'Cancel']);
  await expectNoViolations(page);
  await question.getByRole('button', { name: 'Delete my account' }).click();
  const proof = section.getByRole('group', { name: "Confirm it's you to delete your account." });
  await expect(proof).toBeFocused();
  await expect(proof.getByRole('button')).toHaveText(['Confirm with Google', 'Cancel']);
  await expectNoViolations(page);
  const popup = await openProvider(page, 'Google');
  await popup.locator('.js-reuse-account', { hasText: identity.email }).click();
  await expect(getTitle(page)).toHaveText(DELETED_ON);
});
