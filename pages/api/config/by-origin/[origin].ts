import { ApiProblem } from '@/lib/api/problem';
import { reportError } from '@/lib/sentry/report';
import { apiRoute } from '@/lib/server/api';
import { appConfigOf } from '@/lib/server/app-config';
import { readOrigin } from '@/lib/server/app-config/origin';
import { SHARED_CACHE_CONTROL } from '@/lib/server/page';
import { providerUnavailable } from '@/lib/server/session/provider-errors';

export const config = { api: { bodyParser: false } };

/** Branding and switches of an origin (specification, section 7; product decisions, 4). */
export default apiRoute(
  { method: 'GET', stateChanging: false, limit: 'app-config', audience: 'public' },
  async ({ req, res }) => {
    const { origin: written } = req.query;
    const origin = typeof written === 'string' ? readOrigin(written) : null;
    if (origin === null) throw new ApiProblem('bad-request', { detail: 'Not an origin' });
    const appConfig = await appConfigOf(origin).catch((error: unknown) => {
      reportError(error, { during: 'loading the app config' });
      throw providerUnavailable(error);
    });
    if (appConfig === null) throw new ApiProblem('not-found');
    res.setHeader('cache-control', SHARED_CACHE_CONTROL);
    return appConfig;
  },
);
