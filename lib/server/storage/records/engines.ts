import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client as PgClient, ClientConfig, Pool, PoolClient } from 'pg';
import { z } from 'zod';
import { ConfigurationError, isLocalHost, log, observePool, runOutsideOfRequest, type Env } from '@/lib/server/runtime';
import { toRecordsError } from './errors';
import { lockFolder } from './folder-lock';
import * as schema from './schema';
import type { Records, Tx } from './types';

/** Where records are kept: PostgreSQL, the embedded database of one process, or nowhere. */
export type RecordsChoice = { kind: 'postgres'; url: string } | { kind: 'embedded'; folder: string } | { kind: 'none' };

/** Value of `DATABASE_FOLDER` for no embedded database. */
const OFF = 'off';
const LOCAL_FOLDER = '.records';

/** Decides where records are kept. With sessions at another deployment, that one keeps them. */
export function chooseRecords(
  env: Pick<Env, 'DATABASE_URL' | 'DATABASE_FOLDER' | 'SESSION_BACKEND' | 'NEXT_PUBLIC_APP_ORIGIN'>,
): RecordsChoice {
  const { DATABASE_URL: url, DATABASE_FOLDER: given, NEXT_PUBLIC_APP_ORIGIN: origin } = env;
  if (env.SESSION_BACKEND === 'upstream') return { kind: 'none' };
  if (url !== undefined) return { kind: 'postgres', url };
  const folder = given ?? (isLocalHost(new URL(origin).hostname) ? LOCAL_FOLDER : OFF);
  return folder === OFF ? { kind: 'none' } : { kind: 'embedded', folder };
}

const journalSchema = z.object({ entries: z.array(z.object({ when: z.number() })) });

/** Keys of `pg_advisory_lock` in our database: each is held by at most one process. */
export const ADVISORY_LOCKS = { migrations: 5_402_001, retention: 5_402_002 } as const;

/** The folder with the SQL that drizzle-kit generates; part of the standalone folder. */
function getMigrationsFolder(): string {
  return path.resolve('migrations');
}

/** When each migration was generated, in milliseconds since 1970: the database keeps these of the ones it has. */
export async function readMigrationTimes(): Promise<number[]> {
  const journal = await readFile(path.join(getMigrationsFolder(), 'meta/_journal.json'), 'utf8');
  return journalSchema.parse(JSON.parse(journal)).entries.map(({ when }) => when);
}

/** `server_version_num` of the oldest supported version. */
export const OLDEST_VERSION = 150_000;
/** Connections of one process. */
const MAX_CONNECTIONS = 10;
const CONNECT_TIMEOUT_MS = 2_000;
const STATEMENT_TIMEOUT_MS = 5_000;
/** Counts in the client, for a server that does not answer at all: longer than the server's own time-out. */
const QUERY_TIMEOUT_MS = 6_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;
const IDLE_TIMEOUT_MS = 30_000;
/** Runs of one transaction that loses against concurrent ones. */
const MAX_RUNS = 3;
/** At most, before it runs again: the winner gets its locks meanwhile. */
const RETRY_DELAY_MS = 100;
/** How long a starting process waits for another one that migrates. */
const MIGRATION_LOCK_TIMEOUT_MS = 60_000;

/**
 * Opens PostgreSQL and applies the migrations.
 * @param url with TLS as its `sslmode` and `sslrootcert` say
 * @param connectTimeoutMs of the connection that migrates
 * @throws RecordsError; ConfigurationError for a version that is too old
 */
export async function openPostgres(url: string, connectTimeoutMs = CONNECT_TIMEOUT_MS): Promise<Records> {
  const { default: pg } = await import('pg');
  const common: ClientConfig = {
    connectionString: url,
    application_name: 'learner-identity',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  };
  await migrate(
    new pg.Client({ ...common, connectionTimeoutMillis: connectTimeoutMs, lock_timeout: MIGRATION_LOCK_TIMEOUT_MS }),
  );
  const pool = new pg.Pool({
    ...common,
    max: MAX_CONNECTIONS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    // A command of an operator ends although the pool is open.
    allowExitOnIdle: true,
  });
  // An idle connection was lost. Without a listener this would end the process.
  pool.on('error', (error) =>
    runOutsideOfRequest(() => log().warn({ err: toRecordsError(error) }, 'a database connection was lost')),
  );
  // The same for one in use, whose next query then fails. The pool listens to idle ones alone.
  pool.on('connect', (client) => client.on('error', () => undefined));
  observe(pool);
  const { drizzle } = await import('drizzle-orm/node-postgres');
  const run = createRunner(pool, (client) => drizzle(client, { schema }));
  const db = drizzle(pool, { schema });
  return {
    transact: (work) => runWithRetries(() => run(work)),
    query: (work) => runWithRetries(() => work(db)),
    close: () => pool.end(),
  };
}

/**
 * Transactions on connections of a pool. Not those of drizzle-orm: a `begin` that fails would never return its
 * connection. After any failure the connection is closed, which rolls back; a `rollback` would wait for a frozen server.
 */
