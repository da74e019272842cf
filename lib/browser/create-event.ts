/** Creates an event of this page with its listeners. */
export function createEvent<T = void>() {
  const listeners = new Set<(event: T) => void>();
  return {
    /** @returns a function that removes the listener */
    on: (listener: (event: T) => void): (() => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    emit: (event: T): void => listeners.forEach((listener) => listener(event)),
  };
}
