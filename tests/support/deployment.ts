import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { makeGate } from '../../scripts/lib/gate.mjs';
import { startNginx } from '../../scripts/lib/nginx.mjs';
import { writeOidcFiles } from '../../scripts/lib/oidc-files.mjs';
import { sampleFiles } from '../../scripts/lib/paths.mjs';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { createEmptyDatabase, queryDatabase, startOwnPostgres } from '../../scripts/lib/postgres.mjs';
import { waitUntilReady, type Service } from '../../scripts/lib/processes.mjs';
import { startRedis } from '../../scripts/lib/services.mjs';
import type { Endpoints } from '../../scripts/lib/stack.mjs';
import { createAccountsClient } from './accounts-client';
import { CookieJar } from './client';
import { startReceiver } from './receiver';
import { runBuild, type Build } from './other-build';
import { longLimits } from './time-limits';

const getPort = (address: string) => Number(new URL(address.includes('//') ? address : `http://${address}`).port);

/**
 * Starts a deployment as operators have it. Processes of any build run behind the shipped nginx, with their own
 * PostgreSQL, Redis, and receivers of webhooks and logout tokens. Accounts and mailbox belong to the shared stack and
 * are behind gates.
 */
export async function startDeployment(shared: Endpoints, variables: Record<string, string> = {}) {
  const [proxyPort = 0, mailPort = 0, providerPort = 0, databasePort = 0, redisPort = 0, ...ports] = await freePorts(9);
  const origins = ports.slice(0, 2).map((port) => `http://127.0.0.1:${String(port)}`);
  const checkOrigins = ports.slice(2).map((port) => `http://127.0.0.1:${String(port)}`);
  const dir = mkdtempSync(path.join(os.tmpdir(), 'deployment-'));
  const gates = {
    mail: makeGate({ port: mailPort, target: getPort(shared.smtpUrl), spare: 50 }),
    provider: makeGate({ port: providerPort, target: getPort(shared.emulatorHost), spare: 240 }),
  };
  const postgres = await startOwnPostgres();
  const startOwnRedis = () => startRedis({ port: redisPort, dir });
  const databaseGate = makeGate({ port: databasePort, target: getPort(postgres.url) });
  await databaseGate.open();
  const [webhooks, logouts] = await Promise.all([
    startReceiver(),
    startReceiver(),
    ...Object.values(gates).map((gate) => gate.open()),
  ]);
  let redis = await startOwnRedis();
  const database = await createEmptyDatabase(postgres.url);
  const startProxy = () => startNginx({ port: proxyPort, origins, checkOrigins });
  let nginx = await startProxy();
  const origin = nginx.origin;
  const school = writeOidcFiles(dir, logouts.port);
  const env: Record<string, string> = {
    ...{ NODE_ENV: 'production', HOSTNAME: '127.0.0.1', LOG_LEVEL: 'info', ...longLimits },
    DATABASE_URL: database.replace(/127\.0\.0\.1:\d+/, `localhost:${String(databasePort)}`),
    ...{ REDIS_URL: redis.url, SMTP_URL: `smtp://127.0.0.1:${String(mailPort)}` },
    FIREBASE_AUTH_EMULATOR_HOST: `localhost:${String(providerPort)}`,
    NEXT_PUBLIC_FIREBASE_PROJECT_ID: shared.projectId,
    ...{ NEXT_PUBLIC_APP_ORIGIN: origin, NEXT_PUBLIC_PLATFORM_ORIGIN: shared.platformOrigin },
    NEXT_PUBLIC_MAIN_DOMAIN: 'localhost',
    TOKEN_ENCRYPTION_SECRET: randomBytes(32).toString('base64'),
    SECOND_FACTOR_SECRET: randomBytes(32).toString('base64'),
    WEBHOOK_URL: `http://localhost:${String(webhooks.port)}/webhooks`,
    WEBHOOK_SECRET: `whsec_${randomBytes(32).toString('base64')}`,
    ...{ RECOVERY_CODE_COST: '4', PROOF_OF_WORK: '0', TRUSTED_PROXY_HOPS: '1' },
    ADMIN_TOKEN: randomBytes(24).toString('base64url'),
    ...sampleFiles,
    ...school.env,
    ...variables,
  };
  const processes: (Service | undefined)[] = [];
  const run = (build: Build, program: string[], more: Record<string, string> = {}, output?: string) =>
    runBuild(build, program, { ...env, ...more }, mkdtempSync(path.join(dir, 'process-')), output);

  const deployment = {
    shared,
    origin,
    /** Origins of the processes, without the proxy. */
    origins,
    checkOrigins,
    database,
    postgres,
    redis: {
      url: redis.url,
      pid: () => redis.pid,
      stop: () => redis.stop(),
      start: async () => void (redis = await startOwnRedis()),
    },
    nginx: { stop: () => nginx.stop(), start: async () => void (nginx = await startProxy()) },
    gates: { ...gates, database: databaseGate },
    env,
    webhooks,
    logouts,
    processes,
    accounts: createAccountsClient(shared),
    school: { secret: school.secret, redirectUri: `http://school.localhost:${String(logouts.port)}/callback` },
    query: (statement: string) => queryDatabase(database, statement),
    newBrowser: () => new CookieJar({ origin, 'sec-fetch-site': 'same-origin' }),
    call: (browser: CookieJar, to: string, body: object = {}) => browser.post(`${origin}/api/${to}`, body),
    /** Runs a command of a build until it ends. */
    runCli: async (build: Build, ...args: string[]) => {
      const service = run(build, ['cli', ...args]);
      return { code: await service.exited, logFile: service.logFile };
    },
    /**
     * Starts the process at a place and waits until it is ready (UPGRADING.md, step 6).
     * @param output destination of its log, in shell syntax
     */
    start: async (build: Build, at: number, more: Record<string, string> = {}, output?: string) => {
      const ports = {
        PORT: String(getPort(origins[at] ?? '')),
        CHECK_PORT: String(getPort(checkOrigins[at] ?? '')),
      };
      const service = run(build, ['server.js'], { ...ports, ...more }, output);
      processes[at] = service;
      await waitUntilReady(service, `${origins[at] ?? ''}/api/health/ready`);
    },
    /** Ends the process at a place, as an orchestrator does. */
    end: async (at: number) => {
      const service = processes[at];
      if (service) process.kill(service.pid, 'SIGTERM');
      await service?.exited;
    },
    stop: async () => {
      const all = [...Object.values(gates), databaseGate];
      await Promise.all(all.map((gate) => gate.setMode('healthy')));
      await Promise.all(processes.flatMap((each) => each?.stop() ?? []));
      await Promise.all([nginx.stop(), redis.stop(), postgres.stop(), webhooks.stop(), logouts.stop()]);
      await Promise.all(all.map((gate) => gate.close()));
    },
  };
  return deployment;
}

export type Deployment = Awaited<ReturnType<typeof startDeployment>>;
