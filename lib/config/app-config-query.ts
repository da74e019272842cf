import { promiseTimeout } from '@/lib/promise-timeout';
import { apiPaths } from '@/lib/paths';
import { reportError } from '@/lib/sentry/report';
import { type AppConfig, readAppConfig } from './app-config';
import type { PublicEnv } from './public-env';

/** How long the page waits for a late config before it goes on with its defaults, in milliseconds. */
const PATIENCE = 5_000;

/**
 * Asks the identity host for an origin's config (specification, section 7).
 * @returns the usable part, or null after a failure, which is reported
 */
export async function fetchAppConfig(env: PublicEnv, origin: string): Promise<AppConfig | null> {
  const address = new URL(`${apiPaths.configByOrigin}/${encodeURIComponent(origin)}`, env.identityOrigin);
  try {
    const response = await promiseTimeout(fetch(address, { credentials: 'include' }), PATIENCE);
    if (!response.ok) throw new Error(`The app config answered ${String(response.status)}`);
    const { config, dropped } = readAppConfig(await response.json());
    if (dropped.length > 0) reportError(new Error('The app config has wrong fields'), { dropped });
    return config;
  } catch (error) {
    reportError(error, { during: 'loading the app config' });
    return null;
  }
}
