import { log } from '@/lib/server/runtime';
import { getRecords, hasRecords, type Records } from '@/lib/server/storage';
import { promiseTimeout } from '@/lib/shared/promise-timeout';

/** How long a page waits for the database, in milliseconds. */
const TIMEOUT_MS = 2_000;

/**
 * Reads what a page shows of the records: the page itself does not fail with them.
 * @param warning log line when they cannot be read in time
 * @returns null where this deployment keeps no records
 */
export async function readRecords<T>(
  warning: string,
  read: (records: Records) => Promise<T>,
): Promise<T | 'unavailable' | null> {
  if (!hasRecords()) return null;
  try {
    return await promiseTimeout(getRecords().then(read), TIMEOUT_MS);
  } catch (error) {
    log().warn({ err: error }, warning);
    return 'unavailable';
  }
}
