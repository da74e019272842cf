import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { installed, root } from './paths.mjs';
import { startService } from './processes.mjs';

/**
 * @typedef {{ passed: number, failed: number, skipped: number }} Counts
 * @typedef {{ name: string, command: string[], light?: boolean, needs?: ('browser' | 'redis')[],
 *   env?: Record<string, string>, count?: () => Counts, remarks?: () => string[] }} Step `light`: only reads the source;
 *   without `count` a step counts as one; `remarks`: what whoever reads a green run should see to
 * @typedef {Counts & { name: string, seconds: number, output: string, remarks: string[] }} Outcome
 */

/** Reports and logs of a run. */
export const runDir = path.join(root, '.test-run');
/** The tests' own build, so that a running demo keeps its. */
export const testDistDir = '.next-test';

const LIMIT_MS = 30 * 60_000;
const LONGEST_OUTPUT = 20_000;

/** @type {Step[]} */
export const steps = [
  { name: 'format', light: true, command: node('prettier/bin/prettier.cjs', '--check', '.', '--log-level', 'warn') },
  { name: 'lint', light: true, command: node('eslint/bin/eslint.js', '.', '--max-warnings', '0') },
  { name: 'types', light: true, command: node('typescript/bin/tsc', '--noEmit', '--incremental', 'false') },
  { name: 'imports', light: true, command: npmScript('lint:imports') },
  { name: 'unused', light: true, command: node('knip/bin/knip.js', '--no-progress') },
  vitest('unit', { light: true }),
  vitest('integration', { needs: ['redis'] }),
  { name: 'build', command: [process.execPath, path.join(root, 'scripts/build.mjs'), testDistDir] },
  {
    name: 'e2e',
    needs: ['browser', 'redis'],
    command: node('@playwright/test/cli.js', 'test', '--reporter=dot,json', '--retries=1'),
    env: { PLAYWRIGHT_JSON_OUTPUT_FILE: resultFile('e2e') },
    count: () => {
      const { stats } = readJson(resultFile('e2e'));
      return { passed: stats.expected + stats.flaky, failed: stats.unexpected, skipped: stats.skipped };
    },
    remarks: () => flakyTests(readJson(resultFile('e2e')).suites).map((title) => `passed at the second try: ${title}`),
  },
];

/**
 * Runs one step to its end.
 * @param {Step} step
 * @param {Record<string, string>} tools variables that say where found tools are
 * @returns {Promise<Outcome>}
 */
export async function runStep(step, tools) {
  const begin = Date.now();
  mkdirSync(runDir, { recursive: true });
  const env = { ...process.env, FORCE_COLOR: '0', CI: 'true', ...tools, ...step.env };
  const service = startService(step.name, step.command, { cwd: root, env, logDir: runDir });
  const limit = setTimeout(() => void service.stop(), LIMIT_MS);
  const code = await service.exited;
  clearTimeout(limit);
  await service.stop();
  return {
    name: step.name,
    ...countsOf(step, code),
    seconds: Math.round((Date.now() - begin) / 1000),
    output: outputOf(service.logFile),
    remarks: remarksOf(step),
  };
}

/** @param {Step} step @returns {string[]} */
function remarksOf(step) {
  try {
    return step.remarks?.() ?? [];
  } catch {
    return [];
  }
}

/**
 * A browser test that fails once on a busy machine gets a second try, and is named: it has a race to be mended.
 * @param {{ file: string, suites?: any[], specs: { title: string, line: number, tests: { status: string }[] }[] }[]} suites
 * @returns {string[]}
 */
function flakyTests(suites) {
  return suites.flatMap(({ file, suites: inner = [], specs }) => [
    ...flakyTests(inner),
    ...specs
      .filter(({ tests }) => tests.some(({ status }) => status === 'flaky'))
      .map(({ title, line }) => `${file}:${line} ${title}`),
  ]);
}

/** @param {Step} step @param {number} code @returns {Counts} */
function countsOf(step, code) {
  const whole = { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0 };
  if (!step.count) return whole;
  try {
    const counts = step.count();
    // A run that broke off, or that found no test at all, is no success.
    const isBroken = (code !== 0 && counts.failed === 0) || counts.passed + counts.failed + counts.skipped === 0;
    return isBroken ? { ...counts, failed: 1 } : counts;
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

/** @param {'unit' | 'integration'} name @param {Partial<Step>} more @returns {Step} */
function vitest(name, more) {
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${resultFile(name)}`];
  const count = () => {
    const result = readJson(resultFile(name));
    const { numPassedTests: passed, numFailedTests: failed, numPendingTests: pending, numTodoTests: todo } = result;
    return { passed, failed, skipped: pending + todo };
  };
  return { name, command: node('vitest/vitest.mjs', 'run', '--project', name, ...reporters), count, ...more };
}

/** @param {string} file @param {...string} args @returns {string[]} */
function node(file, ...args) {
  return [process.execPath, installed(file), ...args];
}

/** @param {string} name @returns {string[]} a script of package.json that runs one installed program */
function npmScript(name) {
  return ['npm', 'run', '--silent', name];
}

/** @param {string} name @returns {string} */
function resultFile(name) {
  return path.join(runDir, `${name}.json`);
}

/** @param {string} file */
function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** @param {string} file @returns {string} */
function outputOf(file) {
  const text = stripVTControlCharacters(readFileSync(file, 'utf8')).trim();
  return text.length > LONGEST_OUTPUT ? `…${text.slice(-LONGEST_OUTPUT)}` : text;
}
