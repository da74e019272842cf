import { parseArgs } from 'node:util';
import { installed, root } from './paths.mjs';
import { portOf } from './local-ports.mjs';
import { runLocally } from './local-run.mjs';
import { startService, tailOf, waitUntilReady } from './processes.mjs';

/**
 * Runs the app in watch mode with all services it needs.
 * @param {string[]} args `--inspect`: lets a debugger attach to the server
 */
export function runDev(args) {
  const { inspect } = parseArgs({ args, options: { inspect: { type: 'boolean', default: false } } }).values;
  const inspectPort = inspect ? portOf(process.env, 'INSPECT_PORT', 9229) : undefined;
  return runLocally({
    name: 'dev',
    ports: inspectPort === undefined ? {} : { INSPECT_PORT: inspectPort },
    startApp: (options) => startDevApp({ ...options, inspectPort }),
  });
}

/**
 * Starts `next dev`, and compiles the sign-in page before the first request.
 * @param {import('./local-run.mjs').AppOptions & { inspectPort?: number }} options
 */
async function startDevApp({ port, dir, env, inspectPort }) {
  // Use Turbopack, as the build does: next.config.js has its replacements in `turbopack.resolveAlias`, which webpack
  // does not read.
  const command = [installed('next/dist/bin/next'), 'dev', '--turbopack', '--port', String(port)];
  const debug = inspectPort === undefined ? [] : ['--inspect', String(inspectPort)];
  const service = startService('app', [process.execPath, ...command, ...debug], {
    cwd: root,
    env: { ...process.env, NODE_ENV: 'development', NEXT_TELEMETRY_DISABLED: '1', ...env },
    logDir: dir,
  });
  await waitUntilReady(service, `http://127.0.0.1:${port}/sign-in`);
  if (!service.isRunning()) throw new Error(`The app ended while starting.\n${tailOf(service.logFile)}`);
  return { service };
}
