import path from 'node:path';
import { root, runDir } from '../../scripts/lib/paths.mjs';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { startService, waitUntilReady } from '../../scripts/lib/processes.mjs';

/**
 * Starts a bare Node.js server with only the necessary work of a session check: it looks up a cookie in a cache, and
 * responds in JSON.
 * @param {string} cookie the `Cookie` header that it knows
 */
export async function startBareServer(cookie) {
  const [port = 0] = await freePorts(1);
  const program = path.join(root, 'bench/lib/bare-server-program.mjs');
  const service = startService('bare-server', [process.execPath, program, String(port), cookie], {
    env: { NODE_ENV: 'production' },
    logDir: path.join(runDir, 'bare-server'),
  });
  const url = `http://localhost:${port}/`;
  await waitUntilReady(service, url);
  return { url, pid: service.pid, stop: service.stop };
}
