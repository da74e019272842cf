import { readCookie, removeCookie, writeCookie } from '@/lib/browser/cookies';
import { storage } from '@/lib/browser/storage';
import type { PublicEnv } from '@/lib/shared/config/public-env';

/** Whether the learner marked this as a shared computer. No data of their sign-in may outlive the browser session then. */
export function isSharedComputer(): boolean {
  return readCookie('sharedComputer') === '1';
}

export function setSharedComputer(env: PublicEnv, shared: boolean): void {
  if (shared) writeCookie('sharedComputer', '1', env.mainDomain);
  else removeCookie('sharedComputer', env.mainDomain);
}

const KEY = 'last-sign-in-method';

/** The method name for a sign-in by an emailed link. All other methods are provider ids. */
export const EMAIL_LINK_METHOD = 'emailLink';

/**
 * Stores the sign-in method last used on this device, to highlight it on the sign-in page. It never stores the account,
 * and stores nothing on a shared computer.
 * @param method a provider id such as `password` or `google.com`
 */
export function rememberMethod(method: string): void {
  if (isSharedComputer()) return;
  storage('localStorage').setItem(KEY, method);
}

/** The key of the list in `remembered-accounts.ts`. /sign-in loads that module only if the list exists. */
export const ACCOUNTS_KEY = 'remembered-accounts';

export function hasRememberedAccounts(): boolean {
  return storage('localStorage').getItem(ACCOUNTS_KEY) !== null;
}

/** Returns the method last used on this device, or null. */
export function getLastMethod(): string | null {
  return storage('localStorage').getItem(KEY);
}
