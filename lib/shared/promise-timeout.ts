import { timeLimit } from './time-limit';

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
