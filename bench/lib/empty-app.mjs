import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { installed, root, runDir } from '../../scripts/lib/paths.mjs';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { startService, readTail, waitUntilReady } from '../../scripts/lib/processes.mjs';

const next = installed('next/dist/bin/next');
const ROUTE = '/api/nothing';

/**
 * Builds and starts an app of the same framework with a single API route that does no work.
 * @returns {Promise<{ url: string, stop: () => Promise<void> }>} `url`: of the route
 */
export async function startEmptyApp() {
  const dir = path.join(runDir, 'empty-app');
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(path.join(dir, 'pages', 'api'), { recursive: true });
  writeFileSync(path.join(dir, 'pages', ROUTE + '.js'), 'export default (req, res) => res.status(200).json({});\n');
  const config = { turbopack: { root }, outputFileTracingRoot: root };
  writeFileSync(path.join(dir, 'next.config.js'), `module.exports = ${JSON.stringify(config)};\n`);
  // The framework also runs this project's instrumentation, which would open a database.
  const elsewhere = { SESSION_BACKEND: 'upstream', UPSTREAM_IDENTITY_URL: 'http://localhost:9' };
  const env = { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1', ...elsewhere };
  const build = startService('build', [process.execPath, next, 'build'], { cwd: dir, env, logDir: dir });
  if ((await build.exited) !== 0) throw new Error(`The empty app was not built.\n${readTail(build.logFile, 40)}`);
  const [port = 0] = await freePorts(1);
  const command = [process.execPath, next, 'start', '--port', String(port)];
  const service = startService('app', command, { cwd: dir, env, logDir: dir });
  const url = `http://localhost:${port}${ROUTE}`;
  await waitUntilReady(service, url);
  return { url, stop: service.stop };
}
