import { useSyncExternalStore } from 'react';

/**
 * A value that only the browser knows, such as a cookie. Server rendering and hydration use a value that is valid for
 * all users.
 * @param read called on every render; equal results must be the same reference
 * @param before the value until hydration is complete
 */
export function useClientValue<T>(read: () => T, before: T): T {
  return useSyncExternalStore(never, read, () => before);
}

function never() {
  return () => undefined;
}
