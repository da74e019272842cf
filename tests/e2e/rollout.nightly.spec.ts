// Threats: deployment-interruption, split-state
import { expect, test } from '@playwright/test';
import { mkdtempSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { NEW_PASSWORD } from '../support/account-journeys';
import { createAccountsClient } from '../support/accounts-client';
import { CookieJar } from '../support/client';
import { codeIn, mailsBesidesAlerts } from '../support/mail';
import { root, testDistDir } from '../../scripts/lib/paths.mjs';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { createDatabase, findPostgres, startOwnPostgres } from '../../scripts/lib/postgres.mjs';
import { startService } from '../../scripts/lib/processes.mjs';
import { startOtherApp, type Endpoints } from '../../scripts/lib/stack.mjs';

const shared = JSON.parse(process.env.E2E_ENDPOINTS ?? '{}') as Endpoints;
test.describe.configure({ timeout: 300_000 });

for (const signal of ['SIGTERM', 'SIGHUP'] as const)
  test(`on ${signal} a process is not ready first, accepts connections for SHUTDOWN_DELAY, and then ends`, async () => {
    const { endpoints, ...service } = await startOtherApp(shared, { SHUTDOWN_DELAY: '60', LOG_LEVEL: 'info' });
    const getStatus = async (path: string) => (await fetch(`${endpoints.appOrigin}/api/health/${path}`)).status;
    expect(await getStatus('ready')).toBe(200);
    process.kill(service.pid, signal);
    await expect.poll(() => getStatus('ready')).toBe(503);
    expect(await getStatus('live')).toBe(200);
    const { status, headers } = await fetch(`${endpoints.appOrigin}/sign-in`);
    // If the proxy kept the connection, it could send a request just as the process closes it.
    expect([status, headers.get('connection')]).toEqual([200, 'close']);
    // A second signal ends the delay.
    process.kill(service.pid, signal);
    expect(await service.exited).toBe(0);
    const log = readFileSync(service.logFile, 'utf8');
    const messages = [...log.matchAll(/"msg":"([^"]+)"/g)].map(([, message]) => message);
    expect(messages).toEqual(
      expect.arrayContaining(['started', 'shutting down: not ready', 'draining: no new connections', 'stopped']),
    );
  });

test('a process that a locked table holds up is live, not ready, and gets no request', async () => {
  test.skip(!findPostgres(), 'There is no PostgreSQL server.');
  const server = await startOwnPostgres();
  const url = await createDatabase(server.url);
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  await holder.query('begin');
  await holder.query('lock table passkeys in access exclusive mode');
  const [port = 0, checkPort = 0] = await freePorts(2);
  const service = startService('held', [process.execPath, 'server.js'], {
    cwd: path.join(root, testDistDir, 'standalone'),
    env: {
      ...{ NODE_ENV: 'production', HOSTNAME: '127.0.0.1', PORT: String(port), CHECK_PORT: String(checkPort) },
      ...{ DATABASE_URL: url, FIREBASE_AUTH_EMULATOR_HOST: shared.emulatorHost },
      NEXT_PUBLIC_APP_ORIGIN: `http://localhost:${String(port)}`,
      TOKEN_ENCRYPTION_SECRET: Buffer.alloc(32, 1).toString('base64'),
    },
    logDir: mkdtempSync(path.join(os.tmpdir(), 'held-')),
  });
  const ask = (at: number, target: string, method = 'GET') =>
    fetch(`http://127.0.0.1:${String(at)}${target}`, { method }).then(
      ({ status, headers }) => [status, headers.get('content-type') === null ? '' : 'answered'],
      () => ['no answer'],
    );
  await expect.poll(() => ask(checkPort, '/api/health/live')).toEqual([200, 'answered']);
  expect(await ask(checkPort, '/api/health/ready')).toEqual([503, 'answered']);
  // A proxy repeats a check elsewhere if it got no response or the connection was refused.
  expect(await ask(checkPort, '/api/check-auth-status', 'POST')).toEqual(['no answer']);
  expect(await ask(port, '/api/health/live')).toEqual(['no answer']);
  await holder.query('rollback');
  await expect.poll(() => ask(port, '/sign-in')).toEqual([200, 'answered']);
  expect(await ask(checkPort, '/api/health/ready')).toEqual([200, 'answered']);
  expect(await ask(checkPort, '/api/check-auth-status', 'POST')).toEqual([401, 'answered']);
  await service.stop();
  await holder.end();
  await server.stop();
});

test('a code of one process works on another while the encryption secret is replaced', async () => {
  const [old, next] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64'));
  const [before, after] = await Promise.all(
    [`${old},${next}`, `${next},${old}`].map((secrets) =>
      startOtherApp(shared, { TOKEN_ENCRYPTION_SECRET: secrets, NEXT_PUBLIC_APP_ORIGIN: shared.appOrigin }),
    ),
  );
  for (const [issuing, redeeming] of [
    [before, after],
    [after, before],
  ]) {
    const { email } = await createAccountsClient(shared).create();
    const [from = '', to = ''] = [issuing?.endpoints.appOrigin, redeeming?.endpoints.appOrigin];
    const jar = new CookieJar({ origin: shared.appOrigin });
    expect((await jar.post(`${from}/api/password-reset`, { email })).status).toBe(200);
    const [mail] = await mailsBesidesAlerts(shared, email);
    const body = { code: codeIn(mail ?? { text: '' }), password: NEW_PASSWORD };
    expect((await jar.post(`${to}/api/password-reset/confirm`, body)).status).toBe(200);
  }
  await Promise.all([before?.stop(), after?.stop()]);
});
