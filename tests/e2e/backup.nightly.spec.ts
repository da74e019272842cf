// Threats: dependency-failure, split-state
import { expect, test } from '@playwright/test';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { hasNginx } from '../../scripts/lib/nginx.mjs';
import { createEmptyDatabase, findPostgres, queryDatabase } from '../../scripts/lib/postgres.mjs';
import { hasRedis } from '../../scripts/lib/services.mjs';
import type { Endpoints } from '../../scripts/lib/stack.mjs';
import type { TestUser } from '../support/accounts-client';
import type { CookieJar } from '../support/client';
import { startDeployment, type Deployment } from '../support/deployment';
import { readCommands, readDocument } from '../support/documents';
import { scheduleFactorReset } from '../support/factor-reset-journeys';
import { readMailbox } from '../support/mail';
import { getBuild } from '../support/other-build';
import { scheduleDeletion } from '../support/scheduled-deletion';
import { enrolApp } from '../support/second-factor';

const shared = JSON.parse(process.env.E2E_ENDPOINTS ?? '{}') as Endpoints;
test.describe.configure({ timeout: 600_000 });
test.skip(!findPostgres() || !hasNginx() || !hasRedis(), 'PostgreSQL, nginx or Redis is missing.');

/** Runs the lines of docs/operate/README.md that begin with a program, as operators copy them. */
async function runDocumented(program: string, env: Record<string, string>): Promise<void> {
  const lines = readCommands(readDocument('operate/backup-and-restore.md')).flatMap((commands) => commands.split('\n'));
  const found = lines.filter((line) => line.startsWith(`${program} `));
  expect(found).toHaveLength(1);
  const cwd = env.FOLDER ?? '';
  // Asynchronous, because the program connects through this process.
  await promisify(execFile)('bash', ['-ec', found[0] ?? ''], {
    cwd,
    env: { ...process.env, ...env, PATH: `${findPostgres() ?? ''}:/usr/bin:/bin` },
  });
}

async function signIn(deployment: Deployment) {
  const [user, browser] = [await deployment.accounts.create(), deployment.newBrowser()];
  const token = await deployment.accounts.idToken(user);
  expect((await deployment.call(browser, 'create-user-session', { token })).status).toBe(200);
  return { user, browser };
}
type SignedIn = Awaited<ReturnType<typeof signIn>>;

const check = async ({ call }: Deployment, { browser }: { browser: CookieJar }) =>
  (await call(browser, 'check-auth-status')).status;
test('a database that was dumped and restored is reconciled with what happened since', async () => {
  const [deployment, build] = [await startDeployment(shared), getBuild()];
  const endpoints = { ...shared, appOrigin: deployment.origin };
  const { accounts, call, env } = deployment;
  const run = async (...args: string[]) => {
    const { code, logFile } = await deployment.runCli(build, ...args);
    return { code, text: readFileSync(logFile, 'utf8') };
  };
  expect((await run('migrate')).code).toBe(0);
  await deployment.start(build, 0);
  const [staying, leaving, changing, going] = [
    await signIn(deployment),
    await signIn(deployment),
    await signIn(deployment),
    await signIn(deployment),
  ];
  const [keeping, resetting] = [{ user: await accounts.create() }, { user: await accounts.create() }];
  await scheduleDeletion(endpoints, keeping.user);
  await enrolApp(endpoints, resetting.user);
  await scheduleFactorReset(endpoints, resetting.user);
  // Counts the reminders that the owner has received.
  const reminders = async () =>
    (await readMailbox(shared, keeping.user.email)).filter(({ subject }) => /^Reminder/.test(subject)).length;
  const times = ['requested_at', 'effective_at', 'signed_out_at', 'due_at'].map(
    (name) => `${name} = ${name} - interval '6 days 1 hour'`,
  );
  await expect.poll(() => deployment.query('select 1 from deletions where signed_out_at is not null')).toHaveLength(1);
  await deployment.query(`update deletions set ${times.join(', ')}`);
  await expect.poll(reminders).toBe(1);

  const folder = mkdtempSync(path.join(os.tmpdir(), 'backup-'));
  const restored = await createEmptyDatabase(deployment.postgres.url);
  const variables = { FOLDER: folder, DATABASE_URL: env.DATABASE_URL ?? '', RESTORED_URL: restored };
  await runDocumented('pg_dump', variables);

  // Changes since the backup:
  expect((await call(leaving.browser, 'initiate-logout')).status).toBe(200);
  const body = { current: changing.user.password, password: 'quiet-lantern-42' };
  const other = changing.browser.copy();
  expect((await call(changing.browser, 'account/password', body)).status).toBe(200);
  await accounts.remove(going.user);
  await deployment.query('delete from deletions');
  await deployment.end(0);

  await runDocumented('pg_restore', variables);
  env.DATABASE_URL = restored;
  expect((await run('migrate')).text).toContain('All migrations were applied before');
  const before = await queryDatabase(restored, 'select * from sessions order by id');
  const shown = await run('reconcile');
  expect([shown.code, shown.text]).toEqual([0, expect.stringContaining('Nothing was changed: add --yes.')]);
  expect(await queryDatabase(restored, 'select * from sessions order by id')).toEqual(before);
  const lines = (text: string) => text.split('\n').filter((line) => /^\d+ /.test(line));
  const named = (people: (SignedIn | { user: TestUser })[], what: string) =>
    expect.stringMatching(
      new RegExp(`^${String(people.length)} ${what}${people.map(({ user }) => `(?=.*[( ]${user.uid}[,)])`).join('')}`),
    );
  expect(lines(shown.text)).toEqual([
    named([going], 'deleted at the identity provider'),
    named([changing], 'with sessions that were revoked'),
    // A new password also marks sessions as signed out.
    named([leaving, changing], 'with sessions that were signed out'),
    named([keeping], 'with a deletion'),
    named([resetting], 'with a reset'),
  ]);
  const done = await run('reconcile', '--yes');
  expect([done.code, done.text]).toEqual([0, expect.stringContaining('Done.')]);
  expect((await run('reconcile')).text).toContain('Nothing to do.');

  await deployment.start(build, 0);
  expect(await Promise.all([staying, leaving, { browser: other }].map((each) => check(deployment, each)))).toEqual([
    200, 401, 401,
  ]);
  expect(await queryDatabase(restored, `select 1 from accounts where uid = '${going.user.uid}'`)).toEqual([]);
  const told = () => deployment.webhooks.accepted.filter((event) => event.includes(going.user.uid)).join();
  await expect.poll(told).toContain('account.deleted');
  expect(await queryDatabase(restored, 'select 1 from factor_resets')).toEqual([]);
  // The owner who had kept the account is reminded a day before the deletion, and can keep it again.
  await expect.poll(reminders).toBe(2);
  expect(
    await queryDatabase(restored, "select 1 from deletions where effective_at > now() + interval '23 hours'"),
  ).toHaveLength(1);
  await deployment.end(0);

  // Redis has lost its data, too.
  const everybody = await run('reconcile', '--end-sessions', '--yes');
  expect([everybody.code, everybody.text]).toEqual([0, expect.stringContaining('Done.')]);
  await deployment.start(build, 0);
  expect(await check(deployment, staying)).toBe(401);
  await deployment.stop();
});
