import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { commandOf } from './ports.mjs';
import { signalGroup } from './processes.mjs';

/** @typedef {{ pid: number, appOrigin: string, services: number[] }} DemoState */

/** @param {string} dir @param {DemoState} state */
export function rememberDemo(dir, state) {
  mkdirSync(dir, { recursive: true });
  writeFileSync(stateFile(dir), JSON.stringify(state));
}

/** @param {string} dir */
export function forgetDemo(dir) {
  rmSync(stateFile(dir), { force: true });
}

/**
 * @param {string} dir
 * @param {string} [script] part of the command line of processes started from there
 * @returns {DemoState | undefined} the demo that runs from this folder now
 */
export function runningDemo(dir, script = 'demo.mjs') {
  const state = read(dir);
  return state && isAlive(state.pid, script) ? state : undefined;
}

/**
 * Stops the processes left running by a demo that was killed before it could stop them.
 * @param {string} dir
 */
export function stopLeftovers(dir) {
  for (const pid of read(dir)?.services ?? []) if (isAlive(pid, 'node')) signalGroup(pid, 'SIGKILL');
}

/**
 * @param {number} pid
 * @param {string} word part of its command line, in case the process id was reused
 * @returns {boolean}
 */
function isAlive(pid, word) {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const command = commandOf(pid);
  return command === '' || command.includes(word);
}

/** @param {string} dir @returns {DemoState | undefined} */
function read(dir) {
  try {
    return JSON.parse(readFileSync(stateFile(dir), 'utf8'));
  } catch {
    return undefined;
  }
}

/** @param {string} dir @returns {string} */
function stateFile(dir) {
  return path.join(dir, 'running.json');
}
