import type { IncomingMessage } from 'node:http';
import { ApiProblem } from '@/lib/api/problem';
import { isWithinDomain } from '@/lib/callback/rules';
import { env, platformOrigins, type Env } from '@/lib/config/env';

/**
 * Lets a state-changing call pass only when a page of the main domain made it (product decisions, 3): by `Origin`, or
 * by Fetch Metadata when the browser sent no `Origin`. A caller with neither is refused.
 * @throws ApiProblem `foreign-origin`
 */
export function checkCaller(req: Pick<IncomingMessage, 'headers'>, config: Env = env()): void {
  const { origin } = req.headers;
  const trusted =
    origin === undefined ? req.headers['sec-fetch-site'] === 'same-origin' : isInMainDomain(origin, config);
  if (!trusted) throw new ApiProblem('foreign-origin');
}

/** Whether an `Origin` header names a page of the main domain; plain http counts on this machine alone. */
export function isInMainDomain(origin: string, config: Env = env()): boolean {
  if (!URL.canParse(origin)) return false;
  const url = new URL(origin);
  if (url.origin !== origin || !isWithinDomain(url.hostname, config.NEXT_PUBLIC_MAIN_DOMAIN)) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLocalHost(url.hostname));
}

/** Whether a host name always means this machine (RFC 6761, section 6.3). */
export function isLocalHost(hostname: string): boolean {
  return isWithinDomain(hostname, 'localhost');
}

/**
 * Who may read an answer across origins: `platform` with credentials, `public` whoever asks (it holds nothing personal),
 * `own` nobody: our own pages alone, as it holds a token or concerns nobody else.
 */
export type Audience = 'platform' | 'public' | 'own';

/** The CORS headers of an answer; empty for those who may not read it. `Vary: Origin` is the caller's business. */
export function corsHeaders(
  origin: string | undefined,
  audience: Audience,
  config: Env = env(),
): Record<string, string> {
  if (origin === undefined || audience === 'own') return {};
  const withCredentials =
    audience === 'platform' ? platformOrigins(config).includes(origin) : isInMainDomain(origin, config);
  if (withCredentials) {
    return {
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': 'retry-after, x-request-id',
    };
  }
  return audience === 'public' ? { 'access-control-allow-origin': '*' } : {};
}
