import { getTableName, is, sql } from 'drizzle-orm';
import { PgTable } from 'drizzle-orm/pg-core';
import { reportError } from '@/lib/shared/error-reporting/report';
import { recordDependency, log, runOutsideOfRequest, processWide } from '@/lib/server/runtime';
import { describeRecordsError, RecordsError } from './errors';
import * as schema from './schema';
import type { Records } from './types';

const TABLES = Object.values(schema).flatMap((table) => (is(table, PgTable) ? [getTableName(table)] : []));
/** Reads no row, and needs every table: a server that answers without them is no use. */
const PROBE = `select 1 from ${TABLES.map((name) => `"${name}"`).join(', ')} limit 0`;

/** SQLSTATE `read_only_sql_transaction`. */
const READ_ONLY = '25006';

const outage = () => processWide('records-outage', () => ({ kind: null as string | null }));

/** Asks the database whether it can be written to, and every table read. @throws RecordsError */
export async function probeRecords(records: Records): Promise<void> {
  await records.transact(async (tx) => {
    const readOnly = sql<string>`current_setting('transaction_read_only')`;
    const [found] = await tx.select({ readOnly }).from(sql`(select 1) as one`);
    if (found?.readOnly !== 'off') throw new RecordsError(READ_ONLY);
    await tx.execute(sql.raw(PROBE));
  });
}

/**
 * Notes that the database cannot be used, for `dependency_up`; logs the beginning of an outage, and reports each other reason,
 * such as a missing table, once.
 * @param during the work that failed
 */
export function recordFailedRecords(error: RecordsError, during: string): void {
  recordDependency('database', false);
  const kind = error.isAway ? 'away' : error.code;
  if (outage().kind === kind) return;
  outage().kind = kind;
  runOutsideOfRequest(() => {
    if (!error.isAway) reportError(error, { during });
    else
      log().warn(
        { err: error, reason: describeRecordsError(error).reason },
        'the database is away: security events are not recorded until it is back',
      );
  });
}

/** Notes that the database can be used. */
export function recordUsableRecords(): void {
  recordDependency('database', true);
  if (outage().kind !== null) runOutsideOfRequest(() => log().info('the database is back'));
  outage().kind = null;
}
