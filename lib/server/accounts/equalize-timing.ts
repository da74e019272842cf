import { setTimeout as sleep } from 'node:timers/promises';

/** Responses are sent at multiples of this, in milliseconds. */
const INTERVAL_MS = 500;

/**
 * Equalizes the response time for known and unknown emails: success or failure is delayed to the next multiple of
 * `intervalMs`. The work itself is similar too (one lookup, at most one link, one email), so that both end within the same
 * interval.
 */
export async function equalizeTiming<T>(work: () => Promise<T>, intervalMs = INTERVAL_MS): Promise<T> {
  const begin = performance.now();
  try {
    return await work();
  } finally {
    await sleep(intervalMs - ((performance.now() - begin) % intervalMs));
  }
}
