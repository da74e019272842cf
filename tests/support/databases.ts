import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { RecordsChoice } from '@/lib/server/records/choose';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { findPostgres, startPostgres } from '../../scripts/lib/postgres.mjs';

export const hasPostgres = findPostgres() !== undefined;
export const databaseKinds = hasPostgres ? (['embedded', 'postgres'] as const) : (['embedded'] as const);
if (!hasPostgres) console.log('Skipped: the tests of records on PostgreSQL, which is not installed.');

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

/** New empty databases of a kind, with what is needed to remove them. */
export async function startDatabases(kind: 'embedded' | 'postgres') {
  const dir = mkdtempSync(path.join(os.tmpdir(), `records-${kind}-`));
  const server = kind === 'postgres' ? await startPostgres({ port: (await freePorts(1))[0] ?? 0, dir }) : null;
  return {
    create: async (): Promise<RecordsChoice> => {
      if (!server) return { kind: 'embedded', folder: path.join(dir, randomUUID()) };
      const { default: pg } = await import('pg');
      const client = new pg.Client({ connectionString: server.url });
      await client.connect();
      const name = `test_${randomUUID().replaceAll('-', '')}`;
      await client.query(`create database ${name}`);
      await client.end();
      return { kind: 'postgres', url: server.url.replace(/[^/]+$/, name) };
    },
    freeze: () => signalServer(dir, 'SIGSTOP'),
    resume: () => signalServer(dir, 'SIGCONT'),
    stop: async () => {
      await server?.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** A new database for the tests of the enclosing `describe`, removed after them. Read `choice` in tests, not before. */
export function useDatabase(kind: 'embedded' | 'postgres') {
  const database = { choice: { kind: 'none' } as RecordsChoice };
  let databases: Awaited<ReturnType<typeof startDatabases>>;
  beforeAll(async () => {
    databases = await startDatabases(kind);
    database.choice = await databases.create();
  });
  afterAll(() => databases.stop());
  return database;
}
