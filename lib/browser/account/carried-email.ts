import { storage } from '@/lib/browser/storage';

/** A text that one page has and the next one needs: stored in this tab only, and never in a URL. */
function carried(key: string) {
  const store = storage('sessionStorage');
  return {
    get: () => store.getItem(key) ?? '',
    set: (text: string) => store.setItem(key, text),
    forget: () => store.removeItem(key),
  };
}

/** The email address entered on one page, prefilled on the next. */
export const carriedEmail = carried('carried-email');

/** For a link to a page that needs it as well: takes along what the page's email field shows, if it has one. */
export function carryTypedEmail(): void {
  const field = document.querySelector<HTMLInputElement>('[name=email]');
  if (field) carriedEmail.set(field.value);
}

/** The name of a registration that is not confirmed yet, for a user who goes back to the form. */
export const carriedName = carried('carried-name');

/** The same for how it signs in: not empty without a password. */
export const carriedWay = carried('carried-way');

const getKey = (email: string) => `method-to-confirm ${email}`;

/**
 * Stores in this tab how the owner of an email that was confirmed has registered: a second factor comes before the session.
 * @param method a provider id such as `password` or `facebook.com`, or `PASSKEY_METHOD`
 */
export function keepMethodToConfirm(email: string, method: string): void {
  storage('sessionStorage').setItem(getKey(email), method);
}

/** The method stored for an email address; the password for any other one. */
export function getMethodToConfirm(email: string): string {
  return storage('sessionStorage').getItem(getKey(email)) ?? 'password';
}
