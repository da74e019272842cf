import { storage } from '@/lib/browser/storage';

/** Passes a text to the next page. It is stored in this tab only, and never in a URL. */
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

/** Carries the contents of the page's email field, if there is one, to the page behind a link. */
export function carryTypedEmail(): void {
  // The link is outside of the form, and on some pages there is no form.
  const field = document.querySelector<HTMLInputElement>('[name=email]');
  if (field) carriedEmail.set(field.value);
}

/** The name of an unconfirmed registration, for a user who goes back to the form. */
export const carriedName = carried('carried-name');

/** How an unconfirmed registration signs in. Not empty if it has no password. */
export const carriedWay = carried('carried-way');

const getKey = (email: string) => `method-to-confirm ${email}`;

/**
 * Stores in this tab how the owner of a confirmed email has registered. The page needs it if a second factor comes before
 * the session.
 * @param method a provider id such as `password` or `facebook.com`, or `PASSKEY_METHOD`
 */
export function keepMethodToConfirm(email: string, method: string): void {
  storage('sessionStorage').setItem(getKey(email), method);
}

/** Returns the method stored for an email address, or else the password. */
export function getMethodToConfirm(email: string): string {
  return storage('sessionStorage').getItem(getKey(email)) ?? 'password';
}
