import { apiPaths } from '@/lib/shared/api-paths';
import { passkeyPaths } from '@/lib/shared/passkey-paths';
import { secondFactorPaths } from '@/lib/shared/second-factor-paths';
import { serverPaths, wellKnownRoutes } from '@/lib/shared/paths';
import { securityApiPaths } from '@/lib/shared/security-paths';
import { OIDC_PATH } from '@/lib/shared/oidc-path';
import { sessionApiPaths } from '@/lib/shared/session-paths';

/** Most specific first: some routes are prefixes of others. */
const ROUTES: readonly string[] = [
  ...Object.values(apiPaths),
  ...Object.values(sessionApiPaths),
  ...Object.values(securityApiPaths),
  ...Object.values(passkeyPaths),
  ...Object.values(secondFactorPaths),
  ...Object.values(serverPaths),
  OIDC_PATH,
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
  // Some routes are requested at other URLs (middleware.ts).
  const wellKnown = wellKnownRoutes.get(path);
  if (wellKnown !== undefined) return wellKnown;
  const apiPath = path
    .replace(/^\/monitoring$/, serverPaths.errorTunnel)
    .replace(/^\/__(?=\/)/, serverPaths.authHelper);
  return ROUTES.find((route) => apiPath === route || apiPath.startsWith(`${route}/`)) ?? UNKNOWN_ROUTE;
}
