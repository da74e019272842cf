import { ApiProblem } from '@/lib/shared/problem';
import { promiseTimeout } from '@/lib/shared/promise-timeout';
import { isRecordsError } from './errors';
import { getRecords, hasRecords } from '.';
import type { Records, Tx } from './types';

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
