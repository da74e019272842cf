import { parseSetCookie, stringifyCookie, stringifySetCookie } from 'cookie';
import { z } from 'zod';
import { ApiProblem, isApiProblem, PROBLEMS, type ProblemCode } from '@/lib/shared/problem';
import { cookieDomain, type CookieSpec } from '@/lib/shared/browser-cookies';
import { cookieTable } from '@/lib/shared/cookie-table';
import { sessionApiPaths } from '@/lib/shared/api-paths';
import { reportError } from '@/lib/shared/error-reporting/report';
import { sessionStatusSchema } from '@/lib/shared/session-contract';
import { readJson, getOwnTraceHeaders, setRequestAccount } from '@/lib/server/runtime';
import { readUnverified } from '@/lib/server/http';
import { providerUnavailable, measureProviderCall } from '@/lib/server/identity';
import { getSessionId } from './tokens';
import type { LiveSession, SessionBackend } from './types';
import { abortAfter } from '@/lib/shared/time-limit';

/** Timeout of the other deployment, in milliseconds (docs/product.md#session). */
const REQUEST_TIMEOUT_MS = 5_000;
/** Maximum size of a response, in bytes. */
const MAX_RESPONSE_BYTES = 16 * 1024;
/** Browsers do not store a longer cookie (RFC 6265, section 6.1). A request with a longer cookie is refused. */
const MAX_COOKIE_BYTES = 4096;

type Options = {
  /** Origin of the other identity deployment. */
  url: string;
  mainDomain: string;
};

/**
 * Manages sessions at another identity deployment. It parses and rebuilds responses. It forwards only the session
 * cookie inbound, and cookies outbound, rewritten to our domain.
 */
export function createUpstreamBackend({ url, mainDomain }: Options): SessionBackend {
  const call = (path: string, cookie?: string, body?: unknown) => post(new URL(path, url), cookie, body);
  const open = async (token: string) => {
    const response = await call(sessionApiPaths.createUserSession, undefined, { token });
    await response.body?.cancel();
    const cookies = response.headers.getSetCookie();
    // A captive portal's 200 must not count as a session.
    if (!cookies.some((header) => parseSetCookie(header)?.name === cookieTable.session.name))
      throw providerUnavailable(new Error('The upstream identity API answered without a session'));
    return {
      cookies: cookies.flatMap((header) => rewrite(header, mainDomain)),
      email: getEmail(token),
      user: null,
      announcedFrom: null,
      deletionAt: null,
    };
  };
  return {
    open,
    openWithSecondFactor: open,
    replace: open,
    renew: () => Promise.reject(new ApiProblem('not-found')),
    // Only the other deployment knows the devices of its sessions.
    requireOwnBrowser: () => Promise.resolve(null),
    async check(cookie) {
      return readSession(cookie, await call(sessionApiPaths.checkAuthStatus, cookie));
    },
    async end(cookie) {
      await call(sessionApiPaths.initiateLogout, cookie).catch((error: unknown) => {
        // There is no session upstream either, so the sign-out is already complete.
        if (!isApiProblem(error) || error.status !== 401) throw error;
      });
      return null;
    },
  };
}

async function post(address: URL, cookie: string | undefined, body: unknown): Promise<Response> {
  const headers = new Headers({ ...getOwnTraceHeaders(), origin: address.origin, accept: 'application/json' });
  if (cookie !== undefined) {
    const written = stringifyCookie({ [cookieTable.session.name]: cookie });
    if (written.length > MAX_COOKIE_BYTES) throw new ApiProblem('session-required');
    headers.set('cookie', written);
  }
  if (body !== undefined) headers.set('content-type', 'application/json');
  const init: RequestInit = {
    method: 'POST',
    headers,
    redirect: 'manual',
    signal: abortAfter(REQUEST_TIMEOUT_MS),
  };
  if (body !== undefined) init.body = JSON.stringify(body);
  return measureProviderCall('upstream', async () => {
    const response = await fetch(address, init).catch((error: unknown) => {
      throw providerUnavailable(error);
    });
    if (response.status === 200) return response;
    throw await readUpstreamProblem(response);
  });
}

/** @returns null for a body that cannot be parsed */
function readResponse(response: Response): Promise<unknown> {
  return readJson(response, MAX_RESPONSE_BYTES).catch(() => null);
}

/** Maps an upstream problem to the same code if known here, else by its status. */
async function readUpstreamProblem(response: Response): Promise<ApiProblem> {
  const { code } = problemSchema.parse(await readResponse(response));
  if (code !== null && PROBLEMS[code] === response.status && response.status < 500) {
    return new ApiProblem(code, { retryAfter: getRetryAfter(response) });
  }
  if (response.status === 401) return new ApiProblem('session-required');
  return providerUnavailable(new Error(`The upstream identity API answered ${String(response.status)}`));
}

const isProblemCode = (code: string): code is ProblemCode => Object.hasOwn(PROBLEMS, code);
const problemSchema = z.object({ code: z.string().refine(isProblemCode).nullable().catch(null) }).catch({ code: null });

function getRetryAfter(response: Response): number | undefined {
  return z.coerce.number().positive().max(3600).optional().catch(undefined).parse(response.headers.get('retry-after'));
}

async function readSession(cookie: string, response: Response): Promise<LiveSession> {
  const parsed = sessionStatusSchema.safeParse(await readResponse(response));
  if (!parsed.success) {
    reportError(new Error('The session from the upstream identity API does not match the schema'));
    throw providerUnavailable();
  }
  setRequestAccount(parsed.data.uid);
  return { sid: getSessionId(cookie), status: parsed.data, authTime: null, validSince: null, signIn: null, claims: {} };
}

// Cookies that belong to a single host are not shared.
const sharedCookies = Object.values<CookieSpec>(cookieTable).filter(({ hostOnly }) => !hostOnly);
const ours = new Map<string, boolean>(sharedCookies.map((spec) => [spec.name, spec.httpOnly ?? false]));

/** Rewrites a cookie to our main domain with our flags. Returns none for a name that the deployments do not share. */
function rewrite(header: string, mainDomain: string): string[] {
  const { name = '', value, maxAge, expires } = parseSetCookie(header) ?? {};
  const httpOnly = ours.get(name);
  if (httpOnly === undefined) return [];
  const domain = cookieDomain(mainDomain);
  return [
    stringifySetCookie({ name, value, maxAge, expires, httpOnly, domain, path: '/', secure: true, sameSite: 'lax' }),
  ];
}

/** Reads the email in an ID token that the other deployment has just verified. */
function getEmail(token: string): string | null {
  const email = readUnverified(token)?.email;
  return typeof email === 'string' ? email : null;
}
