import { isSharedComputer } from './shared-computer';
import { storage } from '@/lib/browser/storage';

const KEY = 'last-sign-in-method';

/** The method of a sign-in by an emailed link, beside the provider ids. */
export const EMAIL_LINK_METHOD = 'emailLink';

/**
 * Stores the sign-in method last used on this device, to highlight it on the sign-in page. Never stores the account;
 * not stored on a shared computer.
 * @param method a provider id such as `password` or `google.com`
 */
export function rememberMethod(method: string): void {
  if (isSharedComputer()) return;
  storage('localStorage').setItem(KEY, method);
}

/** Where `remembered-accounts.ts` stores its list: /sign-in loads that module only if there is one. */
export const ACCOUNTS_KEY = 'remembered-accounts';

export function hasRememberedAccounts(): boolean {
  return storage('localStorage').getItem(ACCOUNTS_KEY) !== null;
}

/** The method last used on this device, or null. */
export function getLastMethod(): string | null {
  return storage('localStorage').getItem(KEY);
}
