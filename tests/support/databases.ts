import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, inject } from 'vitest';
import type { RecordsChoice } from '@/lib/server/storage/records/engines';
import {
  createDatabase,
  createEmptyDatabase,
  findPostgres,
  queryDatabase,
  startOwnPostgres,
} from '../../scripts/lib/postgres.mjs';
import { setProductionLimits } from './time-limits';

export type Engine = 'embedded' | 'postgres';
export const hasPostgres = findPostgres() !== undefined;
/** The database engines of this machine. The first tier uses the first. */
export const engines: readonly Engine[] = hasPostgres ? ['postgres', 'embedded'] : ['embedded'];
export const [mainEngine = 'embedded', otherEngine] = engines;

/** Repeats tests on the engine that the first tier leaves out. Skipped if there is only one engine. */
export function describeOtherEngine(defineTests: (engine: Engine) => void): void {
  describe.skipIf(!otherEngine)(`on ${otherEngine ?? 'another engine'}`, () => defineTests(otherEngine ?? mainEngine));
}

/** Starts a separate PostgreSQL server that can freeze. From then on, the test file uses production limits. */
export async function startFreezablePostgres() {
  setProductionLimits();
  const { url, freeze, resume, stop } = await startOwnPostgres();
  return {
    create: async () => ({ kind: 'postgres', url: await createDatabase(url) }) as const,
    freeze,
    resume,
    stop,
  };
}

/** Provides new PostgreSQL databases without tables, as before the first start. */
export function startEmptyDatabases() {
  return startPostgresDatabases(createEmptyDatabase);
}

function startPostgresDatabases(createOn: typeof createDatabase) {
  const names: string[] = [];
  const create = async () => {
    const url = await createOn(inject('postgresUrl'));
    names.push(new URL(url).pathname.slice(1));
    return { kind: 'postgres', url } as const;
  };
  const drop = (name: string) => queryDatabase(inject('postgresUrl'), `drop database ${name} with (force)`);
  return { create, stop: async () => void (await Promise.all(names.map(drop))) };
}

/**
 * Provides new databases of an engine without rows, and the means to remove them. PostgreSQL databases share the run's
 * server.
 */
export async function startDatabases(
  kind: Engine,
): Promise<{ create: () => Promise<RecordsChoice>; stop: () => Promise<void> }> {
  if (kind === 'postgres') return startPostgresDatabases(createDatabase);
  const dir = await mkdtemp(path.join(os.tmpdir(), 'records-embedded-'));
  return {
    create: () => Promise.resolve<RecordsChoice>({ kind, folder: path.join(dir, randomUUID()) }),
    stop: () => rm(dir, { recursive: true, force: true }),
  };
}

/**
 * Provides a new database for the tests of the enclosing `describe`, and removes it after them. Read `choice` in tests,
 * not before.
 */
export function useDatabase(kind: Engine) {
  const database = {} as { choice: RecordsChoice };
  let databases: Awaited<ReturnType<typeof startDatabases>>;
  beforeAll(async () => {
    databases = await startDatabases(kind);
    database.choice = await databases.create();
  });
  afterAll(() => databases.stop());
  return database;
}

/** Returns the variables that name a database to another process. They override this process's own. */
export function toVariables(choice: RecordsChoice): Record<string, string> {
  return choice.kind === 'postgres'
    ? { DATABASE_URL: choice.url }
    : { DATABASE_URL: '', DATABASE_FOLDER: choice.folder };
}
