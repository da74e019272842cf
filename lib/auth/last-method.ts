import { storage } from '@/lib/storage';

/**
 * Notes the sign-in method last used on this device, to be marked on the sign-in page. Never says whose it was.
 * @param method a provider id such as `password` or `google.com`
 */
export function rememberMethod(method: string): void {
  storage('localStorage')?.setItem('last-sign-in-method', method);
}
