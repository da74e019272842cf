import type { ServerResponse } from 'node:http';
import { ApiProblem } from '@/lib/api/problem';
import type { AppConfig } from '@/lib/config/app-config';
import { reportError } from '@/lib/sentry/report';
import { SHARED_CACHE_CONTROL } from '../page';
import { providerUnavailable } from '../session/provider-errors';
import { appConfigOf } from '.';

/**
 * The app config of an origin as the API answers it: for everybody's cache.
 * @throws ApiProblem `not-found` for an unknown origin, 503 when the identity host does not answer; that is reported
 */
export async function answerAppConfig(origin: string, res: ServerResponse): Promise<AppConfig> {
  const appConfig = await appConfigOf(origin).catch((error: unknown) => {
    reportError(error, { during: 'loading the app config' });
    throw providerUnavailable(error);
  });
  if (appConfig === null) throw new ApiProblem('not-found');
  res.setHeader('cache-control', SHARED_CACHE_CONTROL);
  return appConfig;
}
