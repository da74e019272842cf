import { readAppConfig, type AppConfig } from '@/lib/config/app-config';
import { apiPaths } from '@/lib/paths';
import { reportError } from '@/lib/sentry/report';
import { readJson } from '../http/answer';

/** How long the identity host may take, in milliseconds. */
const PATIENCE = 5_000;
/** Longest config that is read, in bytes. */
const LONGEST_ANSWER = 256 * 1024;

/**
 * Asks the identity host for an origin's config.
 * @returns null when it does not know the origin
 * @throws Error when it does not answer as agreed
 */
export async function fetchUpstreamConfig(identityHost: string, origin: string): Promise<AppConfig | null> {
  const address = new URL(`${apiPaths.configByOrigin}/${encodeURIComponent(origin)}`, identityHost);
  const response = await fetch(address, { redirect: 'error', signal: AbortSignal.timeout(PATIENCE) });
  if (response.status === 404) return null;
  if (!response.ok) throw new Error(`The identity host answered ${String(response.status)} for an app config`);
  const { config, dropped } = readAppConfig(await readJson(response, LONGEST_ANSWER));
  for (const field of dropped)
    reportError(new Error('The app config of an origin has a wrong field'), { origin, field });
  return config;
}
