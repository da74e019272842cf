import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { installed, root } from './paths.mjs';
import { startService } from './processes.mjs';
import { EVENTS_FILE } from './test-events.mjs';
import { getPlaywrightFailures, getVitestFailures } from './test-failures.mjs';

/**
 * @typedef {{ passed: number, failed: number, skipped: number }} Counts
 * @typedef {{ name: string, command: string[], seconds: number, after?: string, needs?: ('browser' | 'redis')[],
 *   env?: Record<string, string>, count?: () => Counts, mayBeEmpty?: boolean, failures?: () => string[] }} Step
 *   `seconds`: usual duration on two CPU cores, for the progress line; `after`: the step that must have passed before;
 *   without `count` a step counts as one; `mayBeEmpty`: zero tests are not a failure
 * @typedef {Counts & { name: string, seconds: number, output: string, failures: string[] }} Outcome
 */

/** Reports and logs of a run. */
export const runDir = path.join(root, '.test-run');
/** Caches for the next run: the only part of `runDir` that is kept after a run. */
export const cacheDir = path.join(runDir, 'cache');
/** A separate build for the tests, so that a running demo keeps its own. */
export const testDistDir = '.next-test';

const LIMIT_MS = 30 * 60_000;
const LONGEST_OUTPUT = 20_000;

/**
 * In the order in which they start: the longest chain, build and browser tests, begins first.
 * @type {Step[]}
 */
export const steps = [
  { name: 'build', seconds: 60, command: [process.execPath, path.join(root, 'scripts/build.mjs'), testDistDir] },
  { name: 'lint', seconds: 60, command: node('eslint/bin/eslint.js', '.', '--max-warnings', '0') },
  {
    name: 'e2e',
    seconds: 600,
    after: 'build',
    needs: ['browser', 'redis'],
    command: node('@playwright/test/cli.js', 'test', `--reporter=dot,json,${reporter('playwright')}`),
    env: { PLAYWRIGHT_JSON_OUTPUT_FILE: resultFile('e2e') },
    count: () => {
      const { stats } = readJson(resultFile('e2e'));
      return { passed: stats.expected, failed: stats.unexpected + stats.flaky, skipped: stats.skipped };
    },
    failures: () => getPlaywrightFailures(readJson(resultFile('e2e'))),
  },
  vitest('unit', { seconds: 60 }),
  {
    name: 'types',
    seconds: 30,
    // The build rewrites type declarations of the framework.
    after: 'build',
    command: node(
      'typescript/bin/tsc',
      '--noEmit',
      '--incremental',
      '--tsBuildInfoFile',
      cacheFile('types.tsbuildinfo'),
    ),
  },
  {
    name: 'format',
    seconds: 20,
    command: node(
      'prettier/bin/prettier.cjs',
      '--check',
      '.',
      '--log-level',
      'warn',
      '--cache',
      '--cache-strategy',
      'content',
      '--cache-location',
      cacheFile('prettier'),
    ),
  },
  {
    name: 'spelling',
    seconds: 15,
    command: node(
      'cspell/bin.mjs',
      'lint',
      '.',
      '--no-progress',
      '--cache',
      '--cache-strategy',
      'content',
      '--cache-location',
      cacheFile('spelling'),
    ),
  },
  { name: 'unused', seconds: 10, command: node('knip/bin/knip.js', '--no-progress') },
  { name: 'imports', seconds: 10, command: npmScript('lint:imports') },
  vitest('integration', { seconds: 200, needs: ['redis'] }),
  vitest('attacks', { seconds: 100, after: 'build' }),
];

/**
 * Runs one step to completion.
 * @param {Step} step
 * @param {Record<string, string>} tools environment variables with the paths of installed tools
 * @returns {Promise<Outcome>}
 */
export async function runStep(step, tools) {
  const begin = Date.now();
  mkdirSync(runDir, { recursive: true });
  const env = {
    ...process.env,
    FORCE_COLOR: '0',
    CI: 'true',
    ...tools,
    ...step.env,
    [EVENTS_FILE]: eventsFile(step.name),
  };
  const service = startService(step.name, step.command, { cwd: root, env, logDir: runDir });
  const limit = setTimeout(() => void service.stop(), LIMIT_MS);
  const code = await service.exited;
  clearTimeout(limit);
  await service.stop();
  return {
    name: step.name,
    ...getCounts(step, code),
    seconds: Math.round((Date.now() - begin) / 1000),
    output: readOutput(service.logFile),
    failures: getFailures(step),
  };
}

/** @param {Step} step @returns {string[]} */
function getFailures(step) {
  try {
    return step.failures?.() ?? [];
  } catch {
    return [];
  }
}

/** @param {Step} step @param {number} code @returns {Counts} */
function getCounts(step, code) {
  const whole = { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0 };
  if (!step.count) return whole;
  try {
    const counts = step.count();
    // A run that was aborted or found no tests is not a success.
    const isEmpty = counts.passed + counts.failed + counts.skipped === 0;
    const isBroken = (code !== 0 && counts.failed === 0) || (isEmpty && !step.mayBeEmpty);
    return isBroken ? { ...counts, failed: 1 } : counts;
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

/**
 * @param {'unit' | 'integration' | 'attacks'} project
 * @param {Partial<Step> & { seconds: number }} more
 * @param {...string} args
 * @returns {Step}
 */
export function vitest(project, { name = project, ...more }, ...args) {
  const reporters = ['default', 'json', reporter('vitest')].map((each) => `--reporter=${each}`);
  const output = `--outputFile.json=${resultFile(name)}`;
  const count = () => {
    const result = readJson(resultFile(name));
    const { numPassedTests: passed, numFailedTests: failed, numPendingTests: pending, numTodoTests: todo } = result;
    return { passed, failed, skipped: pending + todo };
  };
  const failures = () => getVitestFailures(readJson(resultFile(name)), root);
  const command = node('vitest/vitest.mjs', 'run', '--project', project, ...reporters, output, ...args);
  return { name, command, count, failures, ...more };
}

/** @param {'vitest' | 'playwright'} runner @returns {string} the reporter file that records finished tests */
function reporter(runner) {
  return path.join(root, `scripts/lib/test-reporter-${runner}.mjs`);
}

/** @param {string} file @param {...string} args @returns {string[]} */
function node(file, ...args) {
  return [process.execPath, installed(file), ...args];
}

/** @param {string} name @returns {string[]} command of a package.json script that runs one installed program */
function npmScript(name) {
  return ['npm', 'run', '--silent', name];
}

/** @param {string} name @returns {string} */
export function resultFile(name) {
  return path.join(runDir, `${name}.json`);
}

/** @param {string} step @returns {string} */
export function eventsFile(step) {
  return path.join(runDir, `${step}.events`);
}

/** @param {string} name @returns {string} */
export function cacheFile(name) {
  return path.join(cacheDir, name);
}

/** @param {string} file */
function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** @param {string} file @returns {string} */
function readOutput(file) {
  const text = stripVTControlCharacters(readFileSync(file, 'utf8')).trim();
  return text.length > LONGEST_OUTPUT ? `…${text.slice(-LONGEST_OUTPUT)}` : text;
}
