import type { IncomingMessage } from 'node:http';
import { getExternalRoute } from '@/lib/shared/external-routes';
import { paths } from '@/lib/shared/paths';

/** An answer in place of the handler's. */
export type Refusal = { status: 303 | 400 | 404 | 405; headers: Record<string, string> };

const PAGE_METHODS = ['GET', 'HEAD'];
/** Its form works without scripts. */
const FORM_PAGES: readonly string[] = [paths.signOut];
const ROUTE_METHODS = [...PAGE_METHODS, 'POST', 'OPTIONS'];

/**
 * Refuses requests that the framework answers with an error, or with a redirect to a foreign host: targets that are no
 * path of this host (RFC 9112, section 3.2), and methods that pages do not have. API routes refuse methods themselves,
 * but the middleware in front of some cannot represent TRACE.
 * @returns null for a request that the framework can answer
 */
export function findRefusal({
  url = '',
  method = '',
  headers,
}: Pick<IncomingMessage, 'url' | 'method' | 'headers'>): Refusal | null {
  if (url === '*' && method === 'OPTIONS') return refuseMethod(PAGE_METHODS);
  // `//host` and `/\host` name a host where they are resolved as a reference (RFC 3986, section 4.2).
  if (!/^\/(?![/\\])/.test(url)) return { status: 400, headers: {} };
  const path = url.split(/[?#]/, 1)[0] ?? '';
  if (path.startsWith('/api/') || path === '/api' || getExternalRoute(path) !== null)
    return method === 'TRACE' ? refuseMethod(ROUTE_METHODS) : null;
  const allowed = FORM_PAGES.includes(path) ? [...PAGE_METHODS, 'POST'] : PAGE_METHODS;
  if (allowed.includes(method)) return null;
  if (method === 'POST' && isForm(headers) && /^[\x21-\x7e]+$/.test(url))
    return { status: 303, headers: { location: url } };
  return refuseMethod(allowed);
}

/** Forms are posted to their page where scripts do not run: the page says so, and must not see what was typed. */
function isForm(headers: IncomingMessage['headers']): boolean {
  return headers['content-type'] === 'application/x-www-form-urlencoded';
}

function refuseMethod(allowed: readonly string[]): Refusal {
  return { status: 405, headers: { allow: allowed.join(', ') } };
}
