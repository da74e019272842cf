import { LRUCache } from 'lru-cache';
import type { AppConfig } from '@/lib/shared/config/app-config';
import type { SecondFactorRule } from '@/lib/shared/config/second-factor-rule';
import { env } from '../config/env';
import { reportError } from '@/lib/shared/error-reporting/report';
import { processWide } from '../process-wide';
import { openOriginsFile, type OriginsFile } from './file';
import { fetchUpstreamConfig } from './upstream';

/** How long a response of the identity host is cached, in milliseconds (docs/product.md#constants: 15000 ms). */
const CACHE_TTL_MS = 15_000;
const MAX_ORIGINS = 500;

type CachedConfig = { config: AppConfig | null };

/**
 * The app config of an origin: from the identity host when one is configured, else from `ORIGINS_FILE`.
 * @param origin as browsers write it, see `readOrigin`
 * @returns null for an unknown origin
 * @throws Error when the identity host does not respond and no response is cached
 */
export function getAppConfig(origin: string): Promise<AppConfig | null> {
  const { UPSTREAM_IDENTITY_URL: identityHost, ORIGINS_FILE } = env();
  if (identityHost !== undefined) return getFromIdentityHost(identityHost, origin);
  return ORIGINS_FILE === undefined ? Promise.resolve(null) : getOriginsFile(ORIGINS_FILE).getConfig(origin);
}

/** Sign-in methods that any origin of `ORIGINS_FILE` enables; none where an identity host has the configs. */
export async function listConfiguredIdentities(): Promise<string[]> {
  return [...new Set((await listConfigs()).flatMap(({ enabledIdentities = [] }) => enabledIdentities))];
}

/** What the origins of `ORIGINS_FILE` say about the second factor; none where an identity host has the configs. */
export async function listOriginRules(): Promise<SecondFactorRule[]> {
  return (await listConfigs()).flatMap(({ secondFactor }) => secondFactor ?? []);
}

async function listConfigs(): Promise<AppConfig[]> {
  const { UPSTREAM_IDENTITY_URL: identityHost, ORIGINS_FILE } = env();
  return identityHost !== undefined || ORIGINS_FILE === undefined ? [] : getOriginsFile(ORIGINS_FILE).listConfigs();
}

export function getOriginsFile(path: string): OriginsFile {
  return processWide('origins-file', () => openOriginsFile(path));
}

async function getFromIdentityHost(identityHost: string, origin: string): Promise<AppConfig | null> {
  const cache = processWide(
    'upstream-configs',
    () =>
      new LRUCache<string, CachedConfig, string>({
        max: MAX_ORIGINS,
        ttl: CACHE_TTL_MS,
        fetchMethod: (name, stale, { context }) => fetchFromIdentityHost(context, name, stale),
      }),
  );
  return (await cache.fetch(origin, { context: identityHost }))?.config ?? null;
}

/** Falls back to the last response when the identity host fails. */
async function fetchFromIdentityHost(
  identityHost: string,
  origin: string,
  before: CachedConfig | undefined,
): Promise<CachedConfig> {
  try {
    return { config: await fetchUpstreamConfig(identityHost, origin) };
  } catch (error) {
    if (!before) throw error;
    reportError(error, { during: 'loading the app config' });
    return before;
  }
}
