/**
 * Returns a limit of real time for a wait on a database, a service or a browser. Every such wait uses this function, so
 * that tests can give a slow machine more time. Only code that runs before the app can set `timeLimitFactor`
 * (tests/support/time-limits.cjs). No variable and no request can.
 * @param milliseconds the limit in production
 * @returns `milliseconds` in production, more in tests
 */
export const timeLimit = (milliseconds: number): number => milliseconds * (globalThis.timeLimitFactor ?? 1);

/**
 * Rejects if a promise takes too long (docs/product.md#error-codes).
 * @param milliseconds 2000 by default
 * @throws Error with the message `timeout!` when the timeout expires first
 */
export async function promiseTimeout<T>(promise: Promise<T>, milliseconds = 2000): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expiry = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('timeout!')), timeLimit(milliseconds));
  });
  try {
    return await Promise.race([promise, expiry]);
  } finally {
    clearTimeout(timer);
  }
}
