import { processWide } from '../process';

/** How long one kind of failure is not logged again, in milliseconds. */
const INTERVAL_MS = 60_000;
const MAX_KINDS = 100;

/**
 * Thins out what an outage repeats: the first failure of each kind is logged, and then one per minute.
 * @param service whose failures are counted together
 * @param kind of the failure; never a client's choice
 * @returns how many of the kind were left out since the last one that was logged; null where this one is to be left out
 */
export function countSuppressed(service: string, kind: string, now = Date.now()): number | null {
  const kinds = processWide(`failures:${service}`, () => new Map<string, { since: number; count: number }>());
  const before = kinds.get(kind);
  if (before && now - before.since < INTERVAL_MS) {
    before.count += 1;
    return null;
  }
  if (kinds.size >= MAX_KINDS) kinds.clear();
  kinds.set(kind, { since: now, count: 0 });
  return before?.count ?? 0;
}
