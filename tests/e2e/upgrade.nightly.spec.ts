// Threats: deployment-interruption, split-state
import { expect, test } from '@playwright/test';
import { hasNginx } from '../../scripts/lib/nginx.mjs';
import { findPostgres } from '../../scripts/lib/postgres.mjs';
import { buildRelease, findPreviousRelease } from '../../scripts/lib/previous-release.mjs';
import { hasRedis } from '../../scripts/lib/services.mjs';
import type { Endpoints } from '../../scripts/lib/stack.mjs';
import { startDeployment, type Deployment } from '../support/deployment';
import { startLoad } from '../support/load';
import { findMissing, getBuild, makeOtherBuild, readBuild, type Build } from '../support/other-build';
import { startRefusingMailServer } from '../support/refusing-mail-server';
import { QUEUES, WORK } from '../support/work-left-behind';

const shared = JSON.parse(process.env.E2E_ENDPOINTS ?? '{}') as Endpoints;
const previous = findPreviousRelease();
const missing = Object.entries({ PostgreSQL: findPostgres(), nginx: hasNginx(), Redis: hasRedis() }).find(
  ([, isThere]) => !isThere,
);
const reason = typeof previous === 'string' ? previous : missing && `There is no ${missing[0]}.`;

// The first test builds the previous release.
test.describe.configure({ mode: 'default', timeout: 1_800_000 });
test.skip(reason !== undefined, reason);

const getBuilds = () => ({
  previous: readBuild(typeof previous === 'string' ? '' : buildRelease(previous)),
  present: getBuild(),
});

async function migrate(deployment: Deployment, build: Build): Promise<void> {
  expect((await deployment.runCli(build, 'migrate')).code).toBe(0);
}

for (const [from, to] of [
  ['previous', 'present'],
  ['present', 'previous'],
] as const)
  test(`work of every kind that the ${from} release has begun is finished by the ${to} one`, async () => {
    const builds = getBuilds();
    const deployment = await startDeployment(shared);
    const mailServer = await startRefusingMailServer();
    await migrate(deployment, builds.previous);
    if (from === 'present') await migrate(deployment, builds.present);
    await deployment.start(builds[from], 0);
    const begun: [name: string, finish: () => Promise<void>][] = [];
    for (const [name, leave] of Object.entries(WORK)) begun.push([name, await leave(deployment, builds[from])]);

    await deployment.end(0);
    deployment.webhooks.answer(503);
    deployment.logouts.answer(503);
    await deployment.start(builds[from], 0, { SMTP_URL: mailServer.url });
    for (const [name, leave] of Object.entries(QUEUES)) begun.push([name, await leave(deployment, builds[from])]);
    await deployment.end(0);

    deployment.webhooks.answer(200);
    deployment.logouts.answer(200);
    if (to === 'present') await migrate(deployment, builds.present);
    // Ends the pause after a failed attempt. No process runs now, because it would send them twice.
    for (const table of ['requested_emails', 'notices', 'oidc_logouts'])
      await deployment.query(`update ${table} set due_at = now()`);
    await deployment.start(builds[to], 0);
    for (const [name, finish] of begun) await test.step(name, finish);
    await deployment.stop();
    await mailServer.stop();
  });

test('an upgrade and the way back fail no request, lose no session and no email, double none, and miss no script', async () => {
  const builds = getBuilds();
  const deployment = await startDeployment(shared);
  await migrate(deployment, builds.previous);
  for (const at of [0, 1]) await deployment.start(builds.previous, at);
  const load = startLoad(deployment, () => [builds.previous, builds.present]);

  for (const next of [builds.present, builds.previous]) {
    await migrate(deployment, next);
    for (const at of [0, 1]) {
      await load.letPass(50);
      await deployment.end(at);
      await deployment.start(next, at);
      load.isReleased(next);
    }
    await load.letPass(50);
    for (const build of Object.values(builds)) {
      expect(await findMissing(deployment.origin, build)).toEqual([]);
      // Also without the proxy, which caches files.
      for (const origin of deployment.origins) expect(await findMissing(origin, build)).toEqual([]);
    }
  }
  const { requests, sessions, emails } = await load.end();
  console.log(`${requests.count} requests, ${sessions.count} sessions, ${emails.count} emails`);
  expect(requests.failed).toEqual([]);
  expect(sessions.lost).toEqual([]);
  expect(emails.notOnce).toEqual([]);
  await deployment.stop();
});

test('a script in the database is believed only if the app has written it', async () => {
  const [present, other] = [getBuild(), makeOtherBuild('other')];
  const deployment = await startDeployment(shared);
  await migrate(deployment, present);
  await deployment.start(other, 0);
  await deployment.end(0);
  const forged = other.files[0] ?? '';
  await deployment.query(`update released_files set body = encode('x', 'base64') where path = '${forged}'`);
  await deployment.start(present, 0);
  const { status, headers } = await fetch(`${deployment.origins[0] ?? ''}/_next/static/${forged}`);
  expect([status, headers.get('content-type')]).toEqual([404, 'text/plain; charset=utf-8']);
  await deployment.stop();
});
