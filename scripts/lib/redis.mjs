import { accessSync, constants, mkdirSync } from 'node:fs';
import path from 'node:path';
import net from 'node:net';
import { startService, waitUntil } from './processes.mjs';

/** @returns {string | undefined} a `redis-server` on the PATH */
export function findRedis() {
  return findOnPath(['redis-server']);
}

/**
 * Starts a Redis server without persistence.
 * @param {{ port: number, dir: string, program?: string }} options
 * @returns {Promise<{ url: string, service: import('./processes.mjs').Service, stop: () => Promise<void> }>}
 */
export async function startRedis({ port, dir, program = findRedis() ?? 'redis-server' }) {
  mkdirSync(dir, { recursive: true });
  const command = [program, '--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const service = startService('redis', command, { cwd: dir, logDir: dir });
  await waitUntil(service, () => accepts(port));
  return { url: `redis://127.0.0.1:${port}`, service, stop: service.stop };
}

/** @param {string[]} names @returns {string | undefined} the first of the programs that is on the PATH */
export function findOnPath(names) {
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter(Boolean);
  return names.flatMap((name) => folders.map((folder) => path.join(folder, name))).find(isExecutable);
}

/** @param {string} file @returns {boolean} */
export function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** @param {number} port @returns {Promise<boolean>} */
function accepts(port) {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.end(() => resolve(true)));
    socket.once('error', () => resolve(false));
  });
}
