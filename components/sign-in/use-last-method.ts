import { useSyncExternalStore } from 'react';
import { lastMethod } from '@/lib/auth/last-method';

/** The sign-in method last used on this device; null until the browser is asked. */
export function useLastMethod(): string | null {
  return useSyncExternalStore(
    () => () => undefined,
    lastMethod,
    () => null,
  );
}
