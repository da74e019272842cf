import { z } from 'zod';
import { appConfigFields, parseAppConfig, type AppConfig } from '@/lib/shared/config/app-config';
import { describeUnknownKeys } from '../config/unknown-keys';
import { createReloadingFile, type FileProblem, type FileState, type ParsedFile } from '../reload-file';
import { getConfigNames, readOrigin } from './origin';

const fileSchema = z.object({ origins: z.record(z.string(), z.unknown()) });

export type OriginsFile = {
  getConfig: (origin: string) => Promise<AppConfig | null>;
  listConfigs: () => Promise<AppConfig[]>;
  getState: () => Promise<FileState>;
};

/**
 * Reads a file of origins, and rereads it when it changes. Errors are reported once per version: an invalid field is
 * ignored, a broken file leaves the last valid one in force (docs/product.md#app-config).
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
