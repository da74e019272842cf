import type { IncomingMessage } from 'node:http';
import { ApiProblem } from '@/lib/shared/problem';
import { isWithinDomain } from '@/lib/shared/callback/rules';
import { env, getPlatformOrigins, type Env, isLocalHost } from '@/lib/server/runtime';

/**
 * Allows a state-changing call only from a page of the main domain (docs/product.md#session): by `Origin`, or by Fetch
 * Metadata when the browser sent no `Origin`. A caller with neither is refused.
 * @throws ApiProblem `foreign-origin`
 */
export function assertAllowedOrigin(req: Pick<IncomingMessage, 'headers'>, config: Env = env()): void {
  const { origin } = req.headers;
  const trusted =
    origin === undefined ? req.headers['sec-fetch-site'] === 'same-origin' : isInMainDomain(origin, config);
  if (!trusted) throw new ApiProblem('foreign-origin');
}

/** Whether an `Origin` header (RFC 6454, section 7) names a page of the main domain; plain http is allowed only on localhost. */
export function isInMainDomain(origin: string, config: Env = env()): boolean {
  if (!URL.canParse(origin)) return false;
  const url = new URL(origin);
  if (url.origin !== origin || !isWithinDomain(url.hostname, config.NEXT_PUBLIC_MAIN_DOMAIN)) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLocalHost(url.hostname));
}

/**
 * Who may read a response across origins: `platform` with credentials, `main-domain` every page of
 * it with credentials (no personal data), `public` any origin (no personal data), `own` none: only our own pages,
 * because it contains a token or is of no use to others.
 */
export type Audience = 'platform' | 'main-domain' | 'public' | 'own';

/**
 * The CORS headers of a response (Fetch standard, CORS protocol); empty for origins that may not read it. The caller sets
 * `Vary: Origin`.
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
