import type { Redis } from 'ioredis';
import { env } from '../config/env';
import { promiseTimeout } from '@/lib/shared/promise-timeout';
import { reportError } from '@/lib/shared/error-reporting/report';
import { recordDependency } from '../observability/dependencies';
import { log } from '../observability/log';
import { processWide } from '../process-wide';

/** Maximum time a sign-in waits for Redis, in milliseconds. */
const COMMAND_TIMEOUT_MS = 250;
const CONNECT_TIMEOUT_MS = 500;
const MAX_RETRY_DELAY_MS = 2_000;

/** The process's connection, or null without `REDIS_URL`. Never rejects; the connection may be down. */
export function getRedisConnection(): Promise<Redis | null> {
  return processWide('redis', () => {
    const url = env().REDIS_URL;
    return url === undefined ? Promise.resolve(null) : connect(url);
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
  await promiseTimeout(redis.connect(), CONNECT_TIMEOUT_MS).catch(() => undefined);
  return redis;
}

/** One report when an outage begins, one log line when it ends, regardless of the attempts in between. */
function reportOutages(redis: Redis): void {
  let down = false;
  const begin = (error: unknown) => {
    recordDependency('redis', false);
    if (down) return;
    down = true;
    reportError(error, { during: 'Redis outage: limits and shared state are kept in this process' });
  };
  redis.on('error', begin);
  redis.on('close', () => begin(new Error('The connection to Redis was lost')));
  redis.on('ready', () => {
    recordDependency('redis', true);
    if (down) log().info('Redis is back');
    down = false;
  });
}
