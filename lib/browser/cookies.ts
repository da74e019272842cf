import Cookies from 'js-cookie';
import { browserCookies, cookieDomain, fitsSpec, LIFETIME, type BrowserCookieKey } from '@/lib/shared/browser-cookies';

export function readCookie(key: BrowserCookieKey): string | undefined {
  return Cookies.get(browserCookies[key].name);
}

/**
 * Sets a cookie with the lifetime and flags of the table. On a shared computer, a cookie with a lifetime of more than 15
 * minutes expires when the browser closes. A value larger than the table allows deletes the cookie.
 */
export function writeCookie(key: BrowserCookieKey, value: string, mainDomain: string): void {
  if (!fitsSpec(browserCookies[key], value)) return removeCookie(key, mainDomain);
  const { name, maxAge } = browserCookies[key];
  // `max-age` is relative, so a wrong device clock does not matter. Without it, the cookie expires when the browser closes.
  const isKept = maxAge !== null && (maxAge <= LIFETIME.veryShort || readCookie('sharedComputer') !== '1');
  const lifetime = isKept ? { 'max-age': String(maxAge) } : {};
  Cookies.set(name, value, { ...getCookieFlags(mainDomain), ...lifetime });
}

export function removeCookie(key: BrowserCookieKey, mainDomain: string): void {
  Cookies.remove(browserCookies[key].name, getCookieFlags(mainDomain));
}

/** Whether this browser accepts our cookies. `navigator.cookieEnabled` is true even if the learner has blocked them. */
export function areCookiesEnabled(mainDomain: string): boolean {
  writeCookie('probe', '1', mainDomain);
  const kept = readCookie('probe') === '1';
  if (kept) removeCookie('probe', mainDomain);
  return kept;
}

/**
 * Whether the learner consented to analytics and campaign cookies. The platform requests consent and stores it in the
 * cookie `marketing-consent` on the shared domain. Only `true` and `1` are consent.
 */
export function hasMarketingConsent(): boolean {
  return isAnswer('true', '1');
}

/** Whether the learner has refused consent, which also withdraws an earlier consent. */
export function isConsentRefused(): boolean {
  return isAnswer('false', '0');
}

// One function for both: every byte of it is in the first load.
function isAnswer(...answers: string[]): boolean {
  return answers.includes(readCookie('marketingConsent') ?? '');
}

function getCookieFlags(mainDomain: string) {
  return { path: '/', domain: cookieDomain(mainDomain), secure: true, sameSite: 'lax' } as const;
}
