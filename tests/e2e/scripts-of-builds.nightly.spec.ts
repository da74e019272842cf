// Threats: deployment-interruption, split-state
import { expect, test } from '@playwright/test';
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { hasNginx, startNginx } from '../../scripts/lib/nginx.mjs';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { createEmptyDatabase, findPostgres, queryDatabase, startOwnPostgres } from '../../scripts/lib/postgres.mjs';
import { waitUntilReady } from '../../scripts/lib/processes.mjs';
import { getBuild, makeOtherBuild, readBuildFile, runBuild, type Build } from '../support/other-build';

test.describe.configure({ timeout: 300_000 });

/** Statuses other than 200, and contents that are not those of the build. */
async function findMissing(origin: string, build: Build): Promise<string[]> {
  const missing: string[] = [];
  for (const file of build.files) {
    const answer = await fetch(`${origin}/_next/static/${file}`);
    if (answer.status !== 200 || (await answer.text()) !== readBuildFile(build, file))
      missing.push(`${String(answer.status)} ${file}`);
  }
  return missing;
}

test('pages of either build have all of their scripts, during an upgrade and a rollback and after both', async () => {
  test.skip(!findPostgres(), 'There is no PostgreSQL server.');
  test.skip(!hasNginx(), 'There is no nginx.');
  const server = await startOwnPostgres();
  const url = await createEmptyDatabase(server.url);
  const [before, after] = [getBuild(), makeOtherBuild('after')];
  const [proxyPort = 0, ...ports] = await freePorts(3);
  const logDir = () => mkdtempSync(path.join(os.tmpdir(), 'scripts-of-builds-'));
  const env = (port: number) => ({
    ...{ NODE_ENV: 'production', HOSTNAME: '127.0.0.1', PORT: String(port), SHUTDOWN_DELAY: '0' },
    ...{ DATABASE_URL: url, FIREBASE_AUTH_EMULATOR_HOST: 'localhost:9' },
    NEXT_PUBLIC_APP_ORIGIN: `http://localhost:${String(proxyPort)}`,
    TOKEN_ENCRYPTION_SECRET: Buffer.alloc(32, 1).toString('base64'),
  });
  const origins = ports.map((port) => `http://127.0.0.1:${String(port)}`);
  const start = async (build: Build, at: number) => {
    const migrate = runBuild(build, ['cli', 'migrate'], env(0), logDir());
    expect(await migrate.exited).toBe(0);
    const service = runBuild(build, ['server.js'], env(ports[at] ?? 0), logDir());
    await waitUntilReady(service, `${origins[at] ?? ''}/api/health/ready`);
    return service;
  };
  const nginx = await startNginx({ port: proxyPort, origins, checkOrigins: origins });
  const all = () => Promise.all([before, after].map((build) => findMissing(nginx.origin, build)));

  // An upgrade, one process after the other.
  let services = [await start(before, 0), await start(before, 1)];
  expect(await findMissing(nginx.origin, before)).toEqual([]);
  for (const at of [0, 1]) {
    await services[at]?.stop();
    services[at] = await start(after, at);
    expect(await all()).toEqual([[], []]);
    // Without the proxy, which keeps what it has seen.
    expect(await findMissing(origins[at] ?? '', before)).toEqual([]);
  }
  // The way back.
  for (const at of [0, 1]) {
    await services[at]?.stop();
    services[at] = await start(before, at);
    expect(await findMissing(origins[at] ?? '', after)).toEqual([]);
    expect(await all()).toEqual([[], []]);
  }

  // What the database holds is believed only if the app has written it.
  const forged = after.files[0] ?? '';
  await queryDatabase(url, `update released_files set body = encode('x', 'base64') where path = '${forged}'`);
  await services[0]?.stop();
  services = [await start(before, 0), ...services.slice(1)];
  const { status, headers } = await fetch(`${origins[0] ?? ''}/_next/static/${forged}`);
  expect([status, headers.get('content-type')]).toEqual([404, 'text/plain; charset=utf-8']);

  await nginx.stop();
  for (const service of services) await service.stop();
  await server.stop();
});
