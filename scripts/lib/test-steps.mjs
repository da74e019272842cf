import { spawnSync } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import { cacheDir, installed, root, testDistDir } from './paths.mjs';

/**
 * @typedef {{ name: string, command: string[], seconds: number, after?: string, needs?: ('browser' | 'redis' | 'postgres' | 'examples' | 'nginx')[],
 *   hasTests?: boolean, quick?: () => string[] }} Step
 *   `seconds`: usual duration on two CPU cores, for the progress line; `after`: the step that must have ended before;
 *   `hasTests`: reports its tests to the runner, other steps count as one; `quick`: part of `npm test -- quick`, with
 *   these arguments
 */

const MAIN_BRANCHES = ['origin/main', 'main', 'HEAD'];
const REPORTER = path.join(root, 'scripts/lib/test-reporter.mjs');

/** Half of what they allocate is garbage at once: with more room for it they need a tenth less CPU time. */
const HEAP = '--max-semi-space-size=128';

/** Their tests wait for the network, for timers and for other processes: one worker more than cores. */
const WORKERS = os.availableParallelism() + 1;

/**
 * In the order in which they start: first those that mostly wait, while the build, which the browser tests need, takes the CPU;
 * last those that only calculate, which fill what is idle.
 * @type {Step[]}
 */
export const steps = [
  { name: 'build', seconds: 60, command: [process.execPath, path.join(root, 'scripts/build.mjs'), testDistDir] },
  {
    // They wait the longest.
    ...vitest('integration', 240, WORKERS + 1),
    needs: ['redis', 'postgres', 'examples', 'nginx'],
    quick: () => ['--passWithNoTests', `--changed=${getBase()}`],
  },
  {
    ...{ name: 'e2e', seconds: 240, after: 'build', needs: ['browser', 'redis', 'postgres'], hasTests: true },
    command: node('@playwright/test/cli.js', 'test', `--reporter=dot,${REPORTER}`, `--workers=${WORKERS}`),
  },
  {
    ...vitest('attacks', 60, os.availableParallelism()),
    ...{ after: 'build', needs: ['nginx', 'postgres'] },
  },
  {
    ...vitest('unit', 70, os.availableParallelism()),
    // Otherwise it takes the place of the browser tests, which take longer, when the build has ended.
    after: 'build',
    quick: () => [],
  },
  {
    // The rules and the types of every file. The build rewrites type declarations of the framework.
    ...{ name: 'lint', seconds: 15, after: 'build', quick: () => [] },
    command: node('oxlint/bin/oxlint'),
  },
  {
    ...{ name: 'format', seconds: 1, quick: () => [] },
    command: node('oxfmt/bin/oxfmt', '--check'),
  },
  {
    ...{ name: 'spelling', seconds: 15, quick: () => [] },
    command: node('cspell/bin.mjs', 'lint', '.', '--no-progress', ...cache('spelling')),
  },
  { name: 'unused', seconds: 10, command: node('knip/bin/knip.js', '--no-progress') },
  { name: 'imports', seconds: 10, command: ['npm', 'run', '--silent', 'lint:imports'] },
];

/**
 * @param {string} name begins the names of its projects: the unit tests have two
 * @param {number} seconds
 * @param {number} workers
 */
function vitest(name, seconds, workers) {
  const options = ['--reporter=default', `--reporter=${REPORTER}`, `--maxWorkers=${workers}`];
  const command = node('vitest/vitest.mjs', 'run', '--project', `${name}*`, ...options);
  return { name, seconds, hasTests: true, command };
}

/** @param {string} file @param {...string} args */
function node(file, ...args) {
  return [process.execPath, HEAP, installed(file), ...args];
}

/** @param {string} name */
function cache(name) {
  return ['--cache', '--cache-strategy', 'content', '--cache-location', path.join(cacheDir, name)];
}

/** The commit that changes are relative to: the merge base with the main branch, on that branch itself HEAD. */
function getBase() {
  const hasBase = (/** @type {string} */ name) =>
    spawnSync('git', ['merge-base', name, 'HEAD'], { cwd: root }).status === 0;
  const base = MAIN_BRANCHES.find(hasBase);
  if (!base) throw new Error('quick runs the tests of what changed, and this is no git repository.');
  return base;
}
