import { apiRoute, appendCookies, requireAdmin, type Route } from '@/lib/server/http';
import { isShuttingDown, isStarting, readMetrics, settle } from '@/lib/server/runtime';
import { buildSignedOutCookie, getSessionCookie, requireSessionAtOnce } from '@/lib/server/session';
import { getRecordsState, getRedisState } from '@/lib/server/storage';
import { apiPaths, sessionApiPaths } from '@/lib/shared/api-paths';
import { serverPaths } from '@/lib/shared/paths';
import { ApiProblem, isApiProblem } from '@/lib/shared/problem';

/** How long it takes until another process takes over. */
const RETRY_AFTER_SECONDS = 5;

/**
 * Returns whether requests should be routed to this process. An unreachable Redis or database is reported but does not
 * fail readiness, because sign-in works without them.
 * @throws ApiProblem `starting` or `shutting-down`
 */
export async function getReadiness() {
  if (isStarting()) throw new ApiProblem('starting', { retryAfter: RETRY_AFTER_SECONDS });
  if (isShuttingDown()) throw new ApiProblem('shutting-down', { retryAfter: RETRY_AFTER_SECONDS });
  const [redis, database] = await Promise.all([getRedisState(), getRecordsState()]);
  return { status: 'ready', redis, database } as const;
}

export const checkAuthStatus = apiRoute({ method: 'POST', stateChanging: false, isFrequent: true }, ({ req, res }) =>
  settle(
    () => requireSessionAtOnce(req),
    ({ status, sid }) => ({ ...status, sid }),
    (error) => {
      // Without a session cookie, set nothing, because a cross-site form sends no cookie and must not change the
      // browser's state. Never clear the session cookie here, because a concurrent response may have set a newer
      // cookie.
      if (isApiProblem(error) && error.status === 401 && getSessionCookie(req) !== null) {
        appendCookies(res, [buildSignedOutCookie()]);
      }
      throw error;
    },
  ),
);

export const reportLive = apiRoute({ method: 'GET', stateChanging: false, audience: 'own' }, () => ({
  status: 'live',
}));

export const reportReady = apiRoute({ method: 'GET', stateChanging: false, audience: 'own' }, () => getReadiness());

export const reportMetrics = apiRoute(
  { method: 'GET', stateChanging: false, limit: 'metrics', audience: 'own' },
  async ({ req, res }) => {
    requireAdmin(req, res);
    const { type, text } = await readMetrics();
    res.setHeader('content-type', type);
    res.end(text);
  },
);

/** Routes that both listeners serve, by path (docs/adr/0039). */
export const checkCalls: ReadonlyMap<string, Route> = new Map([
  [sessionApiPaths.checkAuthStatus, checkAuthStatus],
  [apiPaths.live, reportLive],
  [serverPaths.ready, reportReady],
  [serverPaths.metrics, reportMetrics],
]);
