import { parseCookie, parseSetCookie, stringifySetCookie } from 'cookie';
import type { NextApiResponse } from 'next';
import * as z from 'zod/mini';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { env } from '@/lib/server/runtime';
import { cookieDomain, encodeCookieValue, type CookieSpec } from '@/lib/shared/browser-cookies';
import {
  cookieTable,
  fitsCookie,
  getCookieName,
  getFlowCookieName,
  mainDomainCookies,
  type CookieKey,
  type FlowCookieKey,
  type HostCookieKey,
} from '@/lib/shared/cookie-table';
import { chooseLanguage, type LanguageSources } from '@/lib/shared/i18n/choose-language';

/** Ids of flows (docs/adr/0022); that of a code without one is a UUID. */
const FLOW_ID = /^[\w-]{8,36}$/;

export function isFlowId(value: unknown): value is string {
  return typeof value === 'string' && FLOW_ID.test(value);
}

/** The flow of the page that sends a request; without one, it is about the newest. */
export const flowField = z.optional(z.string().check(z.regex(FLOW_ID)));

/** The body of a request about a flow; without one, it is about the newest. */
export const flowSchema = z.optional(z.object({ flow: flowField }));

const ENCODING = { encode: encodeCookieValue };
/** For values that stay encoded. */
const AS_IS = { encode: (value: string) => value, decode: (value: string) => value };

const toName = (key: CookieKey) => getCookieName(key, env().NEXT_PUBLIC_MAIN_DOMAIN);

declare const issued: unique symbol;
/** A session cookie that the gate has issued: only `session/open-session.ts` makes a string one (docs/adr/0027). */
export type SessionCookie = string & { readonly [issued]: true };

/** `Set-Cookie` value of a session. No `Domain` is set for `localhost`. */
export function buildSetSessionCookie(cookie: SessionCookie): string {
  return formatCookie('session', toName('session'), cookie);
}

/**
 * `Set-Cookie` value (RFC 6265, section 4.1) with the lifetime and flags of `cookieTable`; it deletes the cookie when the
 * value is larger than the table allows.
 */
export function buildSetCookie(key: Exclude<CookieKey, 'session'>, value: string): string {
  if (!fitsCookie(key, value)) return buildClearCookie(key);
  return formatCookie(key, toName(key), value);
}

/** `Set-Cookie` value that deletes the cookie: the same name, domain and path, with `Max-Age=0`. */
export function buildClearCookie(key: CookieKey): string {
  return formatCookie(key, toName(key), null);
}

export function buildSetFlowCookie(key: FlowCookieKey, flow: string, value: string): string {
  return formatCookie(key, getFlowCookieName(key, flow), value);
}

export function buildClearFlowCookie(key: FlowCookieKey, flow: string): string {
  return formatCookie(key, getFlowCookieName(key, flow), null);
}

/** The flows' cookies of a request, in its order: browsers send the oldest first (RFC 6265, section 5.4). */
export function getFlowCookies({ cookies }: RequestCookies, key: FlowCookieKey): { flow: string; value: string }[] {
  const prefix = getFlowCookieName(key, '');
  return Object.entries(cookies).flatMap(([name, value]) => {
    const flow = name.startsWith(prefix) ? name.slice(prefix.length) : null;
    return isFlowId(flow) && value !== undefined ? [{ flow, value }] : [];
  });
}

export type RequestCookies = { cookies: Partial<Record<string, string>> };

/** Value of a cookie that all hosts of the main domain get. */
export function readCookie({ cookies }: RequestCookies, key: Exclude<CookieKey, HostCookieKey>): string | undefined {
  return cookies[cookieTable[key].name];
}

/**
 * A header of 16 KiB has room for hundreds that are no session cookies, which another host of the main domain can plant in front of the one in
 * force. Of this form and length it has room for 54: all of them are read, so that no planted ones keep a session from being ended.
 */
const [SESSION_FORM, MIN_SESSION_LENGTH] = [/^[\w-]+\.[\w-]+\.[\w-]*$/, 300];
const isOfSessionForm = (value: string) => value.length >= MIN_SESSION_LENGTH && SESSION_FORM.test(value);
/** Of others, which are no sessions. */
const MAX_OTHERS = 4;
const SESSION_NAME = cookieTable.session.name;

type CookieHeader = RequestCookies & Partial<Pick<IncomingMessage, 'headers'>>;

/** What is left of those of a request once it is known more of them. */
const kept = new WeakMap<RequestCookies, readonly string[]>();

/**
 * The session cookies of a request, without empty ones. A browser sends several where they differ in domain or path: an old one of this host,
 * or of another main domain, beside the one in force. Either can be the first (RFC 6265, section 5.4).
 */
export function readSessionCookies(req: CookieHeader): readonly string[] {
  return kept.get(req) ?? readSentSessionCookies(req);
}

/** All session cookies that a request was sent with, whichever of them it goes by. */
export function readSentSessionCookies(req: CookieHeader): readonly string[] {
  const header = req.headers?.cookie ?? '';
  const at = header.indexOf(`${SESSION_NAME}=`);
  if (at === -1 || !header.includes(`${SESSION_NAME}=`, at + 1)) return [req.cookies[SESSION_NAME] || []].flat();
  const values = [...new Set(header.split(';').flatMap((pair) => parseCookie(pair)[SESSION_NAME] || []))];
  const sessions = values.filter(isOfSessionForm);
  return sessions.length > 0 ? sessions : values.slice(0, MAX_OTHERS);
}

