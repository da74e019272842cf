import { getTableName, is, sql } from 'drizzle-orm';
import { PgTable } from 'drizzle-orm/pg-core';
import {
  ConfigurationError,
  env,
  log,
  processWide,
  recordDependency,
  runOutsideOfRequest,
  withTimeout,
} from '@/lib/server/runtime';
import { reportError } from '@/lib/shared/error-reporting/report';
import { ApiProblem } from '@/lib/shared/problem';
import { promiseTimeout } from '@/lib/shared/promise-timeout';
import {
  CONNECT_TIMEOUT_MS,
  chooseRecords,
  openEmbedded,
  openPostgres,
  type Records,
  type RecordsChoice,
  type Tx,
} from './engines';
import { READ_ONLY, RecordsError, describeRecordsError, isRecordsError } from './errors';
import * as schema from './schema';

/** How long a start waits for the database, in milliseconds: on a busy machine the process reads its answer late. */
export const START_TIMEOUT_MS = 10_000;

/** Whether this deployment keeps records. Without them, features that need records are not offered. */
export function hasRecords(): boolean {
  return chooseRecords(env()).kind !== 'none';
}

/**
 * The process's database, opened at the first call and again after a failed one.
 * @param connectTimeoutMs of the first connection, if it is opened by this call; that of any connection by default
 * @throws RecordsError; ConfigurationError
 */
export async function getRecords(connectTimeoutMs = CONNECT_TIMEOUT_MS): Promise<Records> {
  const place = connectionSlot();
  place.opening ??= runOutsideOfRequest(() => openRecords(chooseRecords(env()), connectTimeoutMs)).catch(
    (error: unknown) => {
      place.opening = null;
      throw error;
    },
  );
  return place.opening;
}

function connectionSlot() {
  return processWide('records', () => ({ opening: null as Promise<Records> | null }));
}

/** Opens a database. Its driver is loaded then: most processes need only one of them. */
export async function openRecords(choice: RecordsChoice, connectTimeoutMs = START_TIMEOUT_MS): Promise<Records> {
  if (choice.kind === 'postgres') return openPostgres(choice.url, connectTimeoutMs);
  if (choice.kind === 'embedded') return (await openEmbedded(choice.folder)).records;
  throw new Error('This deployment has no database');
}

/**
 * Opens the database when the process starts. An unreachable or read-only one does not stop the start: sign-in works
 * without it.
 * @returns problems of the configuration, with which it can never be opened
 */
export async function startRecords(): Promise<readonly string[]> {
  const choice = chooseRecords(env());
  if (choice.kind === 'none') return [];
  try {
    await getRecords(START_TIMEOUT_MS);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    if (!isRecordsError(error)) throw error;
    const variable = choice.kind === 'postgres' ? 'DATABASE_URL' : 'DATABASE_FOLDER';
    const { reason } = describeRecordsError(error);
    if (!error.isAway) return [`${variable}: the database cannot be opened: ${reason}`];
    recordFailedRecords(error, 'opening the database');
  }
  if (choice.kind === 'embedded')
    log().warn(
      { folder: choice.folder },
      'embedded database: for a trial with one process; no fsync, so a power cut can lose it',
    );
  return [];
}

/** How long a probe waits for the database, in milliseconds. */
const PROBE_TIMEOUT_MS = 1_000;
/** Anyone can call the probe: it asks the database at most once in this time, in milliseconds. */
const STATE_TTL_MS = 1_000;

type State = 'up' | 'down';

/** Whether the database answers, has every table, and can be written to. */
export async function getRecordsState(): Promise<State | 'not configured'> {
  if (!hasRecords()) return 'not configured';
  const last = processWide('records-state', () => ({ at: -Infinity, state: Promise.resolve<State>('down') }));
  if (performance.now() - last.at >= STATE_TTL_MS) Object.assign(last, { at: performance.now(), state: fetchState() });
  return last.state;
}

function fetchState(): Promise<State> {
  const query = getRecords().then(probeRecords);
  return promiseTimeout(query, PROBE_TIMEOUT_MS).then(
    () => 'up',
    () => 'down',
  );
}

/** How long a sign-in waits for the database, in milliseconds. */
export const RECORDS_TIMEOUT_MS = 5_000;
const RETRY_AFTER_SECONDS = 5;

/**
 * Runs work of a request that cannot do without the database.
 * @param timeout in milliseconds, for work that consists of queries alone; a transaction that takes longer may still be
 *   committed. None by default
 * @throws ApiProblem `not-found` where no records are kept, `records-unavailable` while the database is away, and what
 *   the work throws
 */
export async function withRecords<T>(work: (records: Records) => Promise<T>, timeout?: number): Promise<T> {
  if (!hasRecords()) throw new ApiProblem('not-found');
  const done = getRecords().then(work).catch(rethrow);
  if (timeout === undefined) return done;
  return withTimeout(done, timeout, (late): never => {
    throw toUnavailable(late);
  });
}

/** Runs work that consists of queries alone, with the time-out of a sign-in. @throws as `withRecords` */
export function withRecordsInTime<T>(work: (records: Records) => Promise<T>): Promise<T> {
  return withRecords(work, RECORDS_TIMEOUT_MS);
}

/** One statement, with the time-out of a sign-in. @throws as `withRecords` */
export function queryInTime<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return withRecordsInTime((records) => records.query(work));
}

/** One transaction of queries alone, with the time-out of a sign-in. @throws as `withRecords` */
export function transactInTime<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return withRecordsInTime((records) => records.transact(work));
}

function rethrow(error: unknown): never {
  throw isRecordsError(error) && error.isUnavailable ? toUnavailable(error) : error;
}

function toUnavailable(cause: unknown): ApiProblem {
  return new ApiProblem('records-unavailable', { retryAfter: RETRY_AFTER_SECONDS, cause });
}

const TABLES = Object.values(schema).flatMap((table) => (is(table, PgTable) ? [getTableName(table)] : []));
/** Reads no row, and needs every table: a server that answers without them is no use. */
const PROBE = `select 1 from ${TABLES.map((name) => `"${name}"`).join(', ')} limit 0`;

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

export function recordUsableRecords(): void {
  recordDependency('database', true);
  if (outage().kind !== null) runOutsideOfRequest(() => log().info('the database is back'));
  outage().kind = null;
}