function createRunner(pool: Pool, toTx: (client: PoolClient) => Tx) {
  return async <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
    const client = await pool.connect();
    let isCommitted = false;
    try {
      await client.query('begin');
      const result = await work(toTx(client));
      await client.query('commit');
      isCommitted = true;
      return result;
    } finally {
      client.release(!isCommitted);
    }
  };
}

async function runWithRetries<T>(run: () => Promise<T>): Promise<T> {
  for (let runs = 1; ; runs += 1) {
    try {
      return await run();
    } catch (cause) {
      const error = toRecordsError(cause);
      if (!error.isConflict || runs === MAX_RUNS) throw error;
      await sleep(Math.random() * RETRY_DELAY_MS);
    }
  }
}

/** drizzle-orm takes no lock: processes that start together would apply a migration twice. */
async function migrate(client: PgClient): Promise<void> {
  client.on('error', () => undefined);
  try {
    await client.connect();
    await assertVersion(client);
    await client.query('select pg_advisory_lock($1)', [ADVISORY_LOCKS.migrations]);
    const [{ drizzle }, { migrate: apply }] = await Promise.all([
      import('drizzle-orm/node-postgres'),
      import('drizzle-orm/node-postgres/migrator'),
    ]);
    await apply(drizzle(client), { migrationsFolder: getMigrationsFolder() });
  } catch (error) {
    throw error instanceof ConfigurationError ? error : toRecordsError(error);
  } finally {
    // Ends the session and with it the lock.
    await client.end().catch(() => undefined);
  }
}

async function assertVersion(client: PgClient): Promise<void> {
  const { rows } = await client.query<{ version: number }>(
    "select current_setting('server_version_num')::int as version",
  );
  if ((rows[0]?.version ?? 0) < OLDEST_VERSION)
    throw new ConfigurationError(['DATABASE_URL: the server is older than PostgreSQL 15']);
}

function observe(pool: Pool): void {
  observePool(() => ({
    active: pool.totalCount - pool.idleCount,
    idle: pool.idleCount,
    waiting: pool.waitingCount,
  }));
}

/** An empty database, made by scripts/lib/records-template.mjs: creating one takes 3 s and 800 MB of memory. */
const TEMPLATE = 'records-template.tar.gz';
/** A sixteenth of the default, for 130 MB less memory. */
const SETTINGS = ['-c', 'shared_buffers=8MB'];

/**
 * Opens the embedded database in a folder, for one process, and applies the migrations. It survives a crash of the
 * process, but not of the machine: it never syncs its files.
 * @throws ConfigurationError when another process uses the folder or it cannot be created; RecordsError
 */
export async function openEmbedded(folder: string): Promise<Records> {
  const release = prepareFolder(folder);
  try {
    if (!existsSync(folder)) await createDatabase(folder);
    const [client, { drizzle }, { migrate }] = await Promise.all([
      startDatabase(folder),
      import('drizzle-orm/pglite'),
      import('drizzle-orm/pglite/migrator'),
    ]);
    const db = drizzle(client, { schema });
    await migrate(db, { migrationsFolder: getMigrationsFolder() });
    const fail = (error: unknown) => {
      throw toRecordsError(error);
    };
    return {
      transact: (work) => db.transaction(work).catch(fail),
      query: (work) => work(db).catch(fail),
      close: async () => {
        await client.close();
        release();
      },
    };
  } catch (error) {
    release();
    throw toRecordsError(error);
  }
}

/**
 * Runs queries on an existing embedded database, without migrations.
 * @throws ConfigurationError when another process uses it; RecordsError
 */
export async function queryEmbedded<T>(
  folder: string,
  work: (query: (text: string) => Promise<{ rows: unknown[] }>) => Promise<T>,
): Promise<T> {
  const release = prepareFolder(folder);
  try {
    const client = await startDatabase(folder);
    return await work((text) => client.query(text)).finally(() => client.close());
  } catch (error) {
    throw toRecordsError(error);
  } finally {
    release();
  }
}

function prepareFolder(folder: string): () => void {
  try {
    mkdirSync(path.dirname(path.resolve(folder)), { recursive: true });
    return lockFolder(folder);
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    throw new ConfigurationError([
      `DATABASE_FOLDER: nothing can be written beside ${folder} (${toRecordsError(error).code})`,
    ]);
  }
}

/** Under another name first: a process that is killed meanwhile must not leave half a database. */
async function createDatabase(folder: string): Promise<void> {
  const draft = `${folder}.new`;
  rmSync(draft, { recursive: true, force: true });
  const template = await readFile(path.resolve(TEMPLATE)).catch(() => null);
  const client = await startDatabase(draft, template && new Blob([new Uint8Array(template)]));
  await client.close();
  renameSync(draft, folder);
}

async function startDatabase(folder: string, template: Blob | null = null) {
  const { PGlite } = await import('@electric-sql/pglite');
  const startParams = [...PGlite.defaultStartParams, ...SETTINGS];
  return PGlite.create({ dataDir: folder, startParams, ...(template && { loadDataDir: template }) });
}
