import type { ServerResponse } from 'node:http';
import { ApiProblem } from '@/lib/shared/problem';
import type { AppConfig } from '@/lib/shared/config/app-config';
import { reportError } from '@/lib/shared/error-reporting/report';
import { SHARED_CACHE_CONTROL } from './page';
import { providerUnavailable } from '@/lib/server/identity';
import { getAppConfig } from '@/lib/server/runtime';

/**
 * Sends the app config of an origin as an API response, with shared caching.
 * @throws ApiProblem `not-found` for an unknown origin, 503 when the identity host does not respond; that is reported
 */
export async function sendAppConfig(origin: string, res: ServerResponse): Promise<AppConfig> {
  const appConfig = await getAppConfig(origin).catch((error: unknown) => {
    reportError(error, { during: 'loading the app config' });
    throw providerUnavailable(error);
  });
  if (appConfig === null) throw new ApiProblem('not-found');
  res.setHeader('cache-control', SHARED_CACHE_CONTROL);
  return appConfig;
}
