import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { addCompileHints } from './compile-hints.mjs';
import { installed, root } from './paths.mjs';
import { startService, readTail, waitUntilReady } from './processes.mjs';
import { completeStandalone, getServerFile } from './standalone.mjs';

/** Inputs of a build. */
export const SOURCES = [
  ...['components', 'config', 'lib', 'locales', 'pages', 'public', 'scripts'],
  ...['instrumentation.ts', 'instrumentation-client.ts', 'middleware.ts', 'next.config.js', 'next-i18next.config.js'],
  ...['sentry.client.config.ts', 'sentry.edge.config.ts', 'sentry.server.config.ts'],
  ...['package-lock.json', 'tsconfig.json'],
];
/** Unhandled errors as logged by the app, the framework and the runtime. */
const ACCIDENT = /"level":60|unhandled ?rejection|uncaught ?exception/i;
const next = installed('next/dist/bin/next');

/**
 * Builds the app for production, unless the current source is already built.
 * @param {{ distDir: string, dir: string }} options `distDir`: build folder, below the project; `dir`: folder for its
 *   log
 * @returns {Promise<boolean>} whether a build was needed
 * @throws Error with the end of the build's output when it fails
 */
export async function buildApp({ distDir, dir }) {
  const stamp = path.join(root, distDir, 'source-hash');
  const hash = sourceHash();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return false;

  const env = { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1', NEXT_DIST_DIR: distDir };
  const build = startService('build', [process.execPath, next, 'build'], { cwd: root, env, logDir: dir });
  if ((await build.exited) !== 0) throw new Error(`The build failed.\n${readTail(build.logFile, 40)}`);
  addCompileHints(distDir);
  completeStandalone(distDir);
  mkdirSync(path.dirname(stamp), { recursive: true });
  writeFileSync(stamp, hash);
  return true;
}

/**
 * Starts the built app exactly as it is deployed.
 * @param {{ port: number, distDir: string, dir: string, env: Record<string, string | undefined>, name?: string }} options
 *   `env`: the app's configuration; `dir`: folder for its log
 */
export async function startApp({ port, distDir, dir, env, name = 'app' }) {
  const server = getServerFile(distDir);
  const listen = { NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1', PORT: String(port), HOSTNAME: '0.0.0.0' };
  const service = startService(name, [process.execPath, server], {
    cwd: path.dirname(server),
    env: { ...process.env, ...listen, ...env },
    logDir: dir,
  });
  await waitUntilReady(service, `http://127.0.0.1:${port}/sign-in`);
  return { origin: `http://localhost:${port}`, service, stop: () => stopApp(service) };
}

/**
 * Stops the app and checks its log for unhandled errors.
 * @param {import('./processes.mjs').Service} service
 * @throws Error with those log lines
 */
async function stopApp(service) {
  await service.stop();
  const accidents = readFileSync(service.logFile, 'utf8')
    .split('\n')
    .filter((line) => ACCIDENT.test(line));
  if (accidents.length > 0) throw new Error(`The app did not catch what it should:\n${accidents.join('\n')}`);
}

/**
 * Starts the example platform.
 * @param {{ port: number, identityOrigin: string, dir: string }} options
 */
export async function startPlatform({ port, identityOrigin, dir }) {
  const origin = `http://localhost:${port}`;
  const service = startService('platform', [process.execPath, path.join(root, 'examples/platform/server.mjs')], {
    cwd: root,
    env: { ...process.env, PLATFORM_PORT: String(port), PLATFORM_ORIGIN: origin, IDENTITY_ORIGIN: identityOrigin },
    logDir: dir,
  });
  await waitUntilReady(service, `http://127.0.0.1:${port}/`);
  return { origin, service, stop: service.stop };
}

/** @returns {string} hash that changes when any input of the build changes */
function sourceHash() {
  const hash = createHash('sha256').update(process.version);
  for (const file of SOURCES.flatMap((name) => filesUnder(path.join(root, name))))
    hash.update(path.relative(root, file)).update(readFileSync(file));
  return hash.digest('hex');
}

/** @param {string} place @returns {string[]} */
function filesUnder(place) {
  if (!existsSync(place)) return [];
  if (statSync(place).isFile()) return [place];
  const entries = readdirSync(place, { withFileTypes: true });
  const names = entries.filter(({ name }) => !/\.test\.tsx?$/.test(name)).map(({ name }) => name);
  return names.sort().flatMap((name) => filesUnder(path.join(place, name)));
}
