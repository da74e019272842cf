import { setTimeout as sleep } from 'node:timers/promises';
import { log, processWide } from '@/lib/server/runtime';
import { withRecords } from '.';
import type { Records } from './engines';

/** When the end of a session is tried again, in seconds after the try before: the database was slow, or the account had too many writes. */
export const LATE_ENDS = [1, 5, 20, 60];

/** Of a process: one is kept for a minute or two. */
const MAX_LATER = 1_000;
const lateWrites = () => processWide('late-session-writes', () => new Set<string>());

/**
 * Tries a write again that the database has not taken, for use in the background.
 * @param key one of a key is tried at a time
 * @param waits before each try, in seconds
 * @returns what it returns; null when it was not done
 */
export async function tryLater<T>(
  key: string,
  waits: readonly number[],
  write: (records: Records) => Promise<T>,
): Promise<T | null> {
  if (lateWrites().has(key)) return null;
  if (lateWrites().size >= MAX_LATER) {
    log().warn('too many writes about sessions wait for the database: one is given up');
    return null;
  }
  lateWrites().add(key);
  try {
    for (const seconds of waits) {
      await sleep(seconds * 1000, undefined, { ref: false });
      const done = await withRecords(async (records) => ({ result: await write(records) })).catch(() => null);
      if (done !== null) return done.result;
    }
    return null;
  } finally {
    lateWrites().delete(key);
  }
}
