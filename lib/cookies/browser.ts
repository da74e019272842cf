import Cookies from 'js-cookie';
import { cookieDomain, cookieTable, type CookieKey } from './table';

const SECONDS_PER_DAY = 86_400;

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
  const expires = maxAge === null ? undefined : maxAge / SECONDS_PER_DAY;
  Cookies.set(name, value, { ...flags(mainDomain), expires });
}

export function removeCookie(key: BrowserCookieKey, mainDomain: string): void {
  Cookies.remove(cookieTable[key].name, flags(mainDomain));
}

function flags(mainDomain: string) {
  return { path: '/', domain: cookieDomain(mainDomain), secure: true, sameSite: 'lax' } as const;
}
