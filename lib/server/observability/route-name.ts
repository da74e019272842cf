import { apiPaths, serverPaths, wellKnownPaths } from '@/lib/shared/paths';
import { securityApiPaths } from '@/lib/shared/security-paths';

/** Most specific first: some routes are prefixes of others. */
const ROUTES: readonly string[] = [
  ...Object.values(apiPaths),
  ...Object.values(securityApiPaths),
  ...Object.values(serverPaths),
]
  .sort()
  .reverse();
/** Name of every unknown route. */
export const UNKNOWN_ROUTE = 'other';

/**
 * The route's fixed name for logs, reports and counters. The raw path is never recorded: clients control its length and
 * content.
 */
export function getRouteName(url: string): string {
  const path = url.split('?', 1).join('');
  if (ROUTES.includes(path)) return path;
  // Three routes are requested at other URLs (middleware.ts).
  if (path === wellKnownPaths.securityTxt) return serverPaths.securityTxt;
  const apiPath = path
    .replace(/^\/monitoring$/, serverPaths.errorTunnel)
    .replace(/^\/__(?=\/)/, serverPaths.authHelper);
  return ROUTES.find((route) => apiPath === route || apiPath.startsWith(`${route}/`)) ?? UNKNOWN_ROUTE;
}
