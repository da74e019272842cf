import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { installed } from './paths.mjs';
import { freePorts } from './ports.mjs';
import { startService, waitUntilLogged } from './processes.mjs';

/**
 * @typedef {{ port: number, projectId: string, dir: string }} EmulatorOptions
 * @typedef {{ host: string, service: import('./processes.mjs').Service, stop: () => Promise<void> }} Emulator
 */

/**
 * Starts the official Auth emulator. Accounts are saved in `dir` when it stops and loaded again when it starts with
 * the same `dir`.
 * @param {EmulatorOptions} options `dir`: a dedicated folder for configuration, data and logs
 * @returns {Promise<Emulator>} `host` is the value of FIREBASE_AUTH_EMULATOR_HOST
 */
export async function startEmulator({ port, projectId, dir }) {
  mkdirSync(dir, { recursive: true });
  const [hub = 0, logging = 0] = await freePorts(2);
  const config = path.join(dir, 'firebase.json');
  writeFileSync(config, JSON.stringify(configuration({ port, hub, logging }), null, 2));

  const data = path.join(dir, 'data');
  const command = [
    process.execPath,
    ...['--import', new URL('emulator-preload.mjs', import.meta.url).href],
    installed('firebase-tools/lib/bin/firebase.js'),
    ...['emulators:start', '--only', 'auth', '--project', projectId, '--config', config],
    ...['--export-on-exit', data, '--non-interactive'],
    ...(existsSync(data) ? ['--import', data] : []),
  ];
  // Use a dedicated home: the developer's own Firebase login is not used, and several emulators can run side by side.
  const env = {
    ...process.env,
    TMPDIR: dir,
    XDG_CONFIG_HOME: dir,
    FIREBASE_CLI_DISABLE_UPDATE_CHECK: 'true',
    CI: 'true',
  };
  rmSync(path.join(dir, 'auth-emulator.log'), { force: true });
  const service = startService('auth-emulator', command, { cwd: dir, env, logDir: dir });
  // The port responds before saved accounts are imported, so wait for the log line instead.
  await waitUntilLogged(service, 'All emulators ready');
  return { host: `localhost:${port}`, service, stop: service.stop };
}

/** @param {{ port: number, hub: number, logging: number }} ports */
function configuration({ port, hub, logging }) {
  const host = '127.0.0.1';
  return {
    emulators: {
      auth: { host, port },
      hub: { host, port: hub },
      logging: { host, port: logging },
      ui: { enabled: false },
      singleProjectMode: true,
    },
  };
}
