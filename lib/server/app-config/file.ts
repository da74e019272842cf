import { readFile, stat } from 'node:fs/promises';
import { z } from 'zod';
import { readAppConfig, type AppConfig } from '@/lib/config/app-config';
import { reportError } from '@/lib/sentry/report';
import { namesOf, readOrigin } from './origin';

const fileSchema = z.object({ origins: z.record(z.string(), z.unknown()) });

type Read = { version: number; configs: Map<string, AppConfig> };

/**
 * Reads a file of origins, again whenever it has changed. What is wrong in it is reported once a version: a wrong field
 * is left out, a broken file leaves the last good one in force (product decisions, 4).
 */
export function originsFile(path: string): (origin: string) => Promise<AppConfig | null> {
  let last: Read = { version: Number.NaN, configs: new Map() };
  const current = async (): Promise<Map<string, AppConfig>> => {
    const { mtimeMs: version } = await stat(path).catch(() => ({ mtimeMs: -1 }));
    if (version !== last.version) last = { version, configs: (await readConfigs(path)) ?? last.configs };
    return last.configs;
  };
  return async (origin) => {
    const configs = await current();
    const name = namesOf(origin).find((candidate) => configs.has(candidate));
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
  const { config, dropped } = readAppConfig(entry);
  for (const field of dropped)
    reportError(new Error('The app config of an origin has a wrong field'), { origin, field });
  return [[origin, config]];
}
