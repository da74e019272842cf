import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { installed } from './paths.mjs';
import { freePorts } from './ports.mjs';
import { startService, waitUntilLogged } from './processes.mjs';

/**
 * @typedef {{ port: number, projectId: string, dir: string }} EmulatorOptions
 * @typedef {{ host: string, service: import('./processes.mjs').Service, stop: () => Promise<void> }} Emulator
 */

/**
 * Starts the official Auth emulator, without accounts.
 * @param {EmulatorOptions} options `dir`: a dedicated folder for configuration and logs
 * @returns {Promise<Emulator>} `host` is the value of FIREBASE_AUTH_EMULATOR_HOST
 */
export async function startEmulator({ port, projectId, dir }) {
  mkdirSync(dir, { recursive: true });
  const [hub = 0, logging = 0] = await freePorts(2);
  const config = path.join(dir, 'firebase.json');
  const host = '127.0.0.1';
  const emulators = {
    ...{ auth: { host, port }, hub: { host, port: hub }, logging: { host, port: logging } },
    ...{ ui: { enabled: false }, singleProjectMode: true },
  };
  writeFileSync(config, JSON.stringify({ emulators }));

  const command = [
    process.execPath,
    ...['--import', new URL('emulator-preload.mjs', import.meta.url).href],
    installed('firebase-tools/lib/bin/firebase.js'),
    ...['emulators:start', '--only', 'auth', '--project', projectId, '--config', config, '--non-interactive'],
  ];
  // Use a dedicated home: the developer's own Firebase login is not used, and several emulators can run side by side.
  const env = {
    ...process.env,
    TMPDIR: dir,
    XDG_CONFIG_HOME: dir,
    FIREBASE_CLI_DISABLE_UPDATE_CHECK: 'true',
    CI: 'true',
  };
  const service = startService('auth-emulator', command, { cwd: dir, env, logDir: dir });
  await waitUntilLogged(service, 'All emulators ready');
  return { host: `localhost:${port}`, service, stop: service.stop };
}
