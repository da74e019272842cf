import { stripVTControlCharacters } from 'node:util';

/**
 * @typedef {{ name: string, state: 'passed' | 'failed' | 'skipped', error?: string, files?: string[] }} TestResult
 * result of an ended test. `files`: attachments of a failed test, such as screenshots
 * @typedef {{ file: string, planned?: number, cpuMs?: number, test?: TestResult }} TestEvent event about a test file:
 * it joins the run, its number of tests is known, it used CPU time, or a test ended
 * @typedef {{ planned: number | undefined, cpuMs: number, results: TestResult[] }} FileRun `planned`: unknown until the
 * file is loaded
 * @typedef {{ name: string, passed: number, failed: number, skipped: number, seconds: number, cpuSeconds: number,
 * failures: string[], leftOut: string[], files: Map<string, FileRun>, output: string }} Outcome outcome of a step.
 * `leftOut`: files that the step did not finish before its time was over
 */

const SLOWEST = 10;
const ERROR_LINES = 6;

/** @param {Map<string, FileRun>} files @param {TestEvent} event */
export function recordEvent(files, { file, planned, cpuMs = 0, test }) {
  const run = files.get(file) ?? { planned: undefined, cpuMs: 0, results: [] };
  files.set(file, run);
  run.planned = planned ?? run.planned;
  run.cpuMs += cpuMs;
  if (test) run.results.push(test);
}

/** @param {Map<string, FileRun>} files @param {TestResult['state']} state */
export function listResults(files, state) {
  return [...files.values()].flatMap(({ results }) => results.filter((each) => each.state === state));
}

/** @param {Map<string, FileRun>} files @returns {string[]} files that are not loaded yet, or have tests left */
export function listUnfinished(files) {
  return [...files].flatMap(([file, { planned, results }]) =>
    planned === undefined || results.length < planned ? file : [],
  );
}

/** @param {string} name of a running step @param {Map<string, FileRun>} files files of that step @returns {string} */
export function formatProgress(name, files) {
  if (files.size === 0) return name;
  const failed = listResults(files, 'failed').length;
  const done = `${files.size - listUnfinished(files).length} of ${files.size} files`;
  const tests = [...files.values()].reduce((sum, { results }) => sum + results.length, 0);
  return `${name}: ${done}, ${tests} tests${failed > 0 ? `, ${failed} failed` : ''}`;
}

/** @param {Outcome[]} outcomes @returns {string[]} the test files that took the most CPU time, one per line */
export function formatSlowest(outcomes) {
  const files = outcomes.flatMap(({ name: step, files: own }) =>
    [...own].map(([file, { cpuMs: ms }]) => ({ step, file, ms })),
  );
  const slowest = files
    .filter(({ ms }) => ms > 0)
    .sort((a, b) => b.ms - a.ms)
    .slice(0, SLOWEST);
  return slowest.map(({ step, file, ms }) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${step.padEnd(12)}${file}`);
}

/** @param {Outcome[]} outcomes @returns {string[]} times and counts of each step, as a table */
export function formatTimes(outcomes) {
  const rows = outcomes.map(({ name, passed, failed, skipped, seconds, cpuSeconds }) =>
    [name, passed, failed, skipped, `${seconds} s`, `${Math.round(cpuSeconds)} s`].map(String),
  );
  const head = ['step', 'passed', 'failed', 'skipped', 'wall', 'CPU'];
  const widths = head.map((title, i) => Math.max(...[head, ...rows].map((row) => (row[i] ?? title).length)));
  const format = (/** @type {string[]} */ row) =>
    `| ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`;
  return [format(head), format(widths.map((width) => '-'.repeat(width))), ...rows.map(format)];
}

/**
 * @param {Pick<Outcome, 'name' | 'passed' | 'failed' | 'skipped' | 'leftOut' | 'failures'>[]} outcomes outcomes of the steps
 * @returns {string} files that were left out, failures, and the counts of all steps. The form of its last two lines is fixed (README.md)
 */
export function formatSummary(outcomes) {
  const sum = (/** @type {'passed' | 'failed' | 'skipped'} */ key) =>
    outcomes.reduce((total, outcome) => total + outcome[key], 0);
  const leftOut = outcomes.flatMap((outcome) => outcome.leftOut);
  const failures = outcomes.flatMap(({ name, failures: each }) => each.map((failure) => `${name}: ${failure}`));
  return [
    ...(leftOut.length > 0
      ? [`left out, since the time was over: ${leftOut.length} files`, ...leftOut.map((file) => `  ${file}`)]
      : []),
    // After the long list, because logs can be cut in the middle.
    ...(failures.length > 0 ? ['failed', ...failures] : []),
    ...(sum('skipped') > 0 ? [`${sum('skipped')} skipped`] : []),
    `${sum('passed')} passed, ${sum('failed')} failed`,
  ].join('\n');
}

/** @param {TestResult[]} failed @returns {string[]} name, first lines of the error, and paths of screenshots */
export function formatFailures(failed) {
  return failed.map(({ name, error = '', files = [] }) => {
    const lines = stripVTControlCharacters(error).trim().split('\n').slice(0, ERROR_LINES);
    return [`${name}:`, ...[...lines, ...files].map((line) => `  ${line}`)].join('\n');
  });
}
