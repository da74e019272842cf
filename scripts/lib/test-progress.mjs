import { readEvents } from './test-events.mjs';
import { countTests, estimateSecondsLeft } from './test-estimate.mjs';

/** @typedef {import('./test-estimate.mjs').StepState} StepState */

const TERMINAL_INTERVAL_MS = 1_000;
const LOG_INTERVAL_MS = 30_000;
const SLOWEST = 10;

/**
 * Reports the progress of a run: in place on a terminal, elsewhere as a line every 30 s.
 * @param {{ name: string, light: boolean, hasTests: boolean, eventsFile: string, last?: import('./test-history.mjs').StepHistory }[]} steps
 * @param {number} width how many light steps run in parallel
 * @param {{ isTTY?: boolean, columns?: number, write: (text: string) => unknown }} out
 */
export function showProgress(steps, width, out = process.stdout) {
  /** @type {Map<string, { begin: number, end?: number }>} */
  const times = new Map();
  /** @type {Map<string, number>} */
  const listed = new Map();
  const print = () => {
    const states = steps.map((step) => getState(step, times.get(step.name), listed.get(step.name)));
    const line = formatProgress(states, estimateSecondsLeft(states, width));
    out.write(out.isTTY ? `\r\u001b[K${line.slice(0, (out.columns ?? 80) - 1)}` : `${line}\n`);
  };
  const timer = setInterval(print, out.isTTY ? TERMINAL_INTERVAL_MS : LOG_INTERVAL_MS);
  const clear = () => out.isTTY && out.write('\r\u001b[K');
  return {
    /** @param {string} name @param {number} count expected number of tests of a step */
    list: (name, count) => void listed.set(name, count),
    /** @param {string} name */
    begin: (name) => void times.set(name, { begin: Date.now() }),
    /** @param {string} name */
    end(name) {
      times.set(name, { begin: Date.now(), ...times.get(name), end: Date.now() });
      clear();
    },
    stop() {
      clearInterval(timer);
      clear();
    },
  };
}

/** @param {StepState[]} steps @param {number} [secondsLeft] @returns {string} */
export function formatProgress(steps, secondsLeft) {
  const { done, total, isComplete } = countTests(steps);
  const left = secondsLeft === undefined ? '' : `, about ${formatDuration(secondsLeft)} left`;
  const running = steps.filter(({ state }) => state === 'running').map(({ name }) => name);
  return `${done}/${total}${isComplete ? '' : '+'} tests${left}${running.length > 0 ? `, running: ${running.join(', ')}` : ''}`;
}

/**
 * @param {{ step: string, name: string, ms: number }[]} tests
 * @returns {string[]} the slowest of them, one per line
 */
export function formatSlowest(tests) {
  const slowest = [...tests].sort((a, b) => b.ms - a.ms).slice(0, SLOWEST);
  return slowest.map(({ step, name, ms }) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${step.padEnd(12)}${name}`);
}

/** @param {number} seconds @returns {string} rounded to its precision */
function formatDuration(seconds) {
  return seconds < 55 ? `${Math.max(1, Math.ceil(seconds / 10)) * 10} s` : `${Math.round(seconds / 60)} min`;
}

/**
 * @param {{ name: string, light: boolean, hasTests: boolean, eventsFile: string, last?: import('./test-history.mjs').StepHistory }} step
 * @param {{ begin: number, end?: number }} [time]
 * @param {number} [listed]
 * @returns {StepState}
 */
function getState({ eventsFile, ...step }, time, listed = 0) {
  const state = !time ? 'waiting' : time.end === undefined ? 'running' : 'done';
  const elapsed = time ? ((time.end ?? Date.now()) - time.begin) / 1000 : 0;
  return { ...step, listed, state, elapsed, tests: readEvents(eventsFile) };
}
