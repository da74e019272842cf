import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import type * as schema from './schema';

/** What work functions get: the transaction, never the database around it. */
export type Tx = Pick<
  PgDatabase<PgQueryResultHKT, typeof schema>,
  'select' | 'selectDistinct' | 'insert' | 'update' | 'delete' | 'execute'
>;

/** An open database with the current schema. */
export interface Records {
  /**
   * Runs work in one transaction; it commits when the work resolves. Work that loses against a concurrent transaction
   * runs again.
   * @param work gets only the transaction: using the database around it would block the embedded one for good and use up
   *   the connections of the other
   * @throws RecordsError, without parameters and rows
   */
  transact<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * Runs one statement, which is a transaction of its own: one round trip in place of three.
   * @param work sends it; several could run on several connections
   * @throws RecordsError, as `transact`
   */
  query<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}
