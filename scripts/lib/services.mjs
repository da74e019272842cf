import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { getSchoolOrigin } from './oidc-files.mjs';
import { installed, root } from './paths.mjs';
import { freePorts } from './ports.mjs';
import { startService, waitUntilLogged, waitUntilReady } from './processes.mjs';
import { findOnPath } from './system-packages.mjs';

export const PROJECT_ID = 'demo-campus';
const host = '127.0.0.1';

/**
 * Starts the official Auth emulator without accounts.
 * @param {{ port: number, dir: string }} options `dir`: a dedicated folder for configuration and logs
 */
export async function startEmulator({ port, dir }) {
  mkdirSync(dir, { recursive: true });
  const [hub = 0, logging = 0] = await freePorts(2);
  const config = path.join(dir, 'firebase.json');
  const emulators = {
    ...{ auth: { host, port }, hub: { host, port: hub }, logging: { host, port: logging } },
    ...{ ui: { enabled: false }, singleProjectMode: true },
  };
  writeFileSync(config, JSON.stringify({ emulators }));
  const command = [
    ...[process.execPath, '--import', new URL('emulator-preload.mjs', import.meta.url).href],
    ...[installed('firebase-tools/lib/bin/firebase.js'), 'emulators:start', '--only', 'auth'],
    ...['--project', PROJECT_ID, '--config', config, '--non-interactive'],
  ];
  // With a dedicated home, the developer's own Firebase login is not used, and several emulators can run in parallel.
  const env = { TMPDIR: dir, XDG_CONFIG_HOME: dir, FIREBASE_CLI_DISABLE_UPDATE_CHECK: 'true', CI: 'true' };
  const service = startService('auth-emulator', command, { cwd: dir, env, logDir: dir });
  await waitUntilLogged(service, 'All emulators ready');
  return { ...service, host: `localhost:${port}` };
}

/**
 * Starts a mailbox that catches all email: an SMTP server with a web page and an API (`GET /email`).
 * @param {{ smtpPort: number, webPort: number, dir: string }} options
 */
export async function startMailbox({ smtpPort, webPort, dir }) {
  const addresses = ['--smtp', String(smtpPort), '--web', String(webPort), '--ip', host, '--web-ip', host];
  const command = [process.execPath, installed('maildev/bin/maildev'), ...addresses, '--silent'];
  const service = startService('mailbox', command, { logDir: dir });
  await waitUntilReady(service, `http://${host}:${webPort}/email`);
  return { ...service, smtpUrl: `smtp://${host}:${smtpPort}`, url: `http://localhost:${webPort}` };
}

/**
 * Starts the example platform.
 * @param {{ port: number, identityOrigin: string, checkOrigin: string, webhookSecret: string, dir: string }} options
 */
export async function startPlatform({ port, identityOrigin, checkOrigin, webhookSecret, dir }) {
  const origin = `http://localhost:${port}`;
  const env = {
    PLATFORM_PORT: String(port),
    PLATFORM_ORIGIN: origin,
    IDENTITY_ORIGIN: identityOrigin,
    CHECK_ORIGIN: checkOrigin,
    WEBHOOK_SECRET: webhookSecret,
  };
  const command = [process.execPath, path.join(root, 'examples/platform/server.mjs')];
  const service = startService('platform', command, { cwd: root, env, logDir: dir });
  await waitUntilReady(service, `http://${host}:${port}/`);
  return service;
}

/**
 * Starts the example school, which signs in its learners by OpenID Connect.
 * @param {{ port: number, identityOrigin: string, secret: string, dir: string, origin?: string }} options
 */
export async function startSchool({ port, identityOrigin, secret, dir, origin = getSchoolOrigin(port) }) {
  const env = {
    SCHOOL_PORT: String(port),
    SCHOOL_ORIGIN: origin,
    OIDC_ISSUER: `${identityOrigin}/api/oidc`,
    OIDC_CLIENT_SECRET: secret,
  };
  const command = [process.execPath, path.join(root, 'examples/school/server.mjs')];
  const service = startService('school', command, { cwd: root, env, logDir: dir });
  await waitUntilLogged(service, 'School on');
  return service;
}

/** Returns whether `redis-server` is on the PATH. */
export const hasRedis = () => findOnPath('redis-server') !== undefined;

/** Starts a Redis server without persistence. @param {{ port: number, dir: string }} options */
export async function startRedis({ port, dir }) {
  const command = ['redis-server', '--port', String(port), '--bind', host, '--save', '', '--appendonly', 'no'];
  mkdirSync(dir, { recursive: true });
  const service = startService('redis', command, { cwd: dir, logDir: dir });
  await waitUntilLogged(service, 'Ready to accept connections');
  return { ...service, url: `redis://${host}:${port}` };
}
