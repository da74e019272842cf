// cspell:ignore tablename schemaname
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createDatabase, queryDatabase } from '../../scripts/lib/postgres.mjs';

// Each test file has a database without rows. The files of a worker share one PostgreSQL database, because a new
// database costs 0.3 s of CPU time. Deleting the last file's rows costs a fifteenth of that. An embedded database is
// created by the first test that needs it.

const worker = globalThis as { databaseOfWorker?: Promise<string> };
const REGISTRY = Symbol.for('learner-identity.process-wide');
type Opening = { opening: Promise<{ close: () => Promise<void> }> | null };

const DELETE_ALL = `do $$ declare name text; begin
  set local session_replication_role = replica;
  for name in select tablename from pg_tables where schemaname = 'public' loop execute format('delete from %I', name); end loop;
end $$`;

/** @returns the variables that name a test file's database, to set before the configuration is read */
export async function clearRecords(postgresUrl: string): Promise<Record<string, string>> {
  if (postgresUrl === '') return { DATABASE_FOLDER: path.join(os.tmpdir(), `records-${randomUUID()}`) };
  const isNew = worker.databaseOfWorker === undefined;
  const url = await (worker.databaseOfWorker ??= createDatabase(postgresUrl));
  if (!isNew) await queryDatabase(url, DELETE_ALL);
  return { DATABASE_URL: url };
}

/** Closes the records of a test file. A file with its own database may have closed them already. */
export async function endRecords(): Promise<void> {
  const kept = Reflect.get(globalThis, REGISTRY) as Map<string, unknown> | undefined;
  const records = (kept?.get('records') as Opening | undefined)?.opening;
  await records?.then(({ close }) => close()).catch(() => undefined);
  const folder = process.env.DATABASE_FOLDER;
  if (folder?.startsWith(path.join(os.tmpdir(), 'records-'))) await rm(folder, { recursive: true, force: true });
}
