import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { buildApp, startApp } from './app.mjs';
import { makeGate } from './gate.mjs';
import { runDir, sampleFiles, testDistDir } from './paths.mjs';
import { freePorts } from './ports.mjs';
import { createDatabase, findPostgres, startOwnPostgres } from './postgres.mjs';
import { seed } from './seed.mjs';
import { getSchoolOrigin, writeOidcFiles } from './oidc-files.mjs';
import { PROJECT_ID, startEmulator, startMailbox, startPlatform, startSchool } from './services.mjs';

/** Default ports, by the variable that overrides each. */
export const PORTS = {
  ...{ APP_PORT: 3000, PLATFORM_PORT: 3001, CHECK_PORT: 3002, SCHOOL_PORT: 3003 },
  ...{ EMULATOR_PORT: 9099, SMTP_PORT: 1025, MAILBOX_PORT: 1080 },
};

/**
 * @typedef {{ appOrigin: string, platformOrigin: string, schoolOrigin: string, checkOrigin: string, mailboxUrl: string,
 * emulatorHost: string, smtpUrl: string, projectId: string, adminToken: string, locales?: string, databaseServer?:
 * string }} Endpoints plain data, which the setup passes to the workers. `locales`: `LOCALES` of the app and of apps
 * that are started beside it. `databaseServer`: the server on which each of these apps has a database
 * @typedef {Awaited<ReturnType<typeof startStack>>} Stack
 */

/**
 * Starts everything the product needs on this machine: the emulator with the sample users, the mailbox, the app and the
 * example platform.
 * @param {{ ports: typeof PORTS, dir: string, start: (options: import('./app.mjs').AppOptions) => ReturnType<typeof
 * startApp>, env?: Record<string, string>, gatePort?: number }} options `dir`: folder for logs and data. `start`:
 * starts the app. `env`: overrides of the app's configuration. `gatePort`: port through which the app reaches the
 * emulator, if not directly
 */
export async function startServices({ ports, dir, start, env: more = {}, gatePort = ports.EMULATOR_PORT }) {
  const at = (/** @type {number} */ port) => `http://localhost:${port}`;
  const endpoints = {
    ...{ appOrigin: at(ports.APP_PORT), platformOrigin: at(ports.PLATFORM_PORT), mailboxUrl: at(ports.MAILBOX_PORT) },
    checkOrigin: at(ports.CHECK_PORT),
    ...{ emulatorHost: `localhost:${gatePort}`, smtpUrl: `smtp://127.0.0.1:${ports.SMTP_PORT}`, projectId: PROJECT_ID },
  };
  const school = writeOidcFiles(dir, ports.SCHOOL_PORT);
  /** @type {Record<string, string>} */
  const env = { ...buildLocalEnv(endpoints), CHECK_PORT: String(ports.CHECK_PORT), ...school.env, ...more };
  const startSeeded = async () => {
    const emulator = await startEmulator({ port: ports.EMULATOR_PORT, dir: path.join(dir, 'emulator') });
    await seed({ host: emulator.host, projectId: PROJECT_ID });
    return emulator;
  };
  // All start in parallel, because no service calls another during startup.
  const [app, ...others] = await Promise.all([
    start({ port: ports.APP_PORT, dir, env }),
    startSeeded(),
    startMailbox({ smtpPort: ports.SMTP_PORT, webPort: ports.MAILBOX_PORT, dir }),
    startPlatform({
      port: ports.PLATFORM_PORT,
      identityOrigin: endpoints.appOrigin,
      checkOrigin: endpoints.checkOrigin,
      webhookSecret: env.WEBHOOK_SECRET ?? '',
      dir,
    }),
    startSchool({ port: ports.SCHOOL_PORT, identityOrigin: endpoints.appOrigin, secret: school.secret, dir }),
  ]);
  return {
    endpoints: { ...endpoints, schoolOrigin: getSchoolOrigin(ports.SCHOOL_PORT), adminToken: env.ADMIN_TOKEN ?? '' },
    app,
    others,
  };
}

/** @returns {Promise<typeof PORTS>} a free port for each service */
export async function chooseFreePorts() {
  const names = Object.keys(PORTS);
  const ports = await freePorts(names.length);
  return /** @type {typeof PORTS} */ (Object.fromEntries(names.map((name, i) => [name, ports[i]])));
}

