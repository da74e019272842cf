/**
 * Continues with what work returns: at once, or when its promise is settled. Frequent calls have nothing to wait for most of the time, and each
 * promise is a part of theirs (docs/adr/0039).
 * @param onError by default the error is thrown, or rejects the promise
 */
export function settle<T, R, E = never>(
  work: () => T | Promise<T>,
  onDone: (result: T) => R | Promise<R>,
  onError: (error: unknown) => E | Promise<E> = rethrow,
): R | E | Promise<R | E> {
  let result: T | Promise<T>;
  try {
    result = work();
  } catch (error) {
    return onError(error);
  }
  return result instanceof Promise ? result.then(onDone, onError) : onDone(result);
}

function rethrow(error: unknown): never {
  throw error;
}
