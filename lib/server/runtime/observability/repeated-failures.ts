import { processWide } from '../process';

/** How long a kind of failure is not logged again. */
const INTERVAL_MS = 60_000;
const MAX_KINDS = 100;

/**
 * Reduces repeated failures of an outage. The first failure of each kind is logged, and then one per minute.
 * @param service whose failures are counted together
 * @param kind of the failure; must not come from a client
 * @returns how many failures of the kind were skipped since the last logged failure, or null if this failure is to be
 *   skipped
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
