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

/** Ids of flows (docs/adr/0022). A code without a flow uses its UUID. */
const FLOW_ID = /^[\w-]{8,36}$/;

export function isFlowId(value: unknown): value is string {
  return typeof value === 'string' && FLOW_ID.test(value);
}

/** The flow of the page that sends the request. Without it, the newest flow is used. */
export const flowField = z.optional(z.string().check(z.regex(FLOW_ID)));

/** The body of a request about a flow. Without a flow, the newest flow is used. */
export const flowSchema = z.optional(z.object({ flow: flowField }));

const ENCODING = { encode: encodeCookieValue };
/** Encoding of values that are already encoded. */
const AS_IS = { encode: (value: string) => value, decode: (value: string) => value };

const toName = (key: CookieKey) => getCookieName(key, env().NEXT_PUBLIC_MAIN_DOMAIN);
const toFlowName = (key: FlowCookieKey, flow: string) => getFlowCookieName(key, flow, env().NEXT_PUBLIC_MAIN_DOMAIN);

declare const issued: unique symbol;
/** A session cookie that the gate has issued. Only `session/open-session.ts` creates this type (docs/adr/0027). */
export type SessionCookie = string & { readonly [issued]: true };

/** Builds the `Set-Cookie` value of a session. No `Domain` is set for `localhost`. */
export function buildSetSessionCookie(cookie: SessionCookie): string {
  return formatCookie('session', toName('session'), cookie);
}

/**
 * Builds a `Set-Cookie` value (RFC 6265, section 4.1) with the lifetime and flags of `cookieTable`. It deletes the
 * cookie if the value is larger than the table allows.
 */
export function buildSetCookie(key: Exclude<CookieKey, 'session'>, value: string): string {
  if (!fitsCookie(key, value)) return buildClearCookie(key);
  return formatCookie(key, toName(key), value);
}

/** Builds a `Set-Cookie` value that deletes the cookie, with the same name, domain and path, and `Max-Age=0`. */
export function buildClearCookie(key: CookieKey): string {
  return formatCookie(key, toName(key), null);
}

export function buildSetFlowCookie(key: FlowCookieKey, flow: string, value: string): string {
  return formatCookie(key, toFlowName(key, flow), value);
}

export function buildClearFlowCookie(key: FlowCookieKey, flow: string): string {
  return formatCookie(key, toFlowName(key, flow), null);
}

/** Returns the flows' cookies in the order of the request. Browsers send the oldest first (RFC 6265, section 5.4). */
export function getFlowCookies({ cookies }: RequestCookies, key: FlowCookieKey): { flow: string; value: string }[] {
  const prefix = toFlowName(key, '');
  return Object.entries(cookies).flatMap(([name, value]) => {
    const flow = name.startsWith(prefix) ? name.slice(prefix.length) : null;
    return isFlowId(flow) && value !== undefined ? [{ flow, value }] : [];
  });
}

export type RequestCookies = { cookies: Partial<Record<string, string>> };

/** Reads a cookie that all hosts of the main domain receive. */
export function readCookie({ cookies }: RequestCookies, key: Exclude<CookieKey, HostCookieKey>): string | undefined {
  return cookies[cookieTable[key].name];
}

/**
 * Form of a session cookie. Another host of the main domain can plant cookies before the real session cookie. A header
 * of 16 KiB fits hundreds of short cookies but only 54 of this form and length, so all of these are read. Planted
 * cookies then cannot prevent a sign-out.
 */
const [SESSION_FORM, MIN_SESSION_LENGTH] = [/^[\w-]+\.[\w-]+\.[\w-]*$/, 300];
const isOfSessionForm = (value: string) => value.length >= MIN_SESSION_LENGTH && SESSION_FORM.test(value);
/** Maximum number of other values, which are no sessions. */
const MAX_OTHERS = 4;
const SESSION_NAME = cookieTable.session.name;

type CookieHeader = RequestCookies & Partial<Pick<IncomingMessage, 'headers'>>;

/** The session cookies that remain for a request after `keepSessionCookies`. */
const kept = new WeakMap<RequestCookies, readonly string[]>();

/**
 * Returns the non-empty session cookies of a request. A browser sends several if they differ in domain or path, such as
 * an old cookie of this host or of another main domain. Any of them can be the first (RFC 6265, section 5.4).
 */
export function readSessionCookies(req: CookieHeader): readonly string[] {
  return kept.get(req) ?? readSentSessionCookies(req);
}

/** Returns all session cookies that a request was sent with, even those that `keepSessionCookies` removed. */
export function readSentSessionCookies(req: CookieHeader): readonly string[] {
  const header = req.headers?.cookie ?? '';
  const at = header.indexOf(`${SESSION_NAME}=`);
  if (at === -1 || !header.includes(`${SESSION_NAME}=`, at + 1)) return [req.cookies[SESSION_NAME] || []].flat();
  const values = [...new Set(header.split(';').flatMap((pair) => parseCookie(pair)[SESSION_NAME] || []))];
  const sessions = values.filter(isOfSessionForm);
  return sessions.length > 0 ? sessions : values.slice(0, MAX_OTHERS);
}

/** Makes the rest of the request use only these session cookies. */
export function keepSessionCookies(req: RequestCookies, cookies: readonly string[]): void {
  kept.set(req, cookies);
}

/** Whether the user has declared that others use this computer, too. */
export function isSharedComputer(req: RequestCookies): boolean {
  return readCookie(req, 'sharedComputer') === '1';
}

/** Reads a cookie that only this app's own host receives. */
export function readHostCookie({ cookies }: RequestCookies, key: HostCookieKey): string | undefined {
  return cookies[toName(key)];
}

/**
 * Builds `Set-Cookie` values that delete a cookie of this name without the prefix, from this host and from the main
 * domain. Another host of the main domain can plant such a cookie. Returns none if the name has no prefix.
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
 * Builds `Set-Cookie` values that delete a cookie of the main domain from this host alone and from every other domain
 * above it. This app sets none there, but an earlier main domain or another program may have. Returns none on
 * localhost, where this app's own cookies belong to the host.
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

/** Clears stray copies of each repeated cookie. Either copy may be read, and a sign-out deletes only one. */
export function buildClearRepeatedCookies({ headers }: Pick<IncomingMessage, 'headers'>): string[] {
  const names = (headers.cookie ?? '').split(';').map((pair) => pair.split('=', 1)[0]?.trim() ?? '');
  if (new Set(names).size === names.length) return [];
  return mainDomainCookies
    .filter((key) => names.indexOf(cookieTable[key].name) !== names.lastIndexOf(cookieTable[key].name))
    .flatMap(buildClearStrayCookies);
}

/** A request of an API route or of a page's `getServerSideProps`. */
export type RequestWithCookies = IncomingMessage & RequestCookies;

/** Turns `Set-Cookie` values into session cookies if the computer is shared. Deleted cookies stay deleted. */
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
 * Chooses the language of a response, or of an email that the request causes.
 * @param more sources of the language that are not in the request's headers
 */
export function chooseRequestLanguage(
  { headers }: Pick<IncomingMessage, 'headers'>,
  more: Omit<LanguageSources, 'cookie' | 'acceptLanguage'> = {},
): ReturnType<typeof chooseLanguage> {
  const { [cookieTable.language.name]: cookie } = parseCookie(headers.cookie ?? '');
  return chooseLanguage({ ...more, cookie, acceptLanguage: headers['accept-language'] }, env().LOCALES);
}
