import type { Redis } from 'ioredis';
import { env, recordDependency, log, runOutsideOfRequest, processWide } from '@/lib/server/runtime';
import { promiseTimeout } from '@/lib/shared/promise-timeout';
import { reportOutage } from '@/lib/shared/error-reporting/report';

/** Maximum time a sign-in waits for Redis, in milliseconds. */
const COMMAND_TIMEOUT_MS = 250;
/** Maximum time a sign-in waits for the first connection, in milliseconds. */
const FIRST_CONNECTION_TIMEOUT_MS = 500;
/** Longer than a busy process takes to load its code: until then it reads no answer, and would report an outage. */
const CONNECT_TIMEOUT_MS = 10_000;
const MAX_RETRY_DELAY_MS = 2_000;

/** The process's connection, or null without `REDIS_URL`. Never rejects; the connection may be down. */
export function getRedisConnection(): Promise<Redis | null> {
  return processWide('redis', () => {
    const url = env().REDIS_URL;
    return url === undefined ? Promise.resolve(null) : runOutsideOfRequest(() => connect(url));
  });
}

async function connect(url: string): Promise<Redis> {
  const { Redis } = await import('ioredis');
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: COMMAND_TIMEOUT_MS,
    // Fail immediately while Redis is down: the caller falls back instead of queueing.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(attempt * 100, MAX_RETRY_DELAY_MS),
  });
  reportOutages(redis);
  await promiseTimeout(redis.connect(), FIRST_CONNECTION_TIMEOUT_MS).catch(() => undefined);
  return redis;
}

/** One report when an outage begins, one log line when it ends, regardless of the attempts in between. */
function reportOutages(redis: Redis): void {
  let down = false;
  const begin = (error: unknown) => {
    recordDependency('redis', false);
    if (down) return;
    down = true;
    runOutsideOfRequest(() => reportOutage(error, 'Redis outage: limits and shared state are kept in this process'));
  };
  redis.on('error', begin);
  redis.on('close', () => begin(new Error('The connection to Redis was lost')));
  redis.on('ready', () => {
    recordDependency('redis', true);
    if (down) runOutsideOfRequest(() => log().info('Redis is back'));
    down = false;
  });
}
