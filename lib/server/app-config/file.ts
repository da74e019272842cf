import { readFile, stat } from 'node:fs/promises';
import { z } from 'zod';
import { parseAppConfig, type AppConfig } from '@/lib/shared/config/app-config';
import { reportError } from '@/lib/shared/error-reporting/report';
import { getConfigNames, readOrigin } from './origin';

const fileSchema = z.object({ origins: z.record(z.string(), z.unknown()) });

type Read = { version: number; configs: Map<string, AppConfig> };

/**
 * Reads a file of origins, and rereads it when it changes. Errors are reported once per version: an invalid field is
 * ignored, a broken file leaves the last valid one in force (docs/product.md#app-config).
 */
export function readOriginsFile(path: string): (origin: string) => Promise<AppConfig | null> {
  let last: Read = { version: Number.NaN, configs: new Map() };
  const current = async (): Promise<Map<string, AppConfig>> => {
    const { mtimeMs: version } = await stat(path).catch(() => ({ mtimeMs: -1 }));
    if (version !== last.version) last = { version, configs: (await readConfigs(path)) ?? last.configs };
    return last.configs;
  };
  return async (origin) => {
    const configs = await current();
    const name = getConfigNames(origin).find((candidate) => configs.has(candidate));
    return name === undefined ? null : (configs.get(name) ?? null);
  };
}

async function readConfigs(path: string): Promise<Map<string, AppConfig> | null> {
  try {
    const { origins } = fileSchema.parse(JSON.parse(await readFile(path, 'utf8')));
    return new Map(Object.entries(origins).flatMap(([name, entry]) => readEntry(name, entry)));
  } catch (error) {
    reportError(error, { during: 'reading the file of origins' });
    return null;
  }
}

function readEntry(name: string, entry: unknown): [string, AppConfig][] {
  const origin = readOrigin(name);
  if (origin === null) {
    reportError(new Error('The file of origins names something that is not an origin'), { name });
    return [];
  }
  const { config, dropped } = parseAppConfig(entry);
  for (const field of dropped)
    reportError(new Error('The app config of an origin has a wrong field'), { origin, field });
  return [[origin, config]];
}
