import { randomInt } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import getPort, { clearLockedPorts } from 'get-port';

// This is below the range that operating systems assign to clients and to servers that listen on port 0.
const FIRST = 20_000;
const AFTER_LAST = 32_000;
const RESERVED_MS = 120_000;
/**
 * Holds one file per reserved port, which all processes of this OS user share. get-port's own locks cover one process.
 */
const reserved = path.join(os.tmpdir(), `learner-identity-ports-${process.getuid?.() ?? 0}`);

/** @param {number} port @returns {Promise<boolean>} whether a TCP port of this machine is free */
export async function isPortFree(port) {
  clearLockedPorts();
  return (await getPort({ port })) === port;
}

/**
 * Reserves distinct free ports for two minutes. Test runs start several servers in parallel, and some are slow to
 * listen.
 * @param {number} count
 */
export async function freePorts(count) {
  mkdirSync(reserved, { recursive: true });
  for (const file of readdirSync(reserved).map((name) => path.join(reserved, name))) {
    const { mtimeMs = Infinity } = statSync(file, { throwIfNoEntry: false }) ?? {};
    if (Date.now() - mtimeMs > RESERVED_MS) rmSync(file, { force: true });
  }
  /** @type {number[]} */
  const ports = [];
  while (ports.length < count) {
    const port = randomInt(FIRST, AFTER_LAST);
    if (reserve(port) && (await isPortFree(port))) ports.push(port);
  }
  return ports;
}

/** @param {number} port @returns {boolean} whether the port was not reserved before */
function reserve(port) {
  try {
    writeFileSync(path.join(reserved, String(port)), '', { flag: 'wx' });
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false;
    throw error;
  }
}
