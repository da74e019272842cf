import { storage } from '@/lib/storage';

const KEY = 'last-sign-in-method';

/** The sign-in method last used on this device, to be marked on the sign-in page. Never says whose it was. */
export function lastMethod(): string | null {
  return storage('localStorage')?.getItem(KEY) ?? null;
}

/** @param method a provider id such as `password` or `google.com` */
export function rememberMethod(method: string): void {
  storage('localStorage')?.setItem(KEY, method);
}
