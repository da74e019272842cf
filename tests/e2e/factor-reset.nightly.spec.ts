// ASVS: 6.4.3, 6.3.7
// Threats: factor-reset-abused
import type { Page } from '@playwright/test';
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { createDatabase, findPostgres, startPostgres } from '../../scripts/lib/postgres.mjs';
import { startOtherApp, type Endpoints } from '../../scripts/lib/stack.mjs';
import { getAlert } from '../support/account-journeys';
import type { TestUser } from '../support/accounts-client';
import { expectCodePage, giveFirstFactor } from '../support/code-page';
import { expect, test } from '../support/fixtures';
import { expectPath, submitSignIn, pageReady } from '../support/journeys';
import { enrolApp } from '../support/second-factor';
import { heading, link, send, field, readMail, readCode, loseAndFind, analyze } from '../support/factor-reset-journeys';

/** Goes from the page that asks for the second factor to the time of the reset. */
async function askForReset(page: Page, endpoints: Endpoints, user: TestUser): Promise<void> {
  await link(page).click();
  await expect(heading(page)).toHaveText('Turn off two-step verification');
  await send(page).click();
  await expect(heading(page)).toHaveText('Check your email');
  await field(page).fill(await readCode(endpoints, user));
  await expect(heading(page)).toHaveText('Two-step verification will be turned off');
}

test('offline and without a database it says so, and goes on', async ({ page, endpoints, user }) => {
  await enrolApp(endpoints, user);
  await giveFirstFactor(page, endpoints, user);
  await page.route('**/api/second-factor/reset-code', (route) => route.abort(), { times: 1 });
  await link(page).click();
  await send(page).click();
  await expect(getAlert(page)).toContainText('Check your connection');
  await send(page).click();
  await expect(heading(page)).toHaveText('Check your email');
  const problem = {
    status: 503,
    contentType: 'application/problem+json',
    body: JSON.stringify({
      type: 'urn:problem:records-unavailable',
      title: 'x',
      status: 503,
      code: 'records-unavailable',
    }),
  };
  await page.route('**/api/second-factor/reset', (route) => route.fulfill(problem), { times: 1 });
  await field(page).fill(await readCode(endpoints, user));
  await expect(getAlert(page)).toContainText('What you typed is still here.');
  await page.context().clearCookies({ name: 'pending-sign-in' });
  // A click just after the automatic submit counts as a part of it.
  await page.waitForTimeout(1_100);
  await page.getByRole('button', { name: /^Turn off on / }).click();
  await expect(heading(page)).toHaveText('Sign in again');
});

test.describe('after 72 hours', () => {
  test.skip(!findPostgres(), 'There is no PostgreSQL server.');

  test('everything lost, and turned off: signing in takes no code', async ({ page, endpoints: shared, user }) => {
    test.setTimeout(180_000);
    const [port = 0] = await freePorts(1);
    const server = await startPostgres({ port, dir: mkdtempSync(path.join(os.tmpdir(), 'postgres-')) });
    const url = await createDatabase(server.url);
    const { endpoints, stop } = await startOtherApp(shared, { DATABASE_URL: url });
    await enrolApp(endpoints, user);
    await page.goto(`${endpoints.appOrigin}/security`);
    await submitSignIn(page, user);
    await expectCodePage(page, endpoints);
    await askForReset(page, endpoints, user);
    const database = new pg.Client({ connectionString: url });
    await database.connect();
    const countUnsent = async () =>
      (await database.query('select 1 from jobs where sent_at is null and failed_at is null')).rowCount;
    // An email arrives before its row is marked as sent. An hour must also pass after that time.
    const pass = async (hours: number) => {
      await expect.poll(countUnsent).toBe(0);
      await database.query(`with hours as (select make_interval(hours => ${String(hours)}) as passed),
        sent as (update jobs set sent_at = sent_at - passed from hours)
        update factor_resets set requested_at = requested_at - passed, effective_at = effective_at - passed,
          warned_at = warned_at - passed, due_at = now() from hours`);
    };
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

for (const [theme, width] of [
  ['light', 1280],
  ['dark', 390],
  ['dark', 1280],
] as const)
  test(`everything lost, and found again: canceled by the link of the email, in ${theme} at ${String(width)}`, ({
    page,
    endpoints,
    user,
  }) => loseAndFind(page, endpoints, user, { theme, width }));

test('everything lost, and found again: canceled by the link of the email, in light at 390', ({
  page,
  endpoints,
  user,
}) => loseAndFind(page, endpoints, user, { theme: 'light', width: 390 }));

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
  await other.reload();
  await pageReady(other);
  await expect(other).toHaveTitle('Check your email | Campus');
  await field(other).focus();
  await other.keyboard.type(await readCode(endpoints, user));
  await expect(heading(other)).toHaveText('Two-step verification will be turned off');
  await other.context().close();
  await page.reload();
  await pageReady(page);
  const section = page.getByRole('main');
  await expect(
    section.getByText(/^Two-step verification will be turned off on \w+ \d+, \d{4} at .+ UTC: /),
  ).toBeVisible();
  await analyze(page);
  await section.getByRole('button', { name: 'Keep two-step verification' }).click();
  await expect(section.getByText('Two-step verification stays on.')).toBeVisible();
  await expect(page.locator('main :focus')).toHaveText('Two-step verification stays on.');
  await expect(page.getByText('Two-step verification kept on')).toBeVisible();
});
