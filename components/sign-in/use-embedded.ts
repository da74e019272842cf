import { useSyncExternalStore } from 'react';
import { isEmbeddedBrowser } from '@/lib/embedded-browser';

/** Whether this page is shown inside another app; false until the browser is asked. */
export function useEmbedded(): boolean {
  return useSyncExternalStore(
    () => () => undefined,
    () => isEmbeddedBrowser(navigator.userAgent),
    () => false,
  );
}
