import { isSharedComputer } from './shared-computer';
import { storage } from '@/lib/storage';

const KEY = 'last-sign-in-method';

/**
 * Notes the sign-in method last used on this device, to be marked on the sign-in page. Never says whose it was;
 * not noted on a computer that others use.
 * @param method a provider id such as `password` or `google.com`
 */
export function rememberMethod(method: string): void {
  if (isSharedComputer()) return;
  storage('localStorage').setItem(KEY, method);
}

/** The method last used on this device, or null. */
export function lastMethod(): string | null {
  return storage('localStorage').getItem(KEY);
}
