import type { IncomingMessage } from 'node:http';
import { env, type Env, readOrigin } from '@/lib/server/runtime';

/**
 * The origin under which the browser opened a page. The host is the request's own, or the one forwarded by our proxies
 * when there are any; the scheme is the app's, since proxies in front of it terminate TLS.
 * @returns null when the host is missing or invalid
 */
export function getRequestOrigin(req: Pick<IncomingMessage, 'headers'>, config: Env = env()): string | null {
  const forwarded = config.TRUSTED_PROXY_HOPS > 0 ? req.headers['x-forwarded-host'] : undefined;
  const host = [forwarded ?? []].flat().join(',').split(',').at(-1)?.trim() || req.headers.host;
  const { protocol } = new URL(config.NEXT_PUBLIC_APP_ORIGIN);
  return host === undefined ? null : readOrigin(`${protocol}//${host}`);
}
