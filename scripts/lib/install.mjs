import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import path from 'node:path';
import { root } from './paths.mjs';

const stamp = path.join(root, 'node_modules', '.lock-hash');

/**
 * Installs the dependencies unless the installed packages match the lock file.
 * @throws Error when npm fails
 */
export function installDependencies() {
  if (isInstalled()) return;
  console.log('Installing dependencies (a minute or two the first time)…');
  // `npm ci` rejects a lock file that lacks an optional package of another platform; `npm install` does not.
  if (!npm('ci', 'ignore') && !npm('install', 'inherit')) throw new Error('The dependencies could not be installed.');
  writeFileSync(stamp, lockHash());
}

/**
 * @param {'ci' | 'install'} command
 * @param {'ignore' | 'inherit'} output
 * @returns {boolean} whether it succeeded
 */
function npm(command, output) {
  // No dependency here needs its install script, so none is run.
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const args = [command, ...(command === 'install' ? ['--no-save'] : []), ...quiet];
  const stdio = /** @type {import('node:child_process').StdioOptions} */ (['ignore', output, output]);
  return spawnSync('npm', args, { cwd: root, stdio, shell: process.platform === 'win32' }).status === 0;
}

/** @returns {boolean} */
function isInstalled() {
  if (existsSync(stamp)) return readFileSync(stamp, 'utf8') === lockHash();
  // Installed manually: npm's own copy of the lock file shows whether the install is complete and current.
  const hidden = path.join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(hidden)) return false;
  return sameVersions(readJson(hidden), readJson(path.join(root, 'package-lock.json')));
}

/** @typedef {{ packages?: Record<string, { version?: string, optional?: boolean }> }} Lock */

/** @param {Lock} present @param {Lock} wanted @returns {boolean} */
function sameVersions(present, wanted) {
  const entries = Object.entries(wanted.packages ?? {}).filter(([name, entry]) => name !== '' && !entry.optional);
  return entries.every(([name, entry]) => present.packages?.[name]?.version === entry.version);
}

/** @returns {string} */
function lockHash() {
  return createHash('sha256')
    .update(readFileSync(path.join(root, 'package-lock.json')))
    .digest('hex');
}

/** @param {string} file @returns {Lock} */
function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}
