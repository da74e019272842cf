import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { apiPaths } from '@/lib/shared/api-paths';
import { appConfigFields, parseAppConfig, type AppConfig, type SecondFactorRule } from '@/lib/shared/config/app-config';
import { reportError } from '@/lib/shared/error-reporting/report';
import { env } from './config/env';
import { describeUnknownKeys } from './config/names';
import { isLocalHost } from './config/schema';
import { getOwnTraceHeaders } from './observability/request-context';
import { processWide } from './process';
import { createReloadingFile, type FileProblem, type FileState, type ParsedFile } from './reload-file';
import { abortAfter } from '@/lib/shared/time-limit';

/**
 * Reads another service's response as text, up to a size limit, so that a faulty service cannot exhaust this process's
 * memory.
 * @param atMost in bytes
 * @throws Error if it is longer; the rest is not fetched
 */
export async function readText(response: Response, atMost: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    // Leaving the loop cancels the response.
    if (length > atMost) throw new Error(`A response is longer than ${String(atMost)} bytes`);
    chunks.push(part);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Reads a response with a limited size as JSON. @throws SyntaxError if it is not JSON */
export async function readJson(response: Response, atMost: number): Promise<unknown> {
  return JSON.parse(await readText(response, atMost)) as unknown;
}

const CACHE_TTL_MS = 15_000;
const MAX_ORIGINS = 500;

type CachedConfig = { config: AppConfig | null };

/**
 * Returns the app config of an origin, from the identity host if configured, else from `ORIGINS_FILE`.
 * @param origin as browsers write it, see `readOrigin`
 * @returns null for an unknown origin
 * @throws Error if the identity host does not respond and no response is cached
 */
export function getAppConfig(origin: string): Promise<AppConfig | null> {
  const { UPSTREAM_IDENTITY_URL: identityHost, ORIGINS_FILE } = env();
  if (identityHost !== undefined) return getFromIdentityHost(identityHost, origin);
  return ORIGINS_FILE === undefined ? Promise.resolve(null) : getOriginsFile(ORIGINS_FILE).getConfig(origin);
}

/** Lists the sign-in methods that any origin of `ORIGINS_FILE` enables. Empty if an identity host has the configs. */
export async function listConfiguredIdentities(): Promise<string[]> {
  return [...new Set((await listConfigs()).flatMap(({ enabledIdentities = [] }) => enabledIdentities))];
}

/** Lists the second-factor rules of the origins in `ORIGINS_FILE`. Empty if an identity host has the configs. */
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

const createConfigCache = () =>
  new LRUCache<string, CachedConfig, string>({
    max: MAX_ORIGINS,
    ttl: CACHE_TTL_MS,
    fetchMethod: (name, stale, { context }) => fetchFromIdentityHost(context, name, stale),
  });

async function getFromIdentityHost(identityHost: string, origin: string): Promise<AppConfig | null> {
  // The visitor chooses the `Host` header. Invented origins must not evict those that the identity host knows.
  const { known, others } = processWide('upstream-configs', () => ({
    known: createConfigCache(),
    others: createConfigCache(),
  }));
  const cache = known.peek(origin, { allowStale: true }) ? known : others;
  const config = (await cache.fetch(origin, { context: identityHost }))?.config ?? null;
  if (cache === others && config !== null) known.set(origin, { config });
  return config;
}

/** Fetches an app config, or returns the previous response if the identity host fails. */
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

const fileSchema = z.object({ origins: z.record(z.string(), z.unknown()) });

type OriginsFile = {
  getConfig: (origin: string) => Promise<AppConfig | null>;
  listConfigs: () => Promise<AppConfig[]>;
  getState: () => Promise<FileState>;
};

/**
 * Reads a file of origins, and rereads it when it changes. Errors are reported once per version. An invalid field is
 * ignored, and an unreadable file leaves the last valid file in force (docs/product.md#app-config).
 */
export function openOriginsFile(path: string): OriginsFile {
  const { read, getState } = createReloadingFile('ORIGINS_FILE', path, parseConfigs);
  return {
    getState,
    listConfigs: async () => [...((await read())?.values() ?? [])],
    getConfig: async (origin) => {
      const configs = await read();
      const name = getConfigNames(origin).find((candidate) => configs?.has(candidate));
      return name === undefined ? null : (configs?.get(name) ?? null);
    },
  };
}

function parseConfigs(content: unknown): ParsedFile<Map<string, AppConfig>> {
  const { success, data } = fileSchema.safeParse(content);
  if (!success) throw new Error('must be an object with origins');
  const unknown = describeUnknownKeys(content, Object.keys(fileSchema.shape));
  const problems = unknown.map((line): FileProblem => ({ message: `The file of origins: ${line}`, context: {} }));
  const entries = Object.entries(data.origins).flatMap(([name, entry]) => readEntry(name, entry, problems));
  return { value: new Map(entries), problems };
}

function readEntry(name: string, entry: unknown, problems: FileProblem[]): [string, AppConfig][] {
  const origin = readOrigin(name);
  if (origin === null) {
    problems.push({ message: 'The file of origins contains an invalid origin', context: { name } });
    return [];
  }
  const { config, dropped } = parseAppConfig(entry);
  for (const field of dropped)
    problems.push({ message: 'The app config of an origin has an invalid field', context: { origin, field } });
  for (const line of describeUnknownKeys(entry, Object.keys(appConfigFields)))
    problems.push({ message: `The app config of an origin: ${line}`, context: { origin } });
  return [[origin, config]];
}

const MAX_LENGTH = 260;

/** Normalizes an origin to the form that browsers use. @returns null if it is not an origin */
export function readOrigin(written: string): string | null {
  if (written.length > MAX_LENGTH || !/^https?:\/\/[^/?#@\\\s]+\/?$/i.test(written)) return null;
  return URL.canParse(written) ? new URL(written).origin : null;
}

/** Lists an origin's keys in the file, most specific first. A localhost entry matches any port (docs/adr/0005). */
function getConfigNames(origin: string): string[] {
  const { protocol, hostname, port } = new URL(origin);
  return port !== '' && isLocalHost(hostname) ? [origin, `${protocol}//${hostname}`] : [origin];
}

const REQUEST_TIMEOUT_MS = 5_000;
const MAX_RESPONSE_BYTES = 256 * 1024;

/**
 * Fetches an origin's config from the identity host.
 * @returns null if it does not know the origin
 * @throws Error for an unexpected response
 */
async function fetchUpstreamConfig(identityHost: string, origin: string): Promise<AppConfig | null> {
  const address = new URL(`${apiPaths.configByOrigin}/${encodeURIComponent(origin)}`, identityHost);
  const response = await fetch(address, {
    headers: getOwnTraceHeaders(),
    redirect: 'error',
    signal: abortAfter(REQUEST_TIMEOUT_MS),
  });
  if (response.status === 404) return null;
  if (!response.ok) throw new Error(`The identity host answered ${String(response.status)} for an app config`);
  const { config, dropped } = parseAppConfig(await readJson(response, MAX_RESPONSE_BYTES));
  for (const field of dropped)
    reportError(new Error('The app config of an origin has an invalid field'), { origin, field });
  return config;
}
