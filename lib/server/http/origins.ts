import type { IncomingMessage } from 'node:http';
import { env, getPlatformOrigins, isLocalHost, readOrigin, type Env } from '@/lib/server/runtime';
import { isWithinDomain } from '@/lib/shared/callback/rules';
import { ApiProblem } from '@/lib/shared/problem';

/**
 * Returns the origin under which the browser opened a page. The host is the request's own, or the host that our proxies
 * forwarded. The scheme is the app's, because proxies terminate TLS.
 * @returns null if the host is missing or invalid
 */
export function getRequestOrigin(req: Pick<IncomingMessage, 'headers'>, config: Env = env()): string | null {
  const forwarded = config.TRUSTED_PROXY_HOPS > 0 ? req.headers['x-forwarded-host'] : undefined;
  const host = [forwarded ?? []].flat().join(',').split(',').at(-1)?.trim() || req.headers.host;
  const { protocol } = new URL(config.NEXT_PUBLIC_APP_ORIGIN);
  return host === undefined ? null : readOrigin(`${protocol}//${host}`);
}

/**
 * Allows a call only from a page of this app. Use it for calls that return credentials for a session, because other
 * pages of the main domain and callers without an `Origin` must not read them.
 * @throws ApiProblem `foreign-origin`
 */
export function assertOwnOrigin(req: Pick<IncomingMessage, 'headers'>, config: Env = env()): void {
  const { origin } = req.headers;
  const own = [config.NEXT_PUBLIC_APP_ORIGIN, getRequestOrigin(req, config)];
  if (origin === undefined || !own.includes(origin)) throw new ApiProblem('foreign-origin');
}

/** Value of `PASSKEY_RP_ID` that turns passkeys off. */
const OFF = 'off';
/** An RP ID is a domain, not an IP address (WebAuthn Level 3, section 4, "RP ID"). */
const IP_ADDRESS = /^[\d.]+$|^\[/;

export type RelyingParty = {
  id: string;
  /** Origins of its pages, which are the only accepted values of `origin`. */
  origins: readonly string[];
};

/**
 * Returns the relying party of a configuration (docs/adr/0031).
 * @returns null without passkeys: they are turned off, accounts are at another deployment, or the app has no domain
 */
export function getRelyingParty(config: Env = env()): RelyingParty | null {
  const { PASSKEY_RP_ID: given, NEXT_PUBLIC_APP_ORIGIN: app, PASSKEY_ORIGINS: others } = config;
  const id = given ?? new URL(app).hostname;
  if (id === OFF || IP_ADDRESS.test(id) || config.SESSION_BACKEND === 'upstream') return null;
  return { id, origins: [...new Set([app, ...others])] };
}

/** Whether pages of an origin can use passkeys. */
export function arePasskeysOffered(req: Pick<IncomingMessage, 'headers'>): boolean {
  const origin = getRequestOrigin(req);
  return origin !== null && getRelyingParty()?.origins.includes(origin) === true;
}

/**
 * Returns the relying party for a call, which has its page's origin in `Origin`. @throws ApiProblem `not-found` without
 * passkeys, or from a page of another origin
 */
export function requireRelyingParty(req: Pick<IncomingMessage, 'headers'>): RelyingParty {
  const rp = getCallersRelyingParty(req);
  if (rp === null) throw new ApiProblem('not-found');
  return rp;
}

/**
 * Returns the relying party for a call, which has its page's origin in `Origin`. @returns null without passkeys, or for
 * a page of another origin
 */
export function getCallersRelyingParty(req: Pick<IncomingMessage, 'headers'>): RelyingParty | null {
  const rp = getRelyingParty();
  return rp?.origins.includes(req.headers.origin ?? '') === true ? rp : null;
}

/**
 * Allows a state-changing call only from a page of the main domain (docs/security.md, `csrf`). It checks `Origin`, or
 * Fetch Metadata if there is no `Origin`. A caller with neither is refused.
 * @throws ApiProblem `foreign-origin`
 */
export function assertAllowedOrigin(req: Pick<IncomingMessage, 'headers'>, config: Env = env()): void {
  const { origin } = req.headers;
  const trusted =
    origin === undefined ? req.headers['sec-fetch-site'] === 'same-origin' : isInMainDomain(origin, config);
  if (!trusted) throw new ApiProblem('foreign-origin');
}

/**
 * Whether an `Origin` header (RFC 6454, section 7) names a page of the main domain. Plain HTTP is allowed only on
 * localhost.
 */
export function isInMainDomain(origin: string, config: Env = env()): boolean {
  if (!URL.canParse(origin)) return false;
  const url = new URL(origin);
  if (url.origin !== origin || !isWithinDomain(url.hostname, config.NEXT_PUBLIC_MAIN_DOMAIN)) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLocalHost(url.hostname));
}

/**
 * The origins that may read a response:
 * - `platform`: the platform's origins, with credentials.
 * - `main-domain`: every page of the main domain, with credentials. The response has no personal data.
 * - `public`: any origin. The response has no personal data.
 * - `own`: only our own pages, because it contains a token or is of no use to others.
 */
export type Audience = 'platform' | 'main-domain' | 'public' | 'own';

/**
 * Builds the CORS headers of a response (Fetch standard, CORS protocol). They are empty for origins that may not read
 * it. The caller sets `Vary: Origin`.
 * @param origin the `Origin` header of the request
 */
export function getCorsHeaders(
  origin: string | undefined,
  audience: Audience,
  config: Env = env(),
): Record<string, string> {
  if (origin === undefined || audience === 'own') return {};
  const withCredentials =
    audience === 'platform' ? getPlatformOrigins(config).includes(origin) : isInMainDomain(origin, config);
  if (withCredentials) {
    return {
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': 'retry-after, x-request-id',
    };
  }
  return audience === 'public' ? { 'access-control-allow-origin': '*' } : {};
}
