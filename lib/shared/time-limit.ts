import { timeLimit } from './promise-timeout';

// Implemented next to `promiseTimeout`, which every page loads, because a separate module would be part of every page.
export { timeLimit };

/** Creates a signal that aborts after a limit of real time. @param milliseconds the limit in production */
export function abortAfter(milliseconds: number): AbortSignal {
  return AbortSignal.timeout(timeLimit(milliseconds));
}
