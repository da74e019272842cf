/**
 * A limit of real time: how long the app waits for a database, a service, a browser. Every such wait takes its number through here,
 * so that the tests can give a slow machine more time. The product never sets `timeLimitFactor`: no variable and no request
 * reaches it, only code that runs before the app does (tests/support/time-limits.mjs).
 * @param milliseconds the limit in production
 * @returns the same there
 */
export function timeLimit(milliseconds: number): number {
  return milliseconds * (globalThis.timeLimitFactor ?? 1);
}

/** Aborts after a limit of real time, in milliseconds. */
export function abortAfter(milliseconds: number): AbortSignal {
  return AbortSignal.timeout(timeLimit(milliseconds));
}
