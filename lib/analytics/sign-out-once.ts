import { storage } from '@/lib/storage';

const KEY = 'sign-out-recorded';

/** Whether a session's sign-out has not been recorded yet on this device: it is recorded once (specification, section 4). */
export function isFirstSignOut(sessionId: string): boolean {
  const store = storage('localStorage');
  if (store.getItem(KEY) === sessionId) return false;
  store.setItem(KEY, sessionId);
  return true;
}
