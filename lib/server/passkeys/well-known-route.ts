import { ApiProblem } from '@/lib/shared/problem';
import { env, type Env } from '@/lib/server/runtime';
import { apiRoute, type Route } from '@/lib/server/http';

/** Changes only with a restart. */
const CACHE_CONTROL = 'public, max-age=3600';

/** A well-known file that follows from the configuration, not found when `build` returns null. */
export function wellKnownRoute(build: (config: Env) => object | null): Route {
  return apiRoute({ method: 'GET', stateChanging: false, audience: 'public' }, ({ res }) => {
    const file = build(env());
    if (file === null) throw new ApiProblem('not-found');
    res.setHeader('cache-control', CACHE_CONTROL);
    return file;
  });
}
