import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, inject } from 'vitest';
import { START_TIMEOUT_MS, getRecords } from '@/lib/server/storage/records';
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
/** The engines of this machine, the one of the first tier first. */
export const engines: readonly Engine[] = hasPostgres ? ['postgres', 'embedded'] : ['embedded'];
export const [mainEngine = 'embedded', otherEngine] = engines;

/** Repeats tests on the engine that the first tier leaves out; skipped where there is just one. */
export function describeOtherEngine(defineTests: (engine: Engine) => void): void {
  describe.skipIf(!otherEngine)(`on ${otherEngine ?? 'another engine'}`, () => defineTests(otherEngine ?? mainEngine));
}

/** Sends a signal to a PostgreSQL server and its processes: each of them leads a process group of its own. */
function signalServer(dir: string, signal: 'SIGSTOP' | 'SIGCONT'): void {
  const [postmaster = ''] = readFileSync(path.join(dir, 'data/postmaster.pid'), 'utf8').split('\n');
  // First: a frozen server accepts no connection.
  process.kill(Number(postmaster), signal);
  const processes = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const children = processes.map((line) => line.trim().split(/\s+/)).filter(([, parent]) => parent === postmaster);
  for (const [pid] of children) signalIfRunning(Number(pid), signal);
}

/** A connection can end after its process was listed. */
function signalIfRunning(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** A PostgreSQL server of a test's own, which can freeze. The test file has the limits of production from here on. */
export async function startFreezablePostgres() {
  setProductionLimits();
  const { url, dir, stop } = await startOwnPostgres();
  return {
    create: async () => ({ kind: 'postgres', url: await createDatabase(url) }) as const,
    freeze: () => signalServer(dir, 'SIGSTOP'),
    resume: () => signalServer(dir, 'SIGCONT'),
    stop,
  };
}

/** New databases of PostgreSQL without tables, as before the first start. */
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

/** New databases of an engine without rows, with what is needed to remove them. Those of PostgreSQL share the server of the run. */
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

/** A new database for the tests of the enclosing `describe`, removed after them. Read `choice` in tests, not before. */
export function useDatabase(kind: Engine) {
  const database = { choice: { kind: 'none' } as RecordsChoice };
  let databases: Awaited<ReturnType<typeof startDatabases>>;
  beforeAll(async () => {
    databases = await startDatabases(kind);
    database.choice = await databases.create();
  });
  afterAll(() => databases.stop());
  return database;
}

/**
 * A new database as the records of this process, opened. Call it after what sets other variables, which are read then, and before
 * what uses the records: the last hook closes them.
 */
export function useRecords(kind: Engine = mainEngine): void {
  let databases: Awaited<ReturnType<typeof startDatabases>>;
  beforeAll(async () => {
    databases = await startDatabases(kind);
    const choice = await databases.create();
    if (choice.kind === 'postgres') process.env.DATABASE_URL = choice.url;
    if (choice.kind === 'embedded') process.env.DATABASE_FOLDER = choice.folder;
    // As when a process starts: no request must wait for it, and a busy machine takes its time.
    await getRecords(START_TIMEOUT_MS);
  });
  afterAll(async () => {
    await (await getRecords()).close();
    await databases.stop();
  });
}
