import { setTimeout as sleep } from 'node:timers/promises';

/** How early a timer of Node.js can fire by the wall clock, in milliseconds: it counts whole ones from when its loop began. */
const EARLY_MS = 2;

/** Waits until a time, in milliseconds since 1970; not at all when it has passed. */
export async function sleepUntil(time: number): Promise<void> {
  const left = time - Date.now();
  if (left > 0) await sleep(left + EARLY_MS);
}
