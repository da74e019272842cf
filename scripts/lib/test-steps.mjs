import { spawnSync } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import { cacheDir, installed, root, testDistDir } from './paths.mjs';

/**
 * @typedef {'first' | 'second' | 'all' | 'quick'} Tier which tests run (test-tiers.mjs)
 * @typedef {{ name: string, command: string[], cores: number, needs?: ('browser' | 'redis' | 'postgres' | 'examples' |
 * 'nginx')[], hasTests?: boolean, quick?: () => string[] }} Step `cores`: number of cores it keeps busy. `hasTests`: it
 * reports its tests to the runner. A step without it counts as one test. `quick`: the step is part of `npm test --
 * quick`, with these arguments
 * @typedef {Step & { tier: Tier }} PlannedStep
 * @typedef {{ steps: PlannedStep[], stopsAtFailure?: boolean, isWhole?: boolean }} Plan `isWhole`: a whole first tier
 */

const MAIN_BRANCHES = ['origin/main', 'main', 'HEAD'];
const REPORTER = path.join(root, 'scripts/lib/test-reporter.mjs');
const CORES = os.availableParallelism();

/** Half of what the tests allocate is garbage immediately. With more room for it, they need a tenth less CPU time. */
const HEAP = '--max-semi-space-size=128';

const DOCUMENTS = ['*.md', '{docs,deploy,examples}/**/*.md'];

/** Steps in the order in which they run. Steps that fail soon come first. @type {Step[]} */
export const steps = [
  { name: 'format', cores: 1, command: node('oxfmt/bin/oxfmt', '--check'), quick: () => [] },
  {
    ...{ name: 'spelling', cores: 1, quick: () => [] },
    command: node('cspell/bin.mjs', 'lint', '.', '--no-progress', ...cache('spelling')),
  },
  // Checks documents for long sentences, repeated words and phrases that are not plain English (.textlintrc.json).
  { name: 'prose', cores: 1, command: node('textlint/bin/textlint.js', ...DOCUMENTS), quick: () => [] },
  // Checks the form of documents: headings, lists, tables and links (.markdownlint-cli2.jsonc).
  {
    name: 'markdown',
    cores: 1,
    command: node('markdownlint-cli2/markdownlint-cli2-bin.mjs', ...DOCUMENTS),
    quick: () => [],
  },
  { name: 'unused', cores: 1, command: node('knip/bin/knip.js', '--no-progress') },
  { name: 'imports', cores: 1, command: ['npm', 'run', '--silent', 'lint:imports'] },
  // Checks the rules and types of every file.
  { name: 'lint', cores: CORES, command: node('oxlint/bin/oxlint'), quick: () => [] },
  { ...vitest('unit', CORES), quick: () => [] },
  { name: 'build', cores: CORES, command: [process.execPath, path.join(root, 'scripts/build.mjs'), testDistDir] },
  {
    // These tests wait for the network and for timers, so there is one worker more than cores.
    ...vitest('integration', CORES + 1),
    needs: ['redis', 'postgres', 'examples', 'nginx'],
    quick: () => ['--passWithNoTests', `--changed=${findMergeBase()}`],
  },
  { ...vitest('attacks', CORES), needs: ['nginx', 'postgres'] },
  {
    ...{ name: 'e2e', cores: CORES, needs: ['browser', 'redis', 'postgres'], hasTests: true },
    command: node('@playwright/test/cli.js', 'test', `--reporter=dot,${REPORTER}`, `--workers=${CORES}`),
  },
];

/**
 * @param {string[]} names names of steps of the first tier, or empty for all steps. `quick` and `ci` stand alone. `all`
 * stands before any names
 * @returns {Plan}
 */
export function planSteps(names) {
  const [kind, ...rest] = names;
  const of = (/** @type {Step[]} */ some, /** @type {Tier} */ tier) => some.map((step) => ({ ...step, tier }));
  if (kind === 'quick' && rest.length === 0) {
    const quick = steps.flatMap((step) => (step.quick ? { ...step, command: [...step.command, ...step.quick()] } : []));
    return { steps: of(quick, 'quick') };
  }
  if (kind === 'ci' && rest.length === 0) {
    const second = steps.filter(({ name }) => ['unit', 'integration', 'attacks', 'e2e'].includes(name));
    return { steps: [...of(steps, 'first'), ...of(second, 'second')], stopsAtFailure: true };
  }
  const isAll = kind === 'all';
  const wanted = isAll ? rest : names;
  const known = steps.map(({ name }) => name);
  const unknown = wanted.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new Error(
      `No such step: ${unknown.join(', ')}. There are: ${known.join(', ')}; quick or ci by itself; all by itself or before steps`,
    );
  const chosen = steps.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
  return { steps: of(chosen, isAll ? 'all' : 'first'), isWhole: names.length === 0 };
}

/** @param {string} name prefix of the project names, because unit tests have two projects @param {number} workers */
function vitest(name, workers) {
  const options = ['--reporter=default', `--reporter=${REPORTER}`, `--maxWorkers=${workers}`];
  return {
    name,
    cores: CORES,
    hasTests: true,
    command: node('vitest/vitest.mjs', 'run', '--project', `${name}*`, ...options),
  };
}

/** @param {string} file @param {...string} args */
function node(file, ...args) {
  return [process.execPath, HEAP, installed(file), ...args];
}

/** @param {string} name */
function cache(name) {
  return ['--cache', '--cache-strategy', 'content', '--cache-location', path.join(cacheDir, name)];
}

/** @returns {string} the commit that changes are relative to: where the branch left main, or HEAD on main itself */
function findMergeBase() {
  for (const name of MAIN_BRANCHES) {
    const { status, stdout } = spawnSync('git', ['merge-base', name, 'HEAD'], { cwd: root, encoding: 'utf8' });
    if (status === 0) return stdout.trim();
  }
  throw new Error('quick runs the tests of what changed, and this is no git repository.');
}
