import { processWide } from '@/lib/server/runtime';
import { ApiProblem } from '@/lib/shared/problem';
import { promiseTimeout } from '@/lib/shared/promise-timeout';
import { getRecords, hasRecords } from '.';
import { isRecordsError } from './errors';
import { probeRecords } from './outage';
import type { Records, Tx } from './types';

/** How long a probe waits for the database, in milliseconds. */
const TIMEOUT_MS = 1_000;
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
  return promiseTimeout(query, TIMEOUT_MS).then(
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
  const done = getRecords().then(work);
  if (timeout === undefined) return done.catch(rethrow);
  return promiseTimeout(done.catch(rethrow), timeout).catch((error: unknown) => {
    throw error instanceof Error && error.message === 'timeout!' ? toUnavailable(error) : error;
  });
}

/** One statement, with the time-out of a sign-in. @throws as `withRecords` */
export function queryInTime<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return withRecords((records) => records.query(work), RECORDS_TIMEOUT_MS);
}

/** One transaction of queries alone, with the time-out of a sign-in. @throws as `withRecords` */
export function transactInTime<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return withRecords((records) => records.transact(work), RECORDS_TIMEOUT_MS);
}

function rethrow(error: unknown): never {
  throw isRecordsError(error) && error.isAway ? toUnavailable(error) : error;
}

function toUnavailable(cause: unknown): ApiProblem {
  return new ApiProblem('records-unavailable', { retryAfter: RETRY_AFTER_SECONDS, cause });
}
