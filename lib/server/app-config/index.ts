import { LRUCache } from 'lru-cache';
import type { AppConfig } from '@/lib/config/app-config';
import { env } from '@/lib/config/env';
import { reportError } from '@/lib/sentry/report';
import { processWide } from '../process-wide';
import { originsFile } from './file';
import { fetchUpstreamConfig } from './upstream';

/** How long an answer of the identity host is kept, in milliseconds (specification, section 9: 15000 ms). */
const KEPT = 15_000;
const MAX_ORIGINS = 500;

type Known = { config: AppConfig | null };

/**
 * The app config of an origin: from the identity host when one is configured, else from `ORIGINS_FILE`.
 * @param origin as browsers write it, see `readOrigin`
 * @returns null for an unknown origin
 * @throws Error when the identity host does not answer and gave no answer before
 */
export function appConfigOf(origin: string): Promise<AppConfig | null> {
  const { UPSTREAM_IDENTITY_URL: identityHost, ORIGINS_FILE } = env();
  if (identityHost === undefined) return processWide('origins-file', () => originsFile(ORIGINS_FILE))(origin);
  return fromIdentityHost(identityHost, origin);
}

async function fromIdentityHost(identityHost: string, origin: string): Promise<AppConfig | null> {
  const cache = processWide(
    'upstream-configs',
    () =>
      new LRUCache<string, Known, string>({
        max: MAX_ORIGINS,
        ttl: KEPT,
        fetchMethod: (name, stale, { context }) => askIdentityHost(context, name, stale),
      }),
  );
  return (await cache.fetch(origin, { context: identityHost }))?.config ?? null;
}

/** What the host said before is better than nothing. */
async function askIdentityHost(identityHost: string, origin: string, before: Known | undefined): Promise<Known> {
  try {
    return { config: await fetchUpstreamConfig(identityHost, origin) };
  } catch (error) {
    if (!before) throw error;
    reportError(error, { during: 'loading the app config' });
    return before;
  }
}