/** Has the rest of the request go by these of its session cookies alone. */
export function keepSessionCookies(req: RequestCookies, cookies: readonly string[]): void {
  kept.set(req, cookies);
}

/** Whether the user has said that others use this computer, too. */
export function isSharedComputer(req: RequestCookies): boolean {
  return readCookie(req, 'sharedComputer') === '1';
}

/** Value of a cookie that only this app's own host gets. */
export function readHostCookie({ cookies }: RequestCookies, key: HostCookieKey): string | undefined {
  return cookies[toName(key)];
}

/**
 * `Set-Cookie` values that delete a cookie of this name without the prefix, as another host of the main domain can plant it, from this host
 * and from the main domain; none where the name has no prefix.
 */
export function buildClearPlainCookies(key: HostCookieKey): string[] {
  const { name, httpOnly }: CookieSpec = cookieTable[key];
  if (toName(key) === name) return [];
  const flags = { name, value: '', path: '/', secure: true, sameSite: 'lax', httpOnly, maxAge: 0 } as const;
  return [flags, { ...flags, domain: cookieDomain(env().NEXT_PUBLIC_MAIN_DOMAIN) }].map((cookie) =>
    stringifySetCookie(cookie, ENCODING),
  );
}

/**
 * `Set-Cookie` values that delete a cookie of the main domain from this host alone, and from every other domain above it: this app sets none
 * there, but an earlier main domain or another program may have. None on localhost, where this app's own are of the host.
 */
export function buildClearStrayCookies(key: Exclude<CookieKey, HostCookieKey>): string[] {
  const { NEXT_PUBLIC_MAIN_DOMAIN: mainDomain, NEXT_PUBLIC_APP_ORIGIN: origin } = env();
  if (cookieDomain(mainDomain) === undefined) return [];
  const labels = new URL(origin).hostname.split('.');
  const domains = labels.slice(0, -1).map((_, at) => labels.slice(at).join('.'));
  const { name, httpOnly }: CookieSpec = cookieTable[key];
  const flags = { name, value: '', path: '/', secure: true, sameSite: 'lax', httpOnly, maxAge: 0 } as const;
  return [undefined, ...domains.filter((domain) => domain !== mainDomain)].map((domain) =>
    stringifySetCookie({ ...flags, domain }, ENCODING),
  );
}

/** The same for each cookie that a request has twice: which of the two is read is chance, and signing out deletes one of them. */
export function buildClearRepeatedCookies({ headers }: Pick<IncomingMessage, 'headers'>): string[] {
  const names = (headers.cookie ?? '').split(';').map((pair) => pair.split('=', 1)[0]?.trim() ?? '');
  if (new Set(names).size === names.length) return [];
  return mainDomainCookies
    .filter((key) => names.indexOf(cookieTable[key].name) !== names.lastIndexOf(cookieTable[key].name))
    .flatMap(buildClearStrayCookies);
}

/** A request of an API route or of a page's `getServerSideProps`. */
export type RequestWithCookies = IncomingMessage & RequestCookies;

/** Turns the same `Set-Cookie` values into session cookies on a shared computer. Deleted cookies stay deleted. */
export function applySharedComputerExpiry(req: RequestCookies, headers: readonly string[]): string[] {
  if (!isSharedComputer(req)) return [...headers];
  return headers.map((header) => {
    const cookie = parseSetCookie(header, AS_IS);
    return cookie?.value ? stringifySetCookie({ ...cookie, maxAge: undefined, expires: undefined }, AS_IS) : header;
  });
}

/** Adds `Set-Cookie` headers to those already set. */
export function appendCookies(res: NextApiResponse | ServerResponse, headers: readonly string[]): void {
  const existing = res.getHeader('set-cookie');
  const before = Array.isArray(existing) ? existing : existing === undefined ? [] : [String(existing)];
  res.setHeader('set-cookie', [...before, ...headers]);
}

/** @param value null deletes the cookie */
function formatCookie(key: CookieKey, name: string, value: string | null): string {
  const { maxAge, httpOnly, hostOnly }: CookieSpec = cookieTable[key];
  const domain = hostOnly ? undefined : cookieDomain(env().NEXT_PUBLIC_MAIN_DOMAIN);
  const flags = { path: '/', domain, secure: true, sameSite: 'lax', httpOnly } as const;
  return stringifySetCookie(
    { ...flags, name, value: value ?? '', maxAge: value === null ? 0 : (maxAge ?? undefined) },
    ENCODING,
  );
}

/**
 * The language of a response, or of an email that the request causes.
 * @param more what the request's headers do not say
 */
export function chooseRequestLanguage(
  { headers }: Pick<IncomingMessage, 'headers'>,
  more: Omit<LanguageSources, 'cookie' | 'acceptLanguage'> = {},
): ReturnType<typeof chooseLanguage> {
  const { [cookieTable.language.name]: cookie } = parseCookie(headers.cookie ?? '');
  return chooseLanguage({ ...more, cookie, acceptLanguage: headers['accept-language'] }, env().LOCALES);
}
