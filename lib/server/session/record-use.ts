import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import { describeClient, log, processWide } from '@/lib/server/runtime';
import { getRecords, hasRecords } from '@/lib/server/storage';
import { touchSession } from './sessions';

/** The last use of a session is recorded at most once in this time, in milliseconds. */
const INTERVAL_MS = 15 * 60 * 1000;
const MAX_SESSIONS = 10_000;

const recorded = () =>
  processWide(
    'session-uses',
    () =>
      new LRUCache<string, true>({
        max: MAX_SESSIONS,
        ttl: INTERVAL_MS,
        perf: { now: () => Date.now() },
        ttlResolution: 0,
      }),
  );

/**
 * Records, in the background, that a browser has used its session. The platform's servers pass cookies on without Fetch
 * Metadata: their checks do not tell where the browser is.
 */
export function recordUse(req: Pick<IncomingMessage, 'headers' | 'socket'>, sid: string): void {
  if (req.headers['sec-fetch-site'] === undefined || !hasRecords() || recorded().has(sid)) return;
  recorded().set(sid, true);
  const at = new Date();
  const since = new Date(at.getTime() - INTERVAL_MS);
  const client = describeClient(req);
  getRecords()
    .then((records) => touchSession(records, { sid, at, since, client }))
    .catch((error: unknown) => log().debug({ err: error }, 'the use of a session could not be recorded'));
}
