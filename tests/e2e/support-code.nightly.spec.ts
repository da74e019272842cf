// The support code that a learner reads on /self-check or on an error page, at the support desk.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { writeOidcFiles } from '../../scripts/lib/oidc-files.mjs';
import { startOtherApp } from '../../scripts/lib/stack.mjs';
import { expect, test } from '../support/fixtures';
import { submitSignIn } from '../support/journeys';
import { createOperator } from '../support/operators';

/** Opens the support desk and looks up what the learner calls the support code. */
async function lookUpCode(desk: Page, appOrigin: string, code: string): Promise<void> {
  await desk.goto(`${appOrigin}/support`);
  await desk.getByLabel('Your token', { exact: true }).fill('token-of-ada');
  await desk.getByLabel('Search by').selectOption('Support code');
  await desk.getByRole('textbox', { name: 'Support code' }).fill(code);
  await desk.getByLabel('Reason', { exact: true }).fill('Ticket 4711');
  await desk.getByRole('button', { name: 'Look up' }).click();
}

test('support finds the sign-in of a tab by the code of its self-check', async ({ page, endpoints, user }) => {
  const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'operators-')), 'operators.json');
  writeFileSync(file, JSON.stringify({ operators: { ada: createOperator('ada', ['read']) } }));
  const app = await startOtherApp(endpoints, { OPERATORS_FILE: file });
  const { appOrigin } = app.endpoints;
  await page.goto(`${appOrigin}/self-check`);
  await page.getByRole('button', { name: 'Start the check' }).click();
  const code = (await page.locator('main strong').textContent()) ?? '';
  expect(code).toMatch(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/);
  await page.goto(`${appOrigin}/sign-in?return_to=courses`);
  await submitSignIn(page, user);
  await expect(page).toHaveURL(`${appOrigin}/user/courses`);

  const find = async (supportCode: string) => {
    const query = new URLSearchParams({ supportCode, reason: 'Ticket 4711' }).toString();
    const headers = { authorization: 'Bearer token-of-ada' };
    const response = await fetch(`${appOrigin}/api/admin/accounts?${query}`, { headers });
    const { accounts } = (await response.json()) as { accounts: { uid: string }[] };
    return accounts.map(({ uid }) => uid);
  };
  // Events are recorded behind the response.
  await expect.poll(() => find(code)).toEqual([user.uid]);
  expect(await find('0000-0000')).toEqual([]);
  const desk = await page.context().newPage();
  await lookUpCode(desk, appOrigin, code.toLowerCase());
  await expect(desk.getByRole('heading', { level: 2 })).toHaveText('One account found');
  await expect(desk.getByRole('region', { name: user.email })).toContainText('signed-in, password');

  // Another tab has no code.
  const other = await page.context().newPage();
  const sent = other.waitForRequest(
    (request) => request.method() === 'POST' && request.url().startsWith(`${appOrigin}/api/`),
  );
  await other.goto(`${appOrigin}/user/courses`);
  await other.getByRole('button', { name: 'Sign out' }).click();
  expect((await sent).headers()['x-support-code']).toBeUndefined();
  await app.stop();
});

test('support finds the request of an error page by the code on it', async ({ page, context, endpoints }) => {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'operators-'));
  const file = path.join(dir, 'operators.json');
  writeFileSync(file, JSON.stringify({ operators: { ada: createOperator('ada', ['read']) } }));
  const { env } = writeOidcFiles(dir, 0);
  const app = await startOtherApp(endpoints, { ...env, OPERATORS_FILE: file });
  const { appOrigin } = app.endpoints;
  const response = await page.goto(`${appOrigin}/api/oidc/authorize?client_id=of-no-one&response_type=code`);
  const line = page.getByText('Support code:');
  const code = (await line.locator('code').textContent()) ?? '';
  expect(code).toBe(response?.headers()['x-request-id']);

  const desk = await context.newPage();
  await lookUpCode(desk, appOrigin, code);
  await expect(desk.getByRole('heading', { level: 2 })).toHaveText('No account found');
  await expect(desk.getByRole('main')).toContainText('is only in the log');
  const requests = readFileSync(app.logFile, 'utf8')
    .split('\n')
    .filter((entry) => entry.includes(code));
  expect(requests.join('\n')).toContain('oidc');
  await app.stop();
});
