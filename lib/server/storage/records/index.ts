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

/** How long a start waits for the database. On a busy machine, the process reads the response late. */
export const START_TIMEOUT_MS = 10_000;

/**
 * Returns the process's database. The first call opens it, and so does the next call after a failure.
 * @param connectTimeoutMs timeout of the first connection, if this call opens it
 * @throws RecordsError; ConfigurationError; ApiProblem `not-found` if another deployment has the accounts
 */
export async function getRecords(connectTimeoutMs = CONNECT_TIMEOUT_MS): Promise<Records> {
  const choice = chooseRecords(env());
  if (choice === null) throw new ApiProblem('not-found');
  const place = connectionSlot();
  place.opening ??= runOutsideOfRequest(() => openRecords(choice, connectTimeoutMs)).catch((error: unknown) => {
    place.opening = null;
    throw error;
  });
  return place.opening;
}

function connectionSlot() {
  return processWide('records', () => ({ opening: null as Promise<Records> | null }));
}

/** Opens a database. It loads only the driver that is needed. */
export async function openRecords(choice: RecordsChoice, connectTimeoutMs = START_TIMEOUT_MS): Promise<Records> {
  if (choice.kind === 'postgres') return openPostgres(choice.url, connectTimeoutMs);
  return (await openEmbedded(choice.folder)).records;
}

/**
 * Opens the database when the process starts. An unreachable or read-only database does not stop the start, because
 * live sessions continue without it.
 * @returns problems of the configuration, which must be corrected first
 */
export async function startRecords(): Promise<readonly string[]> {
  const choice = chooseRecords(env());
  if (choice === null) return [];
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

/** How long a probe waits for the database. */
const PROBE_TIMEOUT_MS = 1_000;
/** A probe queries the database at most once in this time, because any client can call it. */
const STATE_TTL_MS = 1_000;

type State = 'up' | 'down';
let last = { at: -Infinity, state: Promise.resolve<State>('down') };

/**
 * Whether the database responds, has every table, and is writable. `not configured`: another deployment has the
 * accounts.
 */
export async function getRecordsState(): Promise<State | 'not configured'> {
  if (chooseRecords(env()) === null) return 'not configured';
  if (performance.now() - last.at >= STATE_TTL_MS) last = { at: performance.now(), state: fetchState() };
  return last.state;
}

function fetchState(): Promise<State> {
  const query = getRecords().then(probeRecords);
  return promiseTimeout(query, PROBE_TIMEOUT_MS).then(
    () => 'up',
    () => 'down',
  );
}

/** How long a sign-in waits for the database. */
export const RECORDS_TIMEOUT_MS = 5_000;
const RETRY_AFTER_SECONDS = 5;

/**
 * Runs a request's work that needs the database.
 * @param timeout in milliseconds, none by default. Longer work continues after the error and may still commit, so use
 *   it for reads, and for writes that must happen anyway.
 * @throws ApiProblem `not-found` if another deployment has the accounts, `records-unavailable` if the database is
 *   unavailable; any error of the work
 */
export async function withRecords<T>(work: (records: Records) => Promise<T>, timeout?: number): Promise<T> {
  const done = getRecords().then(work).catch(rethrow);
  if (timeout === undefined) return done;
  return withTimeout(done, timeout, (late): never => {
    throw toUnavailable(late);
  });
}

/**
 * Runs work with the timeout of a sign-in. After the timeout, no transaction of the work commits, unless its commit was
 * already sent. The caller has returned 503, and the client repeats the request.
 * @throws ApiProblem `not-found`, `records-unavailable`; any error of the work
 */
export function withRecordsInTime<T>(work: (records: Records) => Promise<T>): Promise<T> {
  let isLate = false;
  const assertInTime = () => {
    if (isLate) throw toUnavailable();
  };
  const run = (records: Records) =>
    work({
      ...records,
      transact: async (each) => {
        assertInTime();
        return records.transact(async (tx) => {
          const result = await each(tx);
          assertInTime();
          return result;
        });
      },
      query: async (each) => {
        assertInTime();
        return records.query(each);
      },
    });
  return withRecords(run, RECORDS_TIMEOUT_MS).finally(() => (isLate = true));
}

/** Runs a single statement with the timeout of a sign-in. @throws ApiProblem `not-found`, `records-unavailable` */
export function queryInTime<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return withRecordsInTime((records) => records.query(work));
}

/**
 * Runs a transaction that contains only queries, with the timeout of a sign-in. @throws ApiProblem `not-found`,
 * `records-unavailable`
 */
export function transactInTime<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return withRecordsInTime((records) => records.transact(work));
}

function rethrow(error: unknown): never {
  throw isRecordsError(error) && error.isUnavailable ? toUnavailable(error) : error;
}

function toUnavailable(cause?: unknown): ApiProblem {
  return new ApiProblem('records-unavailable', { retryAfter: RETRY_AFTER_SECONDS, cause });
}

const TABLES = Object.values(schema).flatMap((table) => (is(table, PgTable) ? [getTableName(table)] : []));
/** Reads no row but needs every table. A server without the tables is unusable. */
const PROBE = `select 1 from ${TABLES.map((name) => `"${name}"`).join(', ')} limit 0`;

const outage = () => processWide('records-outage', () => ({ kind: null as string | null }));

/** Asserts that the database is writable and every table readable. @throws RecordsError */
export async function probeRecords(records: Records): Promise<void> {
  await records.transact(async (tx) => {
    const readOnly = sql<string>`current_setting('transaction_read_only')`;
    const [found] = await tx.select({ readOnly }).from(sql`(select 1) as one`);
    if (found?.readOnly !== 'off') throw new RecordsError(READ_ONLY);
    await tx.execute(sql.raw(PROBE));
  });
}

/**
 * Records that the database is unusable, for `dependency_up`. It logs the start of an outage once, and reports other
 * failures once, such as a missing table.
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

/**
 * Asserts that the database is not known to be unavailable. Call it before something is used up for work that needs the
 * database. @throws ApiProblem `records-unavailable`
 */
export function assertRecordsReachable(): void {
  if (outage().kind !== null) throw toUnavailable();
}

export function recordUsableRecords(): void {
  recordDependency('database', true);
  if (outage().kind !== null) runOutsideOfRequest(() => log().info('the database is back'));
  outage().kind = null;
}
