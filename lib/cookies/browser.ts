import Cookies from 'js-cookie';
import { cookieDomain, cookieTable, type CookieKey } from './table';

/** Cookies a script may read: those not marked HttpOnly in the table. */
export type BrowserCookieKey = {
  [K in CookieKey]: (typeof cookieTable)[K]['httpOnly'] extends true ? never : K;
}[CookieKey];

export function readCookie(key: BrowserCookieKey): string | undefined {
  return Cookies.get(cookieTable[key].name);
}

/** Sets a cookie with the lifetime and flags of the table. */
export function writeCookie(key: BrowserCookieKey, value: string, mainDomain: string): void {
  const { name, maxAge } = cookieTable[key];
  // Counted by the browser from now, whatever it takes the time to be; without it, until the browser is closed.
  const lifetime = maxAge === null ? {} : { 'max-age': String(maxAge) };
  Cookies.set(name, value, { ...flags(mainDomain), ...lifetime });
}

export function removeCookie(key: BrowserCookieKey, mainDomain: string): void {
  Cookies.remove(cookieTable[key].name, flags(mainDomain));
}

/** Whether this browser keeps our cookies; `navigator.cookieEnabled` says so even where a learner has blocked them. */
export function keepsCookies(mainDomain: string): boolean {
  writeCookie('probe', '1', mainDomain);
  const kept = readCookie('probe') === '1';
  if (kept) removeCookie('probe', mainDomain);
  return kept;
}

function flags(mainDomain: string) {
  return { path: '/', domain: cookieDomain(mainDomain), secure: true, sameSite: 'lax' } as const;
}
