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
 * Starts the official Auth emulator. People are kept in `dir` when it stops and are there again when it
 * starts with the same `dir`.
 * @param {EmulatorOptions} options `dir`: a folder of its own for configuration, data and logs
 * @returns {Promise<Emulator>} `host` is what FIREBASE_AUTH_EMULATOR_HOST wants
 */
export async function startEmulator({ port, projectId, dir }) {
  mkdirSync(dir, { recursive: true });
  const [hub = 0, logging = 0] = await freePorts(2);
  const config = path.join(dir, 'firebase.json');
  writeFileSync(config, JSON.stringify(configuration({ port, hub, logging }), null, 2));

  const data = path.join(dir, 'data');
  const command = [
    process.execPath,
    installed('firebase-tools/lib/bin/firebase.js'),
    ...['emulators:start', '--only', 'auth', '--project', projectId, '--config', config],
    ...['--export-on-exit', data, '--non-interactive'],
    ...(existsSync(data) ? ['--import', data] : []),
  ];
  // Its own home: no sign-in of the developer's is used, and several run side by side.
  const env = {
    ...process.env,
    TMPDIR: dir,
    XDG_CONFIG_HOME: dir,
    FIREBASE_CLI_DISABLE_UPDATE_CHECK: 'true',
    CI: 'true',
  };
  rmSync(path.join(dir, 'auth-emulator.log'), { force: true });
  const service = startService('auth-emulator', command, { cwd: dir, env, logDir: dir });
  // It answers before the people of its last life are back, so its own word is waited for.
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
