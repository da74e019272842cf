import { createHash } from 'node:crypto';
import { cpSync, existsSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { bundlePrograms } from './bundle.mjs';
import { addCompileHints } from './compile-hints.mjs';
import { installed, root, testDistDir } from './paths.mjs';
import { startService, readTail, waitUntilReady } from './processes.mjs';

/** Inputs of a build. */
export const SOURCES = [
  ...['cli', 'components', 'config', 'lib', 'locales', 'migrations', 'pages', 'public', 'scripts'],
  ...['instrumentation.ts', 'instrumentation-client.ts', 'middleware.ts', 'next.config.js', 'next-i18next.config.js'],
  ...['sentry.client.config.ts', 'sentry.edge.config.ts', 'sentry.server.config.ts'],
  ...['package-lock.json', 'tsconfig.json'],
];
/** Files of the project that the server reads at run time, in addition to the build. */
const READ_BY_SERVER = [
  ...['locales', 'migrations', 'next-i18next.config.js', 'node_modules', 'package.json', 'records-template.tar.gz'],
  'server.js',
];
/** Matches unhandled errors as the app, the framework and the runtime log them. */
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

  checkTexts(path.join(root, 'locales'));
  // Runs in a separate process, because it needs 800 MB once.
  const template = startService('template', [process.execPath, path.join(root, 'scripts/records-template.mjs')], {
    cwd: root,
    logDir: dir,
  });
  if ((await template.exited) !== 0) throw new Error(`The build failed.\n${readTail(template.logFile, 40)}`);
  const env = { NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1', NEXT_DIST_DIR: distDir };
  const build = startService('build', [process.execPath, next, 'build'], { cwd: root, env, logDir: dir });
  if ((await build.exited) !== 0) throw new Error(`The build failed.\n${readTail(build.logFile, 40)}`);
  addCompileHints(distDir);
  await completeStandalone(distDir);
  writeFileSync(stamp, hash);
  return true;
}

/**
 * Fails the build if a text file is unreadable, because the server reads these files when it renders a page.
 * @param {string} folder
 * @throws Error that names the first file that is not valid JSON
 */
export function checkTexts(folder) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => name.endsWith('.json')))
    try {
      JSON.parse(readFileSync(path.join(folder, file), 'utf8'));
    } catch (error) {
      throw new Error(`${path.basename(folder)}/${file}: ${String(error)}`, { cause: error });
    }
}

/** @typedef {{ port: number, dir: string, env: Record<string, string | undefined> }} AppOptions
 *   `env`: the app's configuration; `dir`: folder for its log */

/**
 * Starts the built app exactly as it is deployed.
 * @param {AppOptions & { distDir?: string }} options
 * @returns {Promise<import('./processes.mjs').Service>}
 */
export async function startApp({ port, distDir = testDistDir, dir, env }) {
  const server = getServerFile(distDir);
  const listen = { NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1', PORT: String(port), HOSTNAME: '0.0.0.0' };
  const options = {
    cwd: path.dirname(server),
    env: { ...listen, DATABASE_FOLDER: path.join(dir, 'records'), ...env },
    logDir: dir,
  };
  const service = startService('app', [process.execPath, server], options);
  await waitUntilReady(service, `http://127.0.0.1:${port}/sign-in`);
  return { ...service, stop: () => stopApp(service) };
}

/** @param {import('./processes.mjs').Service} service @throws Error with the unhandled errors in its log */
async function stopApp(service) {
  await service.stop();
  const accidents = readFileSync(service.logFile, 'utf8')
    .split('\n')
    .filter((line) => ACCIDENT.test(line));
  if (accidents.length > 0) throw new Error(`The app did not catch what it should:\n${accidents.join('\n')}`);
}

/**
 * Returns the server program of a build. Its environment is PORT, HOSTNAME and the app's configuration. It needs no
 * files outside its own folder.
 * @param {string} distDir build folder, below the project
 */
function getServerFile(distDir) {
  return path.join(root, distDir, 'standalone', 'server.js');
}

/**
 * Completes the standalone folder of a build. The framework leaves out static files that a CDN could serve, so they are
 * added. It also copies everything that code with computed paths could read, which includes this machine's
 * configuration, so that is removed. The framework's server program is loaded by ours (docs/adr/0025), and the
 * command-line tools are added beside it.
 * @param {string} distDir
 */
async function completeStandalone(distDir) {
  const folder = path.dirname(getServerFile(distDir));
  for (const name of readdirSync(folder))
    if (![...READ_BY_SERVER, distDir].includes(name)) rmSync(path.join(folder, name), { recursive: true });
  cpSync(path.join(root, 'public'), path.join(folder, 'public'), { recursive: true });
  cpSync(path.join(root, distDir, 'static'), path.join(folder, distDir, 'static'), { recursive: true });
  renameSync(path.join(folder, 'server.js'), path.join(folder, 'framework-server.js'));
  await bundlePrograms(folder, distDir);
}

/** @returns {string} a hash that changes when any input of the build changes */
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
