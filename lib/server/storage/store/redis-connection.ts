import type { Cluster, Redis, RedisOptions } from 'ioredis';
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
/** Without a byte for this long a connection is given up, in milliseconds: of a host that has vanished nothing else would tell for minutes. */
const SILENCE_TIMEOUT_MS = 10_000;
/** How often a command follows a slot of a cluster that has moved; then the caller falls back, as while Redis is down. */
const MAX_REDIRECTIONS = 3;
const REDIRECTION_DELAY_MS = 50;

export type RedisClient = Redis | Cluster;

/** The process's connection, or null without `REDIS_URL`. Never rejects; the connection may be down. */
export function getRedisConnection(): Promise<RedisClient | null> {
  return processWide('redis', () => {
    const nodes = env().REDIS_URL;
    return nodes === undefined ? Promise.resolve(null) : runOutsideOfRequest(() => connect(nodes));
  });
}

type ClientOptions = Required<Pick<RedisOptions, 'connectTimeout' | 'commandTimeout' | 'retryStrategy'>> &
  Pick<RedisOptions, 'socketTimeout'>;

/**
 * A client that is not connected yet: of one server, or of a Redis Cluster when there are several nodes. The user, the password and TLS of the
 * first node are those of all.
 */
export async function createRedisClient(nodes: readonly string[], options: ClientOptions): Promise<RedisClient> {
  const { Cluster, Redis } = await import('ioredis');
  const [first = ''] = nodes;
  const { retryStrategy, ...common } = options;
  // Fail immediately while Redis is down: the caller falls back instead of queueing.
  const both = { lazyConnect: true, enableOfflineQueue: false };
  if (nodes.length === 1) return new Redis(first, { ...both, ...options, maxRetriesPerRequest: 0 });
  const { protocol, username, password } = new URL(first);
  return new Cluster([...nodes], {
    ...both,
    clusterRetryStrategy: retryStrategy,
    maxRedirections: MAX_REDIRECTIONS,
    retryDelayOnFailover: REDIRECTION_DELAY_MS,
    retryDelayOnClusterDown: REDIRECTION_DELAY_MS,
    redisOptions: {
      ...common,
      maxRetriesPerRequest: 0,
      ...(username !== '' && { username: decodeURIComponent(username) }),
      ...(password !== '' && { password: decodeURIComponent(password) }),
      ...(protocol === 'rediss:' && { tls: {} }),
    },
  });
}

async function connect(nodes: readonly string[]): Promise<RedisClient> {
  const redis = await createRedisClient(nodes, {
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: COMMAND_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    retryStrategy: (attempt) => Math.min(attempt * 100, MAX_RETRY_DELAY_MS),
  });
  reportOutages(redis);
  await promiseTimeout(redis.connect(), FIRST_CONNECTION_TIMEOUT_MS).catch(() => undefined);
  return redis;
}

/** Whether a command was sent and not answered in time; other errors say that there is no connection, or that Redis refuses. */
export function isTooLate(error: unknown): boolean {
  return error instanceof Error && error.message === 'Command timed out';
}

/** One report when an outage begins, one log line when it ends, regardless of the attempts in between. */
function reportOutages(redis: RedisClient): void {
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
