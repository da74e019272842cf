// Threats: dependency-failure
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { makeGate } from '../../scripts/lib/gate.mjs';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { createDatabase, findPostgres, startPostgres } from '../../scripts/lib/postgres.mjs';
import { startOtherApp } from '../../scripts/lib/stack.mjs';
import { post } from '../support/client';
import { expect, test } from '../support/fixtures';
import { signInAtSecurity } from '../support/account-journeys';

test('shows no activity where no records are kept', async ({ page, endpoints, user }) => {
  const app = await startOtherApp(endpoints, { DATABASE_FOLDER: 'off' });
  await signInAtSecurity(page, app.endpoints, user);
  await expect(page.getByRole('heading', { name: 'Sign-in methods' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Account activity' })).toHaveCount(0);
  await app.stop();
});

test.describe('on PostgreSQL', () => {
  test.skip(!findPostgres(), 'There is no PostgreSQL server.');

  test('sign-in goes on while the database is away, and events are recorded when it is back', async ({
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
    await gate.close();
    await expect.poll(readiness).toEqual([200, 'down']);

    await signInAtSecurity(page, app.endpoints, user);
    await expect(page.getByText("We can't show your activity right now.")).toBeVisible();
    const activity = await page.evaluate(async () => {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch('/api/account/activity', { method: 'POST', headers, body: '{"before":null}' });
      const { code } = (await response.json()) as { code: string };
      return [response.status, code, response.headers.get('retry-after')];
    });
    expect(activity).toEqual([503, 'records-unavailable', '5']);
    const readMetrics = async () => {
      const headers = { authorization: `Bearer ${app.endpoints.adminToken}` };
      return (await fetch(`${app.endpoints.appOrigin}/api/metrics`, { headers })).text();
    };
    // Once the sign-in was not recorded when it was tried again.
    await expect.poll(readMetrics, { timeout: 120_000 }).toMatch(/^security_events_lost_total 1$/m);
    expect(await readMetrics()).toMatch(/^database_connections\{state="waiting"\} 0$/m);

    await gate.open();
    await expect.poll(readiness).toEqual([200, 'up']);
    const { origin } = new URL(app.endpoints.appOrigin);
    const cookie = (await page.context().cookies()).find(({ name }) => name === '_secure-user-session')?.value ?? '';
    // The page would notice, and leave for sign-in.
    await page.goto('about:blank');
    expect((await post(`${origin}/api/initiate-logout`, { cookie, headers: { origin } })).status).toBe(200);
    await signInAtSecurity(page, app.endpoints, user);
    const items = page.getByRole('list', { name: 'Account activity' }).getByRole('listitem');
    // The sign-out was of an account without records: it creates none.
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
