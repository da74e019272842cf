/**
 * @typedef {import('./test-events.mjs').StepTests} StepTests
 * @typedef {import('./test-history.mjs').StepHistory} StepHistory
 * @typedef {{ name: string, light: boolean, hasTests: boolean, listed: number, last?: StepHistory, tests: StepTests,
 *   elapsed: number, state: 'waiting' | 'running' | 'done' }} StepState `listed`: expected test count, 0 when unknown;
 *   `last`: its last run; `elapsed`: seconds since it started
 */

// Below this share, the rate is not reliable.
const MIN_SHARE = 0.1;
const MIN_SECONDS = 20;

/**
 * Counts finished tests and all known tests. A check without tests counts as one, as it does in the summary.
 * @param {StepState[]} steps
 * @returns {{ done: number, total: number, isComplete: boolean }} `isComplete`: `total` is not just a lower bound
 */
export function countTests(steps) {
  const counts = steps.map(countStep);
  return {
    done: counts.reduce((sum, { done }) => sum + done, 0),
    total: counts.reduce((sum, { total }) => sum + total, 0),
    isComplete: counts.every(({ isComplete }) => isComplete),
  };
}

/** @param {StepState} step @returns {{ done: number, total: number, isComplete: boolean }} */
function countStep({ hasTests, listed, last, tests, state }) {
  if (!hasTests) return { done: state === 'done' ? 1 : 0, total: 1, isComplete: true };
  const done = tests.tests.size;
  if (state === 'done' || tests.isComplete) return { done, total: tests.total, isComplete: true };
  const expected = last ? Object.keys(last.tests).length : listed;
  return { done, total: Math.max(tests.total, expected), isComplete: Boolean(last) };
}

/**
 * Seconds until the last step is done: from the durations of the last run, scaled by the pace of this run, or from
 * the rate of the only remaining step.
 * @param {StepState[]} steps
 * @param {number} width how many light steps run in parallel
 * @returns {number | undefined} undefined when a remaining step has no data
 */
export function estimateSecondsLeft(steps, width) {
  const pace = getPace(steps);
  const left = steps.map((step) => ({ light: step.light, seconds: getSecondsLeft(step, pace) }));
  const unknown = left.some(({ seconds }) => seconds === undefined);
  if (unknown) return undefined;
  const secondsOf = (/** @type {boolean} */ light) =>
    left.filter((each) => each.light === light).map(({ seconds = 0 }) => seconds);
  const sum = (/** @type {number[]} */ numbers) => numbers.reduce((total, each) => total + each, 0);
  const shared = secondsOf(true);
  return Math.max(sum(shared) / width, ...shared, 0) + sum(secondsOf(false));
}

/** @param {StepState} step @param {number} pace @returns {number | undefined} */
function getSecondsLeft(step, pace) {
  if (step.state === 'done') return 0;
  if (step.last) {
    if (step.state === 'waiting') return step.last.seconds * pace;
    if (!step.hasTests) return Math.max(0, step.last.seconds * pace - step.elapsed);
    return step.last.seconds * (1 - getShareDone(step)) * pace;
  }
  const { done, total, isComplete } = countStep(step);
  if (step.state === 'waiting' || !isComplete || total === 0 || done / total < MIN_SHARE) return undefined;
  return (step.elapsed * (total - done)) / done;
}

/** @param {StepState[]} steps @returns {number} ratio of this run's duration to that of the last run */
function getPace(steps) {
  let elapsed = 0;
  let expected = 0;
  for (const step of steps.filter(({ hasTests, last, state }) => hasTests && last && state !== 'waiting')) {
    const share = step.state === 'done' ? 1 : getShareDone(step);
    if (share < MIN_SHARE) continue;
    elapsed += step.elapsed;
    expected += (step.last?.seconds ?? 0) * share;
  }
  return expected < MIN_SECONDS ? 1 : elapsed / expected;
}

/**
 * By duration, not by number: the slowest test takes as long as a hundred of the fast ones.
 * @param {StepState} step
 * @returns {number}
 */
function getShareDone({ last = { seconds: 0, tests: {} }, tests }) {
  const names = new Set([...tests.tests.values()].map(({ name }) => name));
  let done = 0;
  let left = 0;
  for (const [name, ms] of Object.entries(last.tests))
    if (names.has(name)) done += ms;
    else left += ms;
  return done + left === 0 ? 0 : done / (done + left);
}
