import { z } from 'zod';
import { parseAppConfig, type AppConfig } from '@/lib/shared/config/app-config';
import { reportError } from '@/lib/shared/error-reporting/report';
import { createReloadingReader } from '../reload-file';
import { getConfigNames, readOrigin } from './origin';

const fileSchema = z.object({ origins: z.record(z.string(), z.unknown()) });

/**
 * Reads a file of origins, and rereads it when it changes. Errors are reported once per version: an invalid field is
 * ignored, a broken file leaves the last valid one in force (docs/product.md#app-config).
 */
export function readOriginsFile(path: string): (origin: string) => Promise<AppConfig | null> {
  const getConfigs = createReloadingReader(path, parseConfigs, 'reading the file of origins');
  return async (origin) => {
    const configs = await getConfigs();
    const name = getConfigNames(origin).find((candidate) => configs?.has(candidate));
    return name === undefined ? null : (configs?.get(name) ?? null);
  };
}

function parseConfigs(content: unknown): Map<string, AppConfig> {
  const { origins } = fileSchema.parse(content);
  return new Map(Object.entries(origins).flatMap(([name, entry]) => readEntry(name, entry)));
}

function readEntry(name: string, entry: unknown): [string, AppConfig][] {
  const origin = readOrigin(name);
  if (origin === null) {
    reportError(new Error('The file of origins contains an invalid origin'), { name });
    return [];
  }
  const { config, dropped } = parseAppConfig(entry);
  for (const field of dropped)
    reportError(new Error('The app config of an origin has an invalid field'), { origin, field });
  return [[origin, config]];
}
