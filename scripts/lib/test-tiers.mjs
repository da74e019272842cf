import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './paths.mjs';

/**
 * @param {string} file its path @returns whether the file is in the second tier. Only its name decides
 * (CONTRIBUTING.md, "Two tiers")
 */
export const isNightly = (file) => file.includes('.nightly.');

/**
 * `first` and `quick` leave out the second tier, and `second` runs only that. `all` runs both, as does a test command
 * for chosen files.
 */
const tier = process.env.TEST_TIER ?? 'all';
/** Prefix of the names of the files in this run, as a glob. */
export const chosenName = tier === 'second' ? '*.nightly' : '*';
/** Globs of the files that this run leaves out. */
export const leftOut = ['first', 'quick'].includes(tier) ? ['**/*.nightly.{test,spec}.{ts,tsx}'] : [];
/** Whether the tests nearest to the change run first, because the run may end before its last test. */
export const startsWithNearest = tier === 'second';

/** Number of main's latest commits that count as the change when a run is on main. */
const LANDED = 10;
/** Words in paths that carry no information about the subject. */
const COMMON = new Set([
  'account',
  'browser',
  'components',
  'integration',
  'lib',
  'nightly',
  'pages',
  'server',
  'shared',
  'sign',
  'spec',
  'support',
  'test',
  'tests',
]);

/** @returns {string[]} changed paths: since the branch left main, or on main itself in its last commits */
export function listChanged() {
  const git = (/** @type {string[]} */ ...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  const head = git('rev-parse', 'HEAD').stdout.trim();
  const base = git('merge-base', 'origin/main', 'HEAD').stdout.trim();
  const isBranch = base !== '' && base !== head;
  const { stdout } = isBranch
    ? git('diff', '--name-only', base, 'HEAD')
    : git('log', `-${LANDED}`, '--format=', '--name-only');
  return [...new Set(stdout.split('\n').filter(Boolean))];
}

/**
 * Returns the distance of a test from a change. It is 0 if the change includes the test or a test file that it imports.
 * It is 1 if the test's name has a word of a changed path, and otherwise 2.
 * @param {string} file path below the project @param {readonly string[]} changed
 */
export function getDistance(file, changed) {
  const imported = [...readFileSync(path.join(root, file), 'utf8').matchAll(/from '\.\.\/support\/([\w/-]+)'/g)];
  const own = [file, ...imported.map(([, name]) => `tests/support/${name}`)];
  if (changed.some((each) => own.includes(each.replace(/\.[cm]?[jt]sx?$/, '')) || each === file)) return 0;
  const words = new Set(changed.flatMap(toWords));
  return toWords(path.basename(file)).some((word) => words.has(word)) ? 1 : 2;
}

/** @param {string} file */
function toWords(file) {
  return file
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word.length > 3 && !COMMON.has(word));
}
