import { timeLimit } from './promise-timeout';

// Beside `promiseTimeout`, which every page loads: a module of its own would be a part of each.
export { timeLimit };

/** Aborts after a limit of real time, in milliseconds. */
export function abortAfter(milliseconds: number): AbortSignal {
  return AbortSignal.timeout(timeLimit(milliseconds));
}
