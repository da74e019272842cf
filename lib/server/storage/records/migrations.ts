import { readMigrationFiles } from 'drizzle-orm/migrator';
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Sends a statement to the database. */
export type Query = <Row extends object>(text: string, values?: unknown[]) => Promise<{ rows: Row[] }>;

/**
 * `when`: time of generation, which identifies it in the database. `isConcurrent`: builds indexes while the table is in
 * use.
 */
export type Migration = { name: string; when: number; hash: string; statements: string[]; isConcurrent: boolean };

const LEDGER = 'drizzle.__drizzle_migrations';
const CREATE_LEDGER = [
  'create schema if not exists drizzle',
  `create table if not exists ${LEDGER} (id serial primary key, hash text not null, created_at bigint)`,
];
const CONCURRENT_INDEX = /^\s*create\s+(?:unique\s+)?index\s+concurrently\s+(?:if\s+not\s+exists\s+)?("[^"]+")/i;

/** Reads the migrations of this build in order: the SQL from drizzle-kit, which is part of the standalone folder. */
export function readMigrations(folder = path.resolve('migrations')): Migration[] {
  const journal = readFileSync(path.join(folder, 'meta/_journal.json'), 'utf8');
  const { entries } = JSON.parse(journal) as { entries: { tag: string }[] };
  return readMigrationFiles({ migrationsFolder: folder }).map(({ sql: statements, folderMillis: when, hash }, i) => ({
    name: entries[i]?.tag ?? '',
    when,
    hash,
    statements,
    isConcurrent: statements.some((statement) => CONCURRENT_INDEX.test(statement)),
  }));
}

/**
 * Returns the time of the newest applied migration, which may come from a later build. `-Infinity` for an empty
 * database.
 */
export async function readLastMigration(query: Query): Promise<number> {
  const { rows: found } = await query<{ hasLedger: boolean }>(
    `select to_regclass('${LEDGER}') is not null as "hasLedger"`,
  );
  if (!found[0]?.hasLedger) return -Infinity;
  const { rows } = await query<{ last: number | null }>(`select max(created_at)::float8 as last from ${LEDGER}`);
  return rows[0]?.last ?? -Infinity;
}

/** Counts the applied migrations of a later build. @param own migrations of this build */
export async function countLaterMigrations(query: Query, own: readonly Migration[]): Promise<number> {
  const newest = Math.max(...own.map(({ when }) => when));
  if ((await readLastMigration(query)) <= newest) return 0;
  const { rows } = await query<{ count: number }>(
    `select count(*)::int as count from ${LEDGER} where created_at > $1`,
    [newest],
  );
  return rows[0]?.count ?? 0;
}

/** Finds the migrations that the database lacks. */
export async function findPendingMigrations(query: Query, folder?: string): Promise<Migration[]> {
  const last = await readLastMigration(query);
  return readMigrations(folder).filter(({ when }) => when > last);
}

/**
 * Applies the pending migrations, each in its own transaction, so that a failed migration changes nothing.
 * drizzle-orm's migrator uses a single transaction, in which PostgreSQL cannot build an index concurrently.
 * @param run runs a migration, and may repeat it
 * @param folder with the migrations, by default of this build
 * @returns the names of the applied migrations
 */
export async function applyMigrations(
  query: Query,
  run: (migration: Migration, apply: () => Promise<void>) => Promise<void>,
  folder?: string,
): Promise<string[]> {
  for (const statement of CREATE_LEDGER) await query(statement);
  const pending = await findPendingMigrations(query, folder);
  for (const migration of pending)
    await run(migration, () =>
      migration.isConcurrent ? applyConcurrently(query, migration) : applyAtOnce(query, migration),
    );
  return pending.map(({ name }) => name);
}

async function applyAtOnce(query: Query, migration: Migration): Promise<void> {
  await query('begin');
  try {
    for (const statement of migration.statements) await query(statement);
    await note(query, migration);
    await query('commit');
  } catch (error) {
    await query('rollback').catch(() => undefined);
    throw error;
  }
}

/** Drops an invalid index first, which PostgreSQL keeps after an interrupted run. */
async function applyConcurrently(query: Query, migration: Migration): Promise<void> {
  for (const statement of migration.statements) {
    const [, index = ''] = CONCURRENT_INDEX.exec(statement) ?? [];
    await query(`drop index concurrently if exists ${index}`);
    await query(statement);
  }
  await note(query, migration);
}

async function note(query: Query, { hash, when }: Migration): Promise<void> {
  await query(`insert into ${LEDGER} (hash, created_at) values ($1, $2)`, [hash, when]);
}
