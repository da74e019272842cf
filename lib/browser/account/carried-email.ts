import { storage } from '@/lib/browser/storage';

const EMAIL_KEY = 'carried-email';
const NAME_KEY = 'carried-name';

/** The email address entered on one page, prefilled on the next; stored in this tab only and never in a URL. */
export function getCarriedEmail(): string {
  return storage('sessionStorage').getItem(EMAIL_KEY) ?? '';
}

export function carryEmail(email: string): void {
  storage('sessionStorage').setItem(EMAIL_KEY, email);
}

export function forgetCarriedEmail(): void {
  storage('sessionStorage').removeItem(EMAIL_KEY);
}

/** The name of a registration that is not confirmed yet, for a user who goes back to the form. */
export function getCarriedName(): string {
  return storage('sessionStorage').getItem(NAME_KEY) ?? '';
}

export function carryName(name: string): void {
  storage('sessionStorage').setItem(NAME_KEY, name);
}

/** The account has its name: the next person to register in this tab has another. */
export function forgetCarriedName(): void {
  storage('sessionStorage').removeItem(NAME_KEY);
}

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
