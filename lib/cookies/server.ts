import { parseSetCookie, stringifySetCookie } from 'cookie';
import type { NextApiResponse } from 'next';
import type { ServerResponse } from 'node:http';
import { cookieDomain, cookieTable, type CookieKey } from './table';

/** `Set-Cookie` value with the lifetime and flags of the table. */
export function setCookieHeader(key: CookieKey, value: string, mainDomain: string): string {
  const { name, maxAge, httpOnly } = cookieTable[key];
  return stringifySetCookie({ ...flags(mainDomain), name, value, maxAge: maxAge ?? undefined, httpOnly });
}

/** `Set-Cookie` value that makes the browser forget the cookie. */
export function clearCookieHeader(key: CookieKey, mainDomain: string): string {
  const { name, httpOnly } = cookieTable[key];
  return stringifySetCookie({ ...flags(mainDomain), name, value: '', maxAge: 0, httpOnly });
}

type WithCookies = { cookies: Partial<Record<string, string>> };

/**
 * The same `Set-Cookie` values, but on a computer that others use they last until the browser is closed. Cookies that are
 * taken away still are.
 */
export function asLongAsAsked(req: WithCookies, headers: readonly string[]): string[] {
  if (req.cookies[cookieTable.sharedComputer.name] !== '1') return [...headers];
  return headers.map((header) => {
    const cookie = parseSetCookie(header);
    return cookie?.value ? stringifySetCookie({ ...cookie, maxAge: undefined, expires: undefined }) : header;
  });
}

/** Adds `Set-Cookie` headers beside those already there. */
export function appendCookies(res: NextApiResponse | ServerResponse, headers: readonly string[]): void {
  const existing = res.getHeader('set-cookie');
  const before = Array.isArray(existing) ? existing : existing === undefined ? [] : [String(existing)];
  res.setHeader('set-cookie', [...before, ...headers]);
}

function flags(mainDomain: string) {
  return { path: '/', domain: cookieDomain(mainDomain), secure: true, sameSite: 'lax' } as const;
}
