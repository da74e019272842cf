import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import type { Client as PgClient, ClientConfig, Pool, PoolClient } from 'pg';
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigurationError, log, observePool, runOutsideOfRequest, type Env } from '@/lib/server/runtime';
import { isApiProblem } from '@/lib/shared/problem';
import { NOT_MIGRATED, READ_ONLY, RecordsError, toRecordsError } from './errors';
import {
  applyMigrations,
  countLaterMigrations,
  findPendingMigrations,
  readLastMigration,
  readMigrations,
  type Migration,
  type Query,
} from './migrations';
import * as schema from './schema';
import { timeLimit } from '@/lib/shared/time-limit';

/** The transaction that a work function gets. It never gets the database itself. */
export type Tx = Pick<
  PgDatabase<PgQueryResultHKT, typeof schema>,
  'select' | 'selectDistinct' | 'insert' | 'update' | 'delete' | 'execute'
>;

/** An open database with the current schema. */
export interface Records {
  /**
   * Runs work in a transaction, which commits when the work resolves. Work that loses against a concurrent transaction runs
   * again.
   * @param work gets only the transaction. A query outside it would block the embedded database forever, and use up the
   *   connections of PostgreSQL.
   * @throws RecordsError, without parameters and rows; an ApiProblem of the work
   */
  transact<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * Runs a single statement as its own transaction. This takes one round trip instead of three.
   * @param work sends one statement only, because several could run on several connections
   * @throws RecordsError, without parameters and rows
   */
  query<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** The database of the records: PostgreSQL, or the embedded database of a process. */
export type RecordsChoice = { kind: 'postgres'; url: string } | { kind: 'embedded'; folder: string };

const LOCAL_FOLDER = '.records';

/**
 * Decides which database has the records. The embedded database serves localhost only. For any other origin, the
 * configuration is refused without `DATABASE_URL`.
 * @returns null if another deployment has the accounts and their records
 */
export function chooseRecords({
  DATABASE_URL: url,
  DATABASE_FOLDER: folder = LOCAL_FOLDER,
  SESSION_BACKEND: backend,
}: Pick<Env, 'DATABASE_URL' | 'DATABASE_FOLDER' | 'SESSION_BACKEND'>): RecordsChoice | null {
  if (backend === 'upstream') return null;
  return url === undefined ? { kind: 'embedded', folder } : { kind: 'postgres', url };
}

/** Keys of `pg_advisory_lock` in our database. At most one process holds each lock. */
export const ADVISORY_LOCKS = { migrations: 5_402_001, retention: 5_402_002 } as const;

/** `server_version_num` of the oldest supported version. */
const OLDEST_VERSION = 150_000;
/** Maximum number of connections of a process. */
const MAX_CONNECTIONS = 10;
export const CONNECT_TIMEOUT_MS = 2_000;
const STATEMENT_TIMEOUT_MS = 5_000;
/** Client-side timeout for a server that does not respond. It is longer than the server's own timeout. */
const QUERY_TIMEOUT_MS = 6_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;
const IDLE_TIMEOUT_MS = 30_000;
/** Timeout of the migration command, which must also work on a busy machine. */
const MIGRATION_CONNECT_TIMEOUT_MS = 10_000;
const MIGRATION_LOCK_RETRY_MS = 200;
/** How long a migration waits for a table. Queries on it wait as well, so it is less than `STATEMENT_TIMEOUT_MS`. */
const TABLE_LOCK_TIMEOUT_MS = 3_000;
/** Sets the timeouts of a connection by a query. PgBouncer refuses them as connection parameters, which `pg` would use. */
const getSessionTimeouts = () => `set statement_timeout = ${String(timeLimit(STATEMENT_TIMEOUT_MS))};
  set idle_in_transaction_session_timeout = ${String(timeLimit(IDLE_IN_TRANSACTION_TIMEOUT_MS))}`;
/** SQLSTATE `lock_not_available`. */
const LOCKED = '55P03';
/** `pause`: milliseconds before the next run. */
type Retries = { maxRuns: number; pause: () => number; isTemporary: (error: RecordsError) => boolean };
/** Retries of a transaction that loses against another. During the pause, the winner gets its locks. */
const TRANSACTION: Retries = { maxRuns: 3, pause: () => Math.random() * 100, isTemporary: (error) => error.isConflict };
/** Retries of a migration that does not get a table or loses a deadlock. During the pause, waiting queries run. */
const MIGRATION: Retries = {
  maxRuns: 8,
  pause: () => 3_000,
  isTemporary: ({ code, isConflict }) => code === LOCKED || isConflict,
};

const getConnection = (connectionString: string): ClientConfig => ({
  connectionString,
  application_name: 'learner-identity',
  connectionTimeoutMillis: timeLimit(CONNECT_TIMEOUT_MS),
  keepAlive: true,
});

/**
 * Opens PostgreSQL. It applies no migrations, which `migrateRecords` does (docs/adr/0043).
 * @param url its `sslmode` and `sslrootcert` configure TLS
 * @param connectTimeoutMs timeout of the first connection
 * @throws RecordsError, also if the database lacks migrations of this build; ConfigurationError if its version is too old
 */
export async function openPostgres(url: string, connectTimeoutMs: number): Promise<Records> {
  const { default: pg } = await import('pg');
  const common = getConnection(url);
  const first = { query_timeout: timeLimit(QUERY_TIMEOUT_MS), connectionTimeoutMillis: timeLimit(connectTimeoutMs) };
  await withClient(new pg.Client({ ...common, ...first }), assertUsable);
  const pool = new pg.Pool({
    ...common,
    max: MAX_CONNECTIONS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    query_timeout: timeLimit(QUERY_TIMEOUT_MS),
    // This runs before anyone gets the new connection.
    verify: (client, done) => void client.query(getSessionTimeouts()).then(() => done(), done),
    // An operator's command can exit although the pool is open.
    allowExitOnIdle: true,
  });
  // An idle connection was lost. Without a listener, the error would end the process.
  pool.on('error', (error) =>
    runOutsideOfRequest(() => log().warn({ err: toRecordsError(error) }, 'a database connection was lost')),
  );
  // A connection in use was lost, so its next query fails. The pool listens only to idle connections.
  pool.on('connect', (client) => client.on('error', () => undefined));
  observePool(() => ({
    active: pool.totalCount - pool.idleCount,
    idle: pool.idleCount,
    waiting: pool.waitingCount,
  }));
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
 * Runs transactions on connections of a pool. With drizzle-orm's transactions, a failed `begin` would never return its
 * connection. After any failure the connection is closed, which rolls back. A `rollback` would wait for a frozen server.
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

async function runWithRetries<T>(
  run: () => Promise<T>,
  { maxRuns, pause, isTemporary }: Retries = TRANSACTION,
): Promise<T> {
  for (let runs = 1; ; runs += 1) {
    try {
      return await run();
    } catch (cause) {
      if (isApiProblem(cause)) throw cause;
      const error = toRecordsError(cause);
      if (!isTemporary(error) || runs === maxRuns) throw error;
      await sleep(pause());
    }
  }
}

/** Asserts that the database is migrated and writable. @throws RecordsError if it is not */
async function assertUsable(query: Query): Promise<void> {
  const [missing] = await findPendingMigrations(query);
  if (missing) throw new RecordsError(NOT_MIGRATED, missing.name);
  const { rows } = await query<{ isReadOnly: boolean }>(
    `select current_setting('transaction_read_only') = 'on' as "isReadOnly"`,
  );
  if (rows[0]?.isReadOnly) throw new RecordsError(READ_ONLY);
}

/**
 * Migrates a database to the schema of this build while processes of the previous build run. It waits for another run. A
 * concurrent index takes as long as its table needs, so queries have no timeout.
 * @param folder folder with the migrations, by default of this build
 * @returns the names of the migrations that were applied
 * @throws RecordsError; ConfigurationError
 */
export async function migrateRecords(choice: RecordsChoice, folder?: string): Promise<string[]> {
  if (choice.kind === 'embedded') {
    const { records, applied } = await openEmbedded(choice.folder);
    await records.close();
    return applied;
  }
  const { default: pg } = await import('pg');
  const connectionTimeoutMillis = timeLimit(MIGRATION_CONNECT_TIMEOUT_MS);
  return withClient(new pg.Client({ ...getConnection(choice.url), connectionTimeoutMillis }), async (query) => {
    await waitForOtherRun(query);
    const run = async ({ isConcurrent }: Migration, apply: () => Promise<void>) => {
      // A concurrent index waits for other transactions, and no query waits for it.
      await query(
        isConcurrent ? 'set lock_timeout = 0' : `set lock_timeout = ${String(timeLimit(TABLE_LOCK_TIMEOUT_MS))}`,
      );
      await runWithRetries(apply, MIGRATION);
    };
    return applyMigrations(query, run, folder);
  });
}

/**
 * Takes the lock of migrations, which ends with the session. It asks again and again. A query that waits for the lock
 * would hold a snapshot, and a concurrent index of the other run would wait for that snapshot.
 */
async function waitForOtherRun(query: Query): Promise<void> {
  const take = () =>
    query<{ isTaken: boolean }>('select pg_try_advisory_lock($1) as "isTaken"', [ADVISORY_LOCKS.migrations]);
  while ((await take()).rows[0]?.isTaken !== true) await sleep(MIGRATION_LOCK_RETRY_MS);
}

/** Runs queries on a separate connection. @throws RecordsError; ConfigurationError if the version is too old */
async function withClient<T>(client: PgClient, work: (query: Query) => Promise<T>): Promise<T> {
  client.on('error', () => undefined);
  try {
    await client.connect();
    await assertVersion(client);
    return await work((text, values) => client.query(text, values));
  } catch (error) {
    throw error instanceof ConfigurationError ? error : toRecordsError(error);
  } finally {
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

/** An empty database from scripts/records-template.mjs, because creating a database takes 3 s and 800 MB of memory. */
const TEMPLATE = 'records-template.tar.gz';
/** A sixteenth of the default, which saves 130 MB of memory. */
const SETTINGS = ['-c', 'shared_buffers=8MB'];

/**
 * Opens the embedded database in a folder for this process and applies the migrations, because no other process can. The
 * database survives a crash of the process but not of the machine, because it never syncs its files.
 * @throws ConfigurationError if another process uses the folder or it cannot be created; RecordsError
 */
export async function openEmbedded(folder: string): Promise<{ records: Records; applied: string[] }> {
  const release = prepareFolder(folder);
  try {
    if (!existsSync(folder)) await createDatabase(folder);
    const [client, { drizzle }] = await Promise.all([startDatabase(folder), import('drizzle-orm/pglite')]);
    const applied = await applyMigrations(
      (text, values) => client.query(text, values),
      (_, apply) => apply(),
    );
    const db = drizzle(client, { schema });
    const fail = (error: unknown) => {
      throw isApiProblem(error) ? error : toRecordsError(error);
    };
    const records: Records = {
      transact: (work) => db.transaction(work).catch(fail),
      query: (work) => work(db).catch(fail),
      close: async () => {
        await client.close();
        release();
      },
    };
    return { records, applied };
  } catch (error) {
    release();
    throw toRecordsError(error);
  }
}

/**
 * Runs queries on an existing embedded database, without migrations.
 * @throws ConfigurationError if another process uses it; RecordsError
 */
async function queryEmbedded<T>(folder: string, work: (query: Query) => Promise<T>): Promise<T> {
  const release = prepareFolder(folder);
  try {
    const client = await startDatabase(folder);
    try {
      return await work((text, values) => client.query(text, values));
    } finally {
      await client.close();
    }
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

/** Unpacks under another name first, so that a killed process does not leave half a database. */
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

type Holder = { pid: number; startedAt: string; host: string };

/**
 * Locks a folder for this process with a file beside it. It takes over the lock of a dead process, but never a lock that
 * is merely old. PGlite does not refuse a second process, and each would lose the other's writes.
 * @returns a function that releases the lock
 * @throws ConfigurationError with the process that uses the folder
 */
export function lockFolder(folder: string): () => void {
  const file = `${folder}.lock`;
  const own = JSON.stringify(describeProcess());
  takeLock(file, own, folder);
  const release = () => {
    process.off('exit', release);
    if (readText(file) === own) rmSync(file, { force: true });
  };
  process.on('exit', release);
  return release;
}

/** Replaces a stale lock under a second lock. Without it, two processes could find the same stale lock and remove each other's. */
function takeLock(file: string, own: string, folder: string): void {
  if (createExclusively(file, own)) return;
  const found = readText(file);
  if (found === null) return takeLock(file, own, folder);
  assertDead(found, file, folder);
  const guard = `${file}.taking`;
  takeLock(guard, own, folder);
  try {
    if (readText(file) !== found)
      throw new ConfigurationError([`DATABASE_FOLDER: another process has just taken ${folder}`]);
    writeFileSync(`${file}.${String(process.pid)}`, own);
    renameSync(`${file}.${String(process.pid)}`, file);
  } finally {
    rmSync(guard, { force: true });
  }
}

/** Creates a lock like `O_EXCL`, but with its content from the start, so that a crash leaves no empty lock. */
function createExclusively(file: string, content: string): boolean {
  const draft = `${file}.${String(process.pid)}`;
  writeFileSync(draft, content);
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(draft, { force: true });
  }
}

function assertDead(content: string, file: string, folder: string): void {
  const holder = parseHolder(content);
  if (holder?.host === os.hostname() && !isAlive(holder)) return;
  const who = holder ? `process ${String(holder.pid)} on ${holder.host}` : 'another process';
  const remove = holder?.host === os.hostname() ? '' : `, or remove ${file} if that process has ended`;
  throw new ConfigurationError([
    `DATABASE_FOLDER: ${folder} serves one process, and ${who} uses it: stop that one, choose another folder, or set DATABASE_URL${remove}`,
  ]);
}

/** Process ids are reused, and in a container they are always the same. The start time distinguishes two processes. */
function isAlive({ pid, startedAt }: Holder): boolean {
  if (pid === process.pid) return startedAt === getStartTime(pid);
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return startedAt === getStartTime(pid) || getStartTime(pid) === '';
}

function describeProcess(): Holder {
  return { pid: process.pid, startedAt: getStartTime(process.pid), host: os.hostname() };
}

/** Returns the start time of a process in ticks since boot (proc(5)). Empty if the system does not report it. */
function getStartTime(pid: number): string {
  const stat = readText(`/proc/${String(pid)}/stat`) ?? '';
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

function parseHolder(content: string): Holder | null {
  try {
    const { pid, startedAt, host } = JSON.parse(content) as Partial<Holder>;
    return typeof pid === 'number' && typeof startedAt === 'string' && typeof host === 'string'
      ? { pid, startedAt, host }
      : null;
  } catch {
    return null;
  }
}

/** Timeout of an inspection, for connecting and for each query. */
const INSPECTION_TIMEOUT_MS = 5_000;

const FACTS = `select current_setting('server_version') as version,
  current_setting('server_version_num')::int as number,
  current_setting('transaction_read_only') = 'on' as "isReadOnly",
  has_database_privilege(current_database(), 'create') as "canCreate",
  has_table_privilege(to_regclass('passkeys'), 'select') as "canReadPasskeys",
  has_table_privilege(to_regclass('authenticator_apps'), 'select') as "canReadApps"`;
const RP_IDS = 'select distinct rp_id as "rpId" from passkeys order by 1';
const APP_KEY_IDS =
  'select distinct key_id as "keyId" from authenticator_apps where confirmed_at is not null order by 1';

/** `migrations`: the number in this version, the names of the missing ones, and the number that a later version has applied. */
export type DatabaseFacts = {
  version: string;
  isTooOld: boolean;
  isReadOnly: boolean;
  /** Whether the role may apply migrations. */
  canCreate: boolean;
  migrations: { all: number; missing: readonly string[]; later: number };
  /** RP IDs of the stored passkeys. Null if they cannot be read. */
  passkeyRpIds: readonly string[] | null;
  /** Ids of the secrets that sealed the keys of active authenticator apps. Null if they cannot be read. */
  appKeyIds: readonly string[] | null;
};

/** The columns of `FACTS`. `canReadPasskeys` and `canReadApps` are null without the table. */
type FoundFacts = Pick<DatabaseFacts, 'version' | 'isReadOnly' | 'canCreate'> & {
  number: number;
  canReadPasskeys: boolean | null;
  canReadApps: boolean | null;
};

/**
 * Inspects a database without changing it.
 * @returns null if the embedded database does not exist yet
 * @throws RecordsError; ConfigurationError if another process uses the embedded database
 */
export async function inspectDatabase(choice: RecordsChoice): Promise<DatabaseFacts | null> {
  if (choice.kind === 'postgres') return queryPostgres(choice.url, readFacts);
  return existsSync(choice.folder) ? queryEmbedded(choice.folder, readFacts) : null;
}

async function queryPostgres<T>(url: string, work: (query: Query) => Promise<T>): Promise<T> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({
    connectionString: url,
    application_name: 'learner-identity',
    connectionTimeoutMillis: timeLimit(INSPECTION_TIMEOUT_MS),
    query_timeout: timeLimit(INSPECTION_TIMEOUT_MS),
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work((text, values) => client.query(text, values));
  } catch (error) {
    throw toRecordsError(error);
  } finally {
    void client.end().catch(() => undefined);
  }
}

async function readFacts(query: Query): Promise<DatabaseFacts> {
  const { rows: found } = await query<FoundFacts>(FACTS);
  const [{ number, canReadPasskeys, canReadApps, ...facts }] = found as [FoundFacts];
  const [all, last] = [readMigrations(), await readLastMigration(query)];
  const later = await countLaterMigrations(query, all);
  const { rows: passkeys } = canReadPasskeys ? await query<{ rpId: string }>(RP_IDS) : { rows: [] };
  const { rows: apps } = canReadApps ? await query<{ keyId: string }>(APP_KEY_IDS) : { rows: [] };
  return {
    ...facts,
    isTooOld: number < OLDEST_VERSION,
    migrations: { all: all.length, missing: all.flatMap(({ when, name }) => (when > last ? [name] : [])), later },
    passkeyRpIds: canReadPasskeys === false ? null : passkeys.map(({ rpId }) => rpId),
    appKeyIds: canReadApps === false ? null : apps.map(({ keyId }) => keyId),
  };
}
