import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './paths.mjs';

/** No dependency needs its install script, so npm runs none. */
const OPTIONS = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

/**
 * Installs the dependencies unless the installed packages match the lock file.
 * @throws Error when npm fails
 */
export function installDependencies() {
  if (isInstalled()) return;
  console.log('Installing dependencies (a minute or two the first time)…');
  // `npm ci` rejects a lock file that lacks an optional package of another platform; `npm install` does not.
  if (!npm(['ci'], 'ignore') && !npm(['install', '--no-save'], 'inherit'))
    throw new Error('The dependencies could not be installed.');
}

/** @param {string[]} command @param {'ignore' | 'inherit'} output @returns {boolean} whether it succeeded */
function npm(command, output) {
  const args = [...command, ...OPTIONS];
  return spawnSync('npm', args, { cwd: root, stdio: output, shell: process.platform === 'win32' }).status === 0;
}

/** npm's own copy of the lock file shows what is installed. */
function isInstalled() {
  const hidden = path.join(root, 'node_modules/.package-lock.json');
  if (!existsSync(hidden)) return false;
  const present = readPackages(hidden);
  const wanted = Object.entries(readPackages(path.join(root, 'package-lock.json')));
  return wanted.every(([name, { version, optional }]) => name === '' || optional || present[name]?.version === version);
}

/** @param {string} file @returns {Record<string, { version?: string, optional?: boolean }>} */
function readPackages(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages;
}
