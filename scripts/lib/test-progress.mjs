import { readEvents } from './test-events.mjs';
import { countTests, estimateSecondsLeft } from './test-estimate.mjs';

/** @typedef {import('./test-estimate.mjs').StepState} StepState */

const TERMINAL_INTERVAL_MS = 1_000;
const LOG_INTERVAL_MS = 30_000;
const SLOWEST = 10;

/**
 * Reports the progress of a run: in place on a terminal, elsewhere as a line every 30 s.
 * @param {{ name: string, seconds: number, hasTests: boolean, eventsFile: string }[]} steps
 * @param {{ isTTY?: boolean, columns?: number, write: (text: string) => unknown }} out
 */
export function showProgress(steps, out = process.stdout) {
  const begin = Date.now();
  /** @type {Map<string, StepState['state']>} */
  const states = new Map();
  const print = () => {
    const now = steps.map(({ eventsFile, ...step }) => ({
      ...step,
      state: states.get(step.name) ?? 'waiting',
      tests: readEvents(eventsFile),
    }));
    const line = formatProgress(now, estimateSecondsLeft(now, (Date.now() - begin) / 1000));
    out.write(out.isTTY ? `\r\u001b[K${line.slice(0, (out.columns ?? 80) - 1)}` : `${line}\n`);
  };
  const timer = setInterval(print, out.isTTY ? TERMINAL_INTERVAL_MS : LOG_INTERVAL_MS);
  const clear = () => out.isTTY && out.write('\r\u001b[K');
  return {
    /** @param {string} name */
    begin: (name) => void states.set(name, 'running'),
    /** @param {string} name */
    end(name) {
      states.set(name, 'done');
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
