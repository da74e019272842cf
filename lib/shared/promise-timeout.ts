/**
 * A limit of real time: how long the app waits for a database, a service, a browser. Every such wait takes its number through here,
 * so that the tests can give a slow machine more time. The product never sets `timeLimitFactor`: no variable and no request
 * reaches it, only code that runs before the app does (tests/support/time-limits.cjs).
 * @param milliseconds the limit in production
 * @returns the same there
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
