import { spawnSync } from 'node:child_process';
import { root } from './paths.mjs';
import { cacheFile, steps, vitest } from './test-steps.mjs';

/** @typedef {import('./test-steps.mjs').Step} Step */

const MAIN_BRANCHES = ['origin/main', 'main'];

/**
 * The steps that find the most errors in the least time.
 * @returns {Step[]}
 * @throws Error outside a clone
 */
export function getQuickSteps() {
  return [
    // A cached result can miss an error caused by a change of another file's types, so only the full run is
    // authoritative.
    extend('lint', '--cache', '--cache-strategy', 'content', '--cache-location', cacheFile('eslint')),
    ...['unit', 'types', 'format', 'spelling'].map((name) => extend(name)),
    // Files that differ from the merge base with the main branch, committed or not; on the main branch itself, from
    // HEAD. Vitest runs the tests that import such a file, so a change of data that is read at run time selects no
    // tests.
    vitest(
      'integration',
      { name: 'changed', seconds: 60, needs: ['redis'], mayBeEmpty: true },
      `--changed=${getBase()}`,
    ),
  ];
}

/** @param {string} name @param {...string} args @returns {Step} */
function extend(name, ...args) {
  const step = steps.find((each) => each.name === name);
  if (!step) throw new Error(`No such step: ${name}`);
  return { ...step, command: [...step.command, ...args] };
}

/** @returns {string} */
function getBase() {
  const base = [...MAIN_BRANCHES, 'HEAD'].find((name) => hasCommit(name));
  if (!base) throw new Error('quick runs the tests of what changed, and this is no git repository.');
  return base;
}

/** @param {string} name @returns {boolean} */
function hasCommit(name) {
  return spawnSync('git', ['merge-base', name, 'HEAD'], { cwd: root, stdio: 'ignore' }).status === 0;
}
