import { parseAppConfig, type AppConfig } from '@/lib/shared/config/app-config';
import { apiPaths } from '@/lib/shared/api-paths';
import { reportError } from '@/lib/shared/error-reporting/report';
import { readJson } from '../read-response';
import { getOwnTraceHeaders } from '../observability/request-context';

/** Timeout of the identity host, in milliseconds. */
const REQUEST_TIMEOUT_MS = 5_000;
/** Maximum size of a config, in bytes. */
const MAX_RESPONSE_BYTES = 256 * 1024;

/**
 * Fetches an origin's config from the identity host.
 * @returns null when it does not know the origin
 * @throws Error for an unexpected response
 */
export async function fetchUpstreamConfig(identityHost: string, origin: string): Promise<AppConfig | null> {
  const address = new URL(`${apiPaths.configByOrigin}/${encodeURIComponent(origin)}`, identityHost);
  const response = await fetch(address, {
    headers: getOwnTraceHeaders(),
    redirect: 'error',
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  if (response.status === 404) return null;
  if (!response.ok) throw new Error(`The identity host answered ${String(response.status)} for an app config`);
  const { config, dropped } = parseAppConfig(await readJson(response, MAX_RESPONSE_BYTES));
  for (const field of dropped)
    reportError(new Error('The app config of an origin has an invalid field'), { origin, field });
  return config;
}
