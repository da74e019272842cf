import { stripVTControlCharacters } from 'node:util';

/**
 * @typedef {{ id: string, name: string, ms: number, isPassed: boolean, error?: string, files?: string[] }} TestResult
 *   of a test that ran; `files`: screenshots and the like of a failed one
 * @typedef {{ files: number } | { file: string, planned: number } | { file: string, cpuMs: number } | TestResult} TestEvent
 *   the number of files, the number of tests in a file, CPU time to add to a file, and a finished test
 * @typedef {{ name: string, seconds: number, hasTests?: boolean, state: 'waiting' | 'running' | 'done',
 *   startedAfter: number, files: number,
 *   planned: Map<string, number>, cpuMs: Map<string, number>, results: Map<string, TestResult> }} StepRun
 *   `startedAfter`: seconds since the run of all steps started; `cpuMs`: CPU time by file
 */

const SLOWEST = 10;
const ERROR_LINES = 6;
// Below this share, the pace of this run is not reliable.
const MIN_SHARE = 0.05;

/** @template S @param {S} step */
export function createRun(step) {
  const empty = { startedAfter: 0, files: Infinity, planned: new Map(), cpuMs: new Map(), results: new Map() };
  return { ...step, state: /** @type {StepRun['state']} */ ('waiting'), ...empty };
}

/** @param {StepRun} run @param {TestEvent} event */
export function recordEvent(run, event) {
  if ('id' in event) run.results.set(event.id, event);
  else if ('files' in event) run.files = event.files;
  else if ('planned' in event) run.planned.set(event.file, event.planned);
  else if ('cpuMs' in event) run.cpuMs.set(event.file, (run.cpuMs.get(event.file) ?? 0) + event.cpuMs);
}

/**
 * Counts the tests of a step. A check without tests counts as one.
 * @param {StepRun} run
 * @returns {{ done: number, total: number, isComplete: boolean }} `isComplete`: `total` is not just a lower bound
 */
export function countTests({ hasTests, state, files, planned, results }) {
  if (!hasTests) return { done: state === 'done' ? 1 : 0, total: 1, isComplete: true };
  const total = [...planned.values()].reduce((sum, each) => sum + each, 0);
  return {
    done: results.size,
    total: Math.max(total, results.size),
    isComplete: state === 'done' || planned.size >= files,
  };
}

/**
 * The time left is at the pace of this run so far, each step weighted by its usual duration.
 * @param {StepRun[]} runs @param {number} elapsed seconds since the run started
 * @returns {string}
 */
export function formatProgress(runs, elapsed) {
  const sum = { done: 0, total: 0, seconds: 0, secondsDone: 0 };
  for (const run of runs) {
    const { done, total } = countTests(run);
    sum.done += done;
    sum.total += total;
    sum.seconds += run.seconds;
    sum.secondsDone += run.seconds * getShareDone(run);
  }
  const share = sum.secondsDone / sum.seconds;
  const atWork = runs.filter(({ state }) => state === 'running');
  // The last one would look almost done by the share of all. Beside others its pace says little: it gets faster when they end.
  const [last] = atWork.length === 1 ? atWork : [];
  const seconds = Math.max((elapsed * (1 - share)) / share, last ? getOwnSecondsLeft(last, elapsed) : 0);
  const left = share < MIN_SHARE ? '' : `, about ${formatDuration(seconds)} left`;
  const running = atWork.map(({ name }) => name);
  const isLowerBound = runs.some((run) => !countTests(run).isComplete);
  return `${sum.done}/${sum.total}${isLowerBound ? '+' : ''} tests${left}, running: ${running.join(', ')}`;
}

/** A file says how many tests it has when it begins: those that have not begun count as much as the others. @param {StepRun} run */
function getShareDone(run) {
  if (run.state === 'done') return 1;
  const { done, total, isComplete } = countTests(run);
  if (total === 0) return 0;
  return (done / total) * (isComplete ? 1 : run.planned.size / run.files);
}

/** At the pace of the step itself. @param {StepRun} run @param {number} elapsed seconds since the run of all steps started */
function getOwnSecondsLeft(run, elapsed) {
  const share = getShareDone(run);
  return share === 0 ? 0 : ((elapsed - run.startedAfter) * (1 - share)) / share;
}

/** @param {StepRun[]} runs @returns {string[]} the test files that took the most CPU time, one per line */
export function formatSlowest(runs) {
  const files = runs.flatMap(({ name: step, cpuMs }) => [...cpuMs].map(([file, ms]) => ({ step, file, ms })));
  const slowest = files.sort((a, b) => b.ms - a.ms).slice(0, SLOWEST);
  return slowest.map(({ step, file, ms }) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${step.padEnd(12)}${file}`);
}

/**
 * @param {{ passed: number, failed: number, skipped: number }[]} outcomes of the steps
 * @returns {string} the counts of all; its last line is always the same two (README.md)
 */
export function formatSummary(outcomes) {
  const sum = (/** @type {'passed' | 'failed' | 'skipped'} */ key) =>
    outcomes.reduce((total, outcome) => total + outcome[key], 0);
  const skipped = sum('skipped');
  return `${skipped > 0 ? `${skipped} skipped\n` : ''}${sum('passed')} passed, ${sum('failed')} failed`;
}

/** @param {StepRun} run @returns {string[]} the failed tests: name, first lines of the error, paths of screenshots */
export function formatFailures({ results }) {
  const failed = [...results.values()].filter(({ isPassed }) => !isPassed);
  return failed.map(({ name, error = '', files = [] }) => {
    const lines = stripVTControlCharacters(error).trim().split('\n').slice(0, ERROR_LINES);
    return [`${name}:`, ...[...lines, ...files].map((line) => `  ${line}`)].join('\n');
  });
}

/** @param {number} seconds rounded to its precision */
function formatDuration(seconds) {
  return seconds < 55 ? `${Math.max(1, Math.ceil(seconds / 10)) * 10} s` : `${Math.round(seconds / 60)} min`;
}
