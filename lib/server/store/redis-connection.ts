import type { Redis } from 'ioredis';
import { env } from '@/lib/config/env';
import { promiseTimeout } from '@/lib/promise-timeout';
import { reportError } from '@/lib/sentry/report';
import { log } from '../log';
import { processWide } from '../process-wide';

/** No sign-in waits longer than this for Redis, in milliseconds. */
const COMMAND_TIMEOUT = 250;
const CONNECT_TIMEOUT = 500;
const LONGEST_RETRY_PAUSE = 2_000;

/** The process's connection, or null without `REDIS_URL`. Never rejects; the connection may be down. */
export function redisConnection(): Promise<Redis | null> {
  return processWide('redis', () => {
    const url = env().REDIS_URL;
    return url === undefined ? Promise.resolve(null) : connect(url);
  });
}

async function connect(url: string): Promise<Redis> {
  const { Redis } = await import('ioredis');
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT,
    commandTimeout: COMMAND_TIMEOUT,
    // Down means down at once: the caller falls back instead of queueing.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(attempt * 100, LONGEST_RETRY_PAUSE),
  });
  reportOutages(redis);
  await promiseTimeout(redis.connect(), CONNECT_TIMEOUT).catch(() => undefined);
  return redis;
}

/** One report when an outage begins, one log line when it ends, however many attempts lie between. */
function reportOutages(redis: Redis): void {
  let down = false;
  const begin = (error: unknown) => {
    if (down) return;
    down = true;
    reportError(error, { during: 'Redis outage: limits and shared state are kept in this process' });
  };
  redis.on('error', begin);
  redis.on('close', () => begin(new Error('The connection to Redis was lost')));
  redis.on('ready', () => {
    if (down) log().info('Redis is back');
    down = false;
  });
}
