/**
 * Bounds how long a promise is waited for (specification, section 8).
 * @param milliseconds 2000 unless told otherwise
 * @throws Error with the message `timeout!` when the time is up first
 */
export async function promiseTimeout<T>(promise: Promise<T>, milliseconds = 2000): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expiry = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('timeout!')), milliseconds);
  });
  try {
    return await Promise.race([promise, expiry]);
  } finally {
    clearTimeout(timer);
  }
}
