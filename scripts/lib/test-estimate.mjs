/**
 * @typedef {{ name: string, seconds: number, hasTests: boolean, tests: import('./test-events.mjs').StepTests,
 *   state: 'waiting' | 'running' | 'done' }} StepState `seconds`: its usual duration, relative to the other steps
 */

// Below this share, the pace of this run is not reliable.
const MIN_SHARE = 0.05;

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
function countStep({ hasTests, tests, state }) {
  if (!hasTests) return { done: state === 'done' ? 1 : 0, total: 1, isComplete: true };
  return { done: tests.tests.size, total: tests.total, isComplete: state === 'done' || tests.isComplete };
}

/**
 * Seconds left at the pace of this run so far, each step weighted by its usual duration.
 * @param {StepState[]} steps
 * @param {number} elapsed seconds since the run started
 * @returns {number | undefined} undefined while too little is done
 */
export function estimateSecondsLeft(steps, elapsed) {
  const total = steps.reduce((sum, { seconds }) => sum + seconds, 0);
  const share = steps.reduce((sum, step) => sum + step.seconds * getShareDone(step), 0) / total;
  return share < MIN_SHARE ? undefined : (elapsed * (1 - share)) / share;
}

/** @param {StepState} step @returns {number} */
function getShareDone(step) {
  if (step.state !== 'running') return step.state === 'done' ? 1 : 0;
  const { done, total, isComplete } = countStep(step);
  return isComplete && total > 0 ? done / total : 0;
}
