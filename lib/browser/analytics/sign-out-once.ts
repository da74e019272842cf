import { storage } from '@/lib/browser/storage';

const KEY = 'sign-out-recorded';

/**
 * Whether a session's sign-out has not been recorded yet on this device: it is recorded only once
 * (docs/product.md#states).
 */
export function isFirstSignOut(sessionId: string): boolean {
  const store = storage('localStorage');
  if (store.getItem(KEY) === sessionId) return false;
  store.setItem(KEY, sessionId);
  return true;
}
