// Threats: dependency-failure
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { makeGate } from '../../scripts/lib/gate.mjs';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { createDatabase, findPostgres, startPostgres } from '../../scripts/lib/postgres.mjs';
import { startOtherApp } from '../../scripts/lib/stack.mjs';
import { CookieJar } from '../support/client';
import { expect, test } from '../support/fixtures';
import { signInAtSecurity } from '../support/account-journeys';
import { expectNoViolations } from '../support/axe';

test.describe('on PostgreSQL', () => {
  test.skip(!findPostgres(), 'There is no PostgreSQL server.');

  test('a session goes on while the database is away, and its activity is shown when it is back', async ({
    page,
    endpoints,
    user,
  }) => {
    test.setTimeout(180_000);
    const [port = 0, gatePort = 0] = await freePorts(2);
    const server = await startPostgres({ port, dir: mkdtempSync(path.join(os.tmpdir(), 'postgres-')) });
    const gate = makeGate({ port: gatePort, target: port });
    await gate.open();
    const url = (await createDatabase(server.url)).replace(String(port), String(gatePort));
    const app = await startOtherApp(endpoints, { DATABASE_URL: url });
    const readiness = async () => {
      const response = await fetch(`${app.endpoints.appOrigin}/api/health/ready`);
      const { database } = (await response.json()) as { database: string };
      return [response.status, database];
    };
    await expect.poll(readiness).toEqual([200, 'up']);
    await signInAtSecurity(page, app.endpoints, user);
    const items = page.getByRole('list', { name: 'Account activity' }).getByRole('listitem');
    await expect(items).toHaveCount(1);
    await gate.close();
    await expect.poll(readiness).toEqual([200, 'down']);

    await page.reload();
    await expect(page.getByText("We can't show your activity right now.")).toBeVisible();
    const activity = await page.evaluate(async () => {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch('/api/account/activity', { method: 'POST', headers, body: '{"before":null}' });
      const { code } = (await response.json()) as { code: string };
      return [response.status, code, response.headers.get('retry-after')];
    });
    expect(activity).toEqual([503, 'records-unavailable', '5']);
    await gate.open();
    await expect.poll(readiness).toEqual([200, 'up']);
    await page.reload();
    await expect(items).toHaveCount(1);
    await app.stop();
    await gate.close();
    await server.stop();
  });

  test('a wrong password stops the start with one line', async ({ endpoints }) => {
    const [port = 0] = await freePorts(1);
    const dir = mkdtempSync(path.join(os.tmpdir(), 'postgres-'));
    const server = await startPostgres({ port, dir, auth: 'scram-sha-256' });
    const url = server.url.replace('app@', 'app:planted-password@');
    const failure = await startOtherApp(endpoints, { DATABASE_URL: url }).then(
      () => '',
      (error: Error) => error.message,
    );
    await server.stop();
    expect(failure).toContain(
      '"variable":"DATABASE_URL","problem":"the database cannot be opened: wrong password (28P01)"',
    );
    expect(failure).not.toContain('planted-password');
  });
});

test('lists the newest 20 events, and older ones on request', async ({ page, endpoints, user, accounts }) => {
  await signInAtSecurity(page, endpoints, user);
  const jar = new CookieJar({ origin: endpoints.appOrigin });
  // Each pair is a sign-in and a sign-out.
  for (let i = 0; i < 11; i++) {
    const token = await accounts.idToken(user);
    expect((await jar.post(`${endpoints.appOrigin}/api/create-user-session`, { token })).status).toBe(200);
    expect((await jar.post(`${endpoints.appOrigin}/api/initiate-logout`)).status).toBe(200);
  }
  const items = page.getByRole('list', { name: 'Account activity' }).getByRole('listitem');
  // Events are recorded in the background.
  await expect(async () => {
    await page.goto(`${endpoints.appOrigin}/security`);
    await page.getByRole('button', { name: 'Show all' }).click({ timeout: 10_000 });
    await expect(items).toHaveCount(20, { timeout: 5_000 });
    await expect(items.first()).toContainText('Signed out', { timeout: 1_000 });
  }).toPass();
  const more = page.getByRole('button', { name: 'Show more' });
  await page.route('**/api/account/activity', (route) => route.abort(), { times: 1 });
  await more.click();
  await expect(page.getByRole('alert').filter({ hasText: "We can't show your activity" })).toBeVisible();
  await more.click();
  await expect(items.nth(20)).toBeFocused();
  await expect(items.last()).toContainText('Signed in (password)');
  await expect(items.last()).toContainText(/\d+ minutes? ago, \d+:\d\d [AP]M · Chrome on /);
  await expect(more).toBeHidden();
  await expectNoViolations(page);
});
