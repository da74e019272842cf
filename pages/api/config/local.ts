import { ApiProblem } from '@/lib/api/problem';
import { env } from '@/lib/config/env';
import { apiRoute } from '@/lib/server/api';
import { appConfigOf } from '@/lib/server/app-config';
import { isLocalHost } from '@/lib/server/http/origins';
import { SHARED_CACHE_CONTROL } from '@/lib/server/page';

export const config = { api: { bodyParser: false } };

/** The config of local development; there is none on a public domain. */
export default apiRoute(
  { method: 'GET', stateChanging: false, limit: 'app-config', audience: 'public' },
  async ({ res }) => {
    const appOrigin = env().NEXT_PUBLIC_APP_ORIGIN;
    const appConfig = isLocalHost(new URL(appOrigin).hostname) ? await appConfigOf(appOrigin) : null;
    if (appConfig === null) throw new ApiProblem('not-found');
    res.setHeader('cache-control', SHARED_CACHE_CONTROL);
    return appConfig;
  },
);
