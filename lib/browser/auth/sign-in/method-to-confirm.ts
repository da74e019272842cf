import { storage } from '@/lib/browser/storage';

const getKey = (email: string) => `method-to-confirm ${email}`;

/**
 * Stores in this tab the sign-in method of a user who must enter a code before the session is opened.
 * @param email the email address that the code is sent to
 * @param method a provider id such as `password` or `facebook.com`
 */
export function keepMethodToConfirm(email: string, method: string): void {
  storage('sessionStorage').setItem(getKey(email), method);
}

/**
 * The method stored for an email address; the password for any other one, which was registered here or in another tab.
 */
export function getMethodToConfirm(email: string): string {
  return storage('sessionStorage').getItem(getKey(email)) ?? 'password';
}
