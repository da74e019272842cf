import { useSyncExternalStore } from 'react';

/**
 * Something that only the browser knows, such as a cookie. The server's answer, and the page while it takes that answer
 * over, show what holds for everybody.
 * @param read asked at every render; equal answers must be the same value
 * @param before what is shown until the browser is asked
 */
export function useBrowserFact<T>(read: () => T, before: T): T {
  return useSyncExternalStore(never, read, () => before);
}

function never() {
  return () => undefined;
}
