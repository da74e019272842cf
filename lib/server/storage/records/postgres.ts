import { setTimeout as sleep } from 'node:timers/promises';
import type { Client as PgClient, ClientConfig, Pool, PoolClient } from 'pg';
import { ConfigurationError, log, observePool, runOutsideOfRequest } from '@/lib/server/runtime';
import { toRecordsError } from './errors';
import { ADVISORY_LOCKS, getMigrationsFolder } from './migrations';
import * as schema from './schema';
import type { Records, Tx } from './types';

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
  return { transact: (work) => runWithRetries(() => run(work)), close: () => pool.end() };
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