/**
 * Starts the whole built product on free ports.
 * @param {{ name: string, env?: Record<string, string>, prefersPostgres?: boolean }} options `name`: name of the folder
 * for logs and data. `env`: overrides of the local default. `prefersPostgres`: store records in PostgreSQL if this
 * machine has it, also for apps that are started beside this app. Starting an embedded database takes more CPU time
 * than everything else in an app
 */
export async function startStack({ name, env, prefersPostgres = false }) {
  await buildApp({ distDir: testDistDir, dir: runDir });
  const dir = path.join(runDir, name);
  rmSync(dir, { recursive: true, force: true });
  const [ports, [gatePort = 0]] = await Promise.all([chooseFreePorts(), freePorts(1)]);
  const gate = makeGate({ port: gatePort, target: ports.EMULATOR_PORT });
  await gate.open();
  const database = prefersPostgres && findPostgres() ? await startOwnPostgres() : null;
  const variables = { ...(database && { DATABASE_URL: await createDatabase(database.url) }), ...env };
  const { endpoints, app, others } = await startServices({ ports, dir, start: startApp, env: variables, gatePort });
  return {
    endpoints: { ...endpoints, ...(database && { databaseServer: database.url }) },
    appLog: app.logFile,
    /** Makes the identity provider unreachable and reachable again. A restart would revoke every session. */
    provider: { stop: gate.close, start: gate.open },
    stop: async () => {
      await app.stop();
      await Promise.all([gate.close(), database?.stop(), ...others.map((service) => service.stop())]);
    },
  };
}

/**
 * Starts another deployment of the app beside a stack's, with its accounts and platform. `CHECK_PORT` among the
 * variables gives it a second listener.
 * @param {Endpoints} shared
 * @param {Record<string, string | undefined>} variables overrides of the local default
 */
export async function startOtherApp(shared, variables) {
  const [port = 0] = await freePorts(1);
  const appOrigin = `http://localhost:${port}`;
  const { databaseServer } = shared;
  const hasOwnRecords = 'DATABASE_URL' in variables || 'DATABASE_FOLDER' in variables;
  /** @type {Record<string, string>} */
  const records = databaseServer && !hasOwnRecords ? { DATABASE_URL: await createDatabase(databaseServer) } : {};
  const env = { ...buildLocalEnv({ ...shared, appOrigin }), ...records, ...variables };
  const app = await startApp({ port, dir: mkdtempSync(path.join(os.tmpdir(), 'app-')), env });
  const checkOrigin = `http://localhost:${env.CHECK_PORT ?? ''}`;
  const locales = env.LOCALES ? { locales: env.LOCALES } : {};
  return { ...app, endpoints: { ...shared, ...locales, appOrigin, checkOrigin, adminToken: env.ADMIN_TOKEN ?? '' } };
}

/**
 * Returns the configuration of an app that uses the emulator, the local mailbox and the example platform.
 * @param {Omit<Endpoints, 'adminToken' | 'mailboxUrl' | 'schoolOrigin' | 'checkOrigin'>} endpoints
 * @returns {Record<string, string>}
 */
function buildLocalEnv({ appOrigin, platformOrigin, emulatorHost, smtpUrl, projectId, locales }) {
  return {
    ...(locales && { LOCALES: locales }),
    NEXT_PUBLIC_APP_ORIGIN: appOrigin,
    NEXT_PUBLIC_PLATFORM_ORIGIN: platformOrigin,
    NEXT_PUBLIC_MAIN_DOMAIN: 'localhost',
    NEXT_PUBLIC_FIREBASE_PROJECT_ID: projectId,
    FIREBASE_AUTH_EMULATOR_HOST: emulatorHost,
    SMTP_URL: smtpUrl,
    TOKEN_ENCRYPTION_SECRET: randomBytes(32).toString('base64'),
    SECOND_FACTOR_SECRET: randomBytes(32).toString('base64'),
    WEBHOOK_URL: `${platformOrigin}/webhooks`,
    WEBHOOK_SECRET: `whsec_${randomBytes(32).toString('base64')}`,
    ...sampleFiles,
    SHUTDOWN_DELAY: '0',
    ADMIN_TOKEN: randomBytes(24).toString('base64url'),
  };
}
