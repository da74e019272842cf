import { existsSync } from 'node:fs';
import { z } from 'zod';
import { type RecordsChoice, queryEmbedded, readMigrationTimes, OLDEST_VERSION } from './engines';
import { toRecordsError } from './errors';
/** Of connecting, and of each query. */
const TIMEOUT_MS = 5_000;

const FACTS = `select current_setting('server_version') as version,
  current_setting('server_version_num')::int as number,
  current_setting('transaction_read_only') = 'on' as "isReadOnly",
  has_database_privilege(current_database(), 'create') as "canCreate",
  to_regclass('drizzle.__drizzle_migrations') is not null as "isMigrated",
  has_table_privilege(to_regclass('passkeys'), 'select') as "canReadPasskeys"`;
const LAST_MIGRATION = 'select max(created_at)::float8 as last from drizzle.__drizzle_migrations';
const RP_IDS = 'select distinct rp_id as "rpId" from passkeys order by 1';

const factsSchema = z.object({
  version: z.string(),
  number: z.number(),
  isReadOnly: z.boolean(),
  canCreate: z.boolean(),
  isMigrated: z.boolean(),
  /** Null without the table. */
  canReadPasskeys: z.boolean().nullable(),
});
const lastSchema = z.object({ last: z.number().nullable() });
const rpIdsSchema = z.array(z.object({ rpId: z.string() }));

/** `migrations`: how many this version has, and how many of them are not applied yet. */
export type DatabaseFacts = {
  version: string;
  isTooOld: boolean;
  isReadOnly: boolean;
  /** Whether the role may apply migrations; each start requires it, also without new ones. */
  canCreate: boolean;
  migrations: { all: number; pending: number };
  /** RP IDs of the stored passkeys; null when they cannot be read. */
  passkeyRpIds: readonly string[] | null;
};

type Query = (text: string) => Promise<{ rows: unknown[] }>;

/**
 * Looks at a database without changing it.
 * @returns null for an embedded one that does not exist yet
 * @throws RecordsError; ConfigurationError for an embedded one that another process uses
 */
export async function inspectDatabase(choice: Exclude<RecordsChoice, { kind: 'none' }>): Promise<DatabaseFacts | null> {
  if (choice.kind === 'postgres') return queryPostgres(choice.url, readFacts);
  return existsSync(choice.folder) ? queryEmbedded(choice.folder, readFacts) : null;
}

async function queryPostgres<T>(url: string, work: (query: Query) => Promise<T>): Promise<T> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({
    connectionString: url,
    application_name: 'learner-identity',
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work((text) => client.query<Record<string, unknown>>(text));
  } catch (error) {
    throw toRecordsError(error);
  } finally {
    void client.end().catch(() => undefined);
  }
}

async function readFacts(query: Query): Promise<DatabaseFacts> {
  const { version, number, isMigrated, canReadPasskeys, ...rest } = factsSchema.parse((await query(FACTS)).rows[0]);
  const last = isMigrated ? lastSchema.parse((await query(LAST_MIGRATION)).rows[0]).last : null;
  const times = await readMigrationTimes();
  const pending = times.filter((time) => last === null || time > last).length;
  return {
    version,
    isTooOld: number < OLDEST_VERSION,
    ...rest,
    migrations: { all: times.length, pending },
    passkeyRpIds: canReadPasskeys === false ? null : canReadPasskeys === null ? [] : await readRpIds(query),
  };
}

async function readRpIds(query: Query): Promise<string[]> {
  return rpIdsSchema.parse((await query(RP_IDS)).rows).map(({ rpId }) => rpId);
}
