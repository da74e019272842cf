// ASVS: 6.4.3, 6.3.7
// Threats: factor-reset-abused
import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { findPostgres, startPostgres } from '../../scripts/lib/postgres.mjs';
import { startOtherApp, type Endpoints } from '../../scripts/lib/stack.mjs';
import { getAlert } from '../support/account-journeys';
import type { TestUser } from '../support/accounts-client';
import { expectCodePage, giveFirstFactor } from '../support/code-page';
import { expect, test } from '../support/fixtures';
import { expectDashboard, expectPath, pageReady, submitSignIn } from '../support/journeys';
import { codeIn, linksIn, mailsTo, wrongCode } from '../support/mail';
import { enrolApp } from '../support/second-factor';

const heading = (page: Page) => page.getByRole('heading', { level: 1 });
const link = (page: Page) => page.getByRole('button', { name: 'Lost your app and your recovery codes?' });
const send = (page: Page) => page.getByRole('button', { name: 'Email me a code' });
const field = (page: Page) => page.getByLabel('Code', { exact: true });

async function readMail({ mailboxUrl }: Endpoints, { email }: TestUser, subject: RegExp) {
  const find = async () => (await mailsTo({ mailboxUrl }, email)).filter((mail) => subject.test(mail.subject)).at(-1);
  await expect.poll(find, { timeout: 20_000 }).toBeDefined();
  const mail = await find();
  if (!mail) throw new Error('The email is gone');
  return mail;
}
const readCode = async (endpoints: Endpoints, user: TestUser) => codeIn(await readMail(endpoints, user, /is your Campus code to turn off/)); // prettier-ignore

async function analyze(page: Page): Promise<void> {
  expect((await new AxeBuilder({ page }).analyze()).violations.map(({ id }) => id)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0); // prettier-ignore
}

/** From the page that asks for the second factor to the time of the reset. */
async function askForReset(page: Page, endpoints: Endpoints, user: TestUser): Promise<void> {
  await link(page).click();
  await expect(heading(page)).toHaveText('Turn off two-step verification');
  await send(page).click();
  await expect(heading(page)).toHaveText('Check your email');
  await field(page).fill(await readCode(endpoints, user));
  await expect(heading(page)).toHaveText('Two-step verification will be turned off');
}

for (const theme of ['light', 'dark']) {
  for (const width of [390, 1280]) {
    test(`everything lost, and found again: canceled by the link of the email, in ${theme} at ${String(width)}`, async ({
      page,
      endpoints,
      user,
    }) => {
      const app = await enrolApp(endpoints, user);
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme: theme === 'dark' ? 'dark' : 'light' });
      await giveFirstFactor(page, endpoints, user);
      await link(page).click();
      await expect(heading(page)).toBeFocused();
      await analyze(page);
      await send(page).click();
      await expect(heading(page)).toHaveText('Check your email');
      await expect(heading(page)).toBeFocused();
      const code = await readCode(endpoints, user);
      await field(page).fill(wrongCode(code));
      await expect(getAlert(page)).toContainText('You have 4 attempts left.');
      await analyze(page);
      await field(page).fill(code);
      await expect(heading(page)).toHaveText('Two-step verification will be turned off');
      await expect(heading(page)).toBeFocused();
      await expect(page.getByText(/^You can sign in without a code from \w+ \d+, \d{4}, \d+:\d\d [AP]M\.$/)).toBeVisible(); // prettier-ignore
      await analyze(page);
      const mail = await readMail(endpoints, user, /will be turned off$/);
      await page.goto(linksIn(mail)[0] ?? '');
      await expect(heading(page)).toHaveText('Keep two-step verification');
      await analyze(page);
      await page.getByRole('button', { name: 'Keep two-step verification' }).click();
      await expect(heading(page)).toHaveText('Two-step verification stays on');
      await analyze(page);
      await readMail(endpoints, user, /stays on$/);
      await page.goto(linksIn(mail)[0] ?? '');
      await expect(heading(page)).toHaveText('This link no longer works');
      await giveFirstFactor(page, endpoints, user);
      await page.getByLabel('Authentication code', { exact: true }).fill(app.codeAt());
      await expectDashboard(page, endpoints, user);
    });
  }
}

