import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './paths.mjs';

/** @param {string} file its path @returns whether it is of the second tier: the name alone decides (CONTRIBUTING.md, "Two tiers") */
export const isNightly = (file) => file.includes('.nightly.');

/** `first` and `quick` leave the second tier out, `second` has nothing else; `all`, and a test command for chosen files, have both. */
const tier = process.env.TEST_TIER ?? 'all';
/** How the names of the files of this run begin, as a glob. */
export const chosenName = tier === 'second' ? '*.nightly' : '*';
/** Globs of the files that this run leaves out. */
export const leftOut = ['first', 'quick'].includes(tier) ? ['**/*.nightly.{test,spec}.{ts,tsx}'] : [];
/** Whether a run that may end before its last test has those first that are nearest to the change. */
export const startsWithNearest = tier === 'second';

/** Commits of the main branch that a run on it takes for the change. */
const LANDED = 10;
/** Words in paths that say nothing about the subject. */
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

/** @returns {string[]} paths that the change has touched: since the branch left main; on main itself, in its last commits */
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
 * How near a test is to a change: 0 when it, or a file of the tests that it imports, was changed; 1 when its name has a word of a changed path; else 2.
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
