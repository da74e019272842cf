import { setTimeout as sleep } from 'node:timers/promises';

/** Answers leave at multiples of this, in milliseconds. */
const BEAT = 500;

/**
 * Lets work that differs for known and unknown addresses take the same time: its end, good or bad, waits for the next
 * beat. The work itself is nearly alike as well (one look-up, at most one link, one mail), so that it ends before the same beat.
 */
export async function inEvenTime<T>(work: () => Promise<T>, beat = BEAT): Promise<T> {
  const begin = performance.now();
  try {
    return await work();
  } finally {
    await sleep(beat - ((performance.now() - begin) % beat));
  }
}
