// The support code that a learner reads on /self-check finds the account by a look-up.
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startOtherApp } from '../../scripts/lib/stack.mjs';
import { expect, test } from '../support/fixtures';
import { submitSignIn } from '../support/journeys';
import { createOperator } from '../support/operators';

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