test('by keyboard, and canceled on the Security page', async ({ page, browser, endpoints, user }) => {
  const app = await enrolApp(endpoints, user);
  await page.goto(`${endpoints.appOrigin}/security`);
  await submitSignIn(page, user);
  await page.getByLabel('Authentication code', { exact: true }).fill(app.codeAt());
  await expectPath(page, endpoints, '/security');
  const other = await (await browser.newContext()).newPage();
  await giveFirstFactor(other, endpoints, user);
  await link(other).focus();
  await other.keyboard.press('Enter');
  await expect(heading(other)).toBeFocused();
  await other.keyboard.press('Tab');
  await expect(send(other)).toBeFocused();
  await other.keyboard.press('Enter');
  await expect(heading(other)).toHaveText('Check your email');
  await expect(heading(other)).toBeFocused();
  await other.keyboard.press('Tab');
  await expect(field(other)).toBeFocused();
  await other.keyboard.type(await readCode(endpoints, user));
  await expect(heading(other)).toHaveText('Two-step verification will be turned off');
  await other.context().close();
  await page.reload();
  await pageReady(page);
  const section = page.getByRole('main');
  await expect(section.getByText(/^Two-step verification will be turned off on \w+ \d+, \d{4} at .+ UTC: /)).toBeVisible(); // prettier-ignore
  await analyze(page);
  await section.getByRole('button', { name: 'Keep two-step verification' }).click();
  await expect(section.getByText('Two-step verification stays on.')).toBeVisible();
  await expect(page.locator('main :focus')).toHaveText('Two-step verification stays on.');
  await expect(page.getByText('Two-step verification kept on')).toBeVisible();
});

test('offline and without a database it says so, and goes on', async ({ page, endpoints, user }) => {
  await enrolApp(endpoints, user);
  await giveFirstFactor(page, endpoints, user);
  await page.route('**/api/second-factor/reset-code', (route) => route.abort(), { times: 1 });
  await link(page).click();
  await send(page).click();
  await expect(getAlert(page)).toContainText('Check your connection');
  await send(page).click();
  await expect(heading(page)).toHaveText('Check your email');
  const problem = { status: 503, contentType: 'application/problem+json', body: JSON.stringify({ type: 'urn:problem:records-unavailable', title: 'x', status: 503, code: 'records-unavailable' }) }; // prettier-ignore
  await page.route('**/api/second-factor/reset', (route) => route.fulfill(problem), { times: 1 });
  await field(page).fill(await readCode(endpoints, user));
  await expect(getAlert(page)).toContainText('What you typed is still here.');
  await page.context().clearCookies({ name: 'pending-sign-in' });
  // A click just after the automatic submit counts as part of it.
  await page.waitForTimeout(1_100);
  await page.getByRole('button', { name: 'Turn off in 72 hours' }).click();
  await expect(heading(page)).toHaveText('Sign in again');
});

test.describe('after 72 hours', () => {
  test.skip(!findPostgres(), 'There is no PostgreSQL server.');

  test('everything lost, and turned off: signing in takes no code', async ({ page, endpoints: shared, user }) => {
    test.setTimeout(180_000);
    const [port = 0] = await freePorts(1);
    const server = await startPostgres({ port, dir: mkdtempSync(path.join(os.tmpdir(), 'postgres-')) });
    const { endpoints, stop } = await startOtherApp(shared, { DATABASE_URL: server.url });
    await enrolApp(endpoints, user);
    await page.goto(`${endpoints.appOrigin}/security`);
    await submitSignIn(page, user);
    await expectCodePage(page, endpoints);
    await askForReset(page, endpoints, user);
    const database = new pg.Client({ connectionString: server.url });
    await database.connect();
    const pass = (hours: number) =>
      database.query(`with hours as (select make_interval(hours => ${String(hours)}) as passed),
        sent as (update notices set sent_at = sent_at - passed from hours)
        update factor_resets set requested_at = requested_at - passed, effective_at = effective_at - passed,
          warned_at = warned_at - passed, due_at = now() from hours`);
    await pass(25);
    await readMail(endpoints, user, /^Reminder: /);
    await pass(46);
    await readMail(endpoints, user, /^In an hour, /);
    await pass(2);
    await readMail(endpoints, user, /is off for your Campus account$/);
    await database.end();
    await page.goto(`${endpoints.appOrigin}/security`);
    await submitSignIn(page, user);
    await expectPath(page, endpoints, '/security');
    await stop();
    await server.stop();
  });
});
