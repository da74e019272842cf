import type { Cluster, Redis, RedisOptions } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { env, log, processWide, recordDependency, runOutsideOfRequest } from '@/lib/server/runtime';
import { reportOutage } from '@/lib/shared/error-reporting/report';
import { ApiProblem } from '@/lib/shared/problem';
import { promiseTimeout } from '@/lib/shared/promise-timeout';
import { timeLimit } from '@/lib/shared/time-limit';

/**
 * State that app processes share: tries, one-time use, ended sessions (docs/architecture.md#processes). It is in memory
 * by default, and in Redis if `REDIS_URL` is set. Values are short strings. Lifetimes are in seconds.
 */
export interface SharedStore {
  get(key: string): Promise<string | null>;
  /**
   * Whether any of the keys is set, with a single command. Null if none is found but others may have set a key that
   * cannot be read, during an outage of Redis and for a while afterwards. Returns at once if the state is in memory.
   */
  hasAny(keys: readonly string[]): boolean | Promise<boolean | null>;
  set(key: string, value: string, ttlSeconds: number): Promise<void>;
  /** Sets the key unless it exists. @returns whether this call set it */
  setIfAbsent(key: string, value: string, ttlSeconds: number): Promise<boolean>;
  /**
   * Counts a try of a secret before the comparison. The lifetime starts at the first try. This process also counts its
   * own tries, so it never allows more than the limit.
   * @returns the new count
   * @throws ApiProblem `store-unavailable` if Redis is connected but does not respond, because counting here alone
   *   would allow the limit in each process
   */
  countTry(key: string, ttlSeconds: number): Promise<number>;
  delete(key: string): Promise<void>;
}

/** Beyond this, the oldest entries are evicted, so that a flood of requests uses bounded memory. */
const MAX_ENTRIES = 100_000;

/** State of a single process, with expiry and a bounded size. */
export class MemoryStore implements SharedStore {
  private readonly entries = new LRUCache<string, string>({
    max: MAX_ENTRIES,
    perf: { now: () => Date.now() },
    ttlResolution: 0,
  });

  get(key: string): Promise<string | null> {
    return Promise.resolve(this.entries.get(key) ?? null);
  }

  hasAny(keys: readonly string[]): boolean | Promise<boolean> {
    return this.has(keys);
  }

  has(keys: readonly string[]): boolean {
    return keys.some((key) => this.entries.has(key));
  }

  set(key: string, value: string, ttlSeconds: number): Promise<void> {
    this.entries.set(key, value, { ttl: ttlSeconds * 1000 });
    return Promise.resolve();
  }

  setIfAbsent(key: string, value: string, ttlSeconds: number): Promise<boolean> {
    if (this.entries.has(key)) return Promise.resolve(false);
    this.entries.set(key, value, { ttl: ttlSeconds * 1000 });
    return Promise.resolve(true);
  }

  countTry(key: string, ttlSeconds: number): Promise<number> {
    const count = Number(this.entries.get(key) ?? 0) + 1;
    const ttl = count === 1 ? ttlSeconds * 1000 : this.entries.getRemainingTTL(key);
    this.entries.set(key, String(count), { ttl });
    return Promise.resolve(count);
  }

  delete(key: string): Promise<void> {
    this.entries.delete(key);
    return Promise.resolve();
  }
}

const PREFIX = 'learner-identity:';

// Atomic, so that a crash between the two commands cannot leave a count without expiry.
const INCREMENT = `local n = redis.call('INCR', KEYS[1])
if n == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return n`;

/** Longer than for other commands, because a try without a response is refused. */
const TRY_TIMEOUT_MS = 2_000;

/** State of all processes. Calls wait for the first connection, and reject while Redis is down. */
class RedisStore implements SharedStore {
  constructor(private readonly redis: Promise<RedisClient>) {}

  async get(key: string): Promise<string | null> {
    return (await this.redis).get(PREFIX + key);
  }

  async hasAny(keys: readonly string[]): Promise<boolean> {
    if (keys.length === 0) return false;
    const redis = await this.redis;
    if (!redis.isCluster) return (await redis.exists(...keys.map((key) => PREFIX + key))) > 0;
    // The keys may be on different nodes. A node that has a key decides alone, even if others do not respond.
    const counts = await Promise.allSettled(keys.map((key) => redis.exists(PREFIX + key)));
    if (counts.some((count) => count.status === 'fulfilled' && count.value > 0)) return true;
    for (const count of counts) if (count.status === 'rejected') throw count.reason;
    return false;
  }

  async set(key: string, value: string, ttlSeconds: number): Promise<void> {
    await (await this.redis).set(PREFIX + key, value, 'EX', ttlSeconds);
  }

  async setIfAbsent(key: string, value: string, ttlSeconds: number): Promise<boolean> {
    return (await (await this.redis).set(PREFIX + key, value, 'EX', ttlSeconds, 'NX')) === 'OK';
  }

  async countTry(key: string, ttlSeconds: number): Promise<number> {
    // Await this first, because the command's timeout must not include the first connection.
    const redis = await this.redis;
    const { Command } = await import('ioredis');
    const command = new Command('eval', [INCREMENT, 1, PREFIX + key, ttlSeconds]);
    command.setTimeout(timeLimit(TRY_TIMEOUT_MS));
    return Number(await redis.sendCommand(command));
  }

  async delete(key: string): Promise<void> {
    await (await this.redis).del(PREFIX + key);
  }
}

/** Redis either pauses for a few seconds at most, or is down. */
const RETRY_AFTER_SECONDS = 2;
/**
 * How long after an outage the absence of a mark is not trusted. It is longer than a process caches a session's state.
 */
const DOUBT_MS = 25_000;

/**
 * Shared state that survives an outage of the shared store. During an outage, this process keeps its own writes and
 * reads them until they expire. They are not copied afterwards, because state that must hold in every process is in the
 * database (docs/adr/0046).
 */
export class ResilientStore implements SharedStore {
  private failedAt = -Infinity;
  /** Tries that this process has counted, whether or not the shared store has them. */
  private readonly tries = new MemoryStore();

  constructor(
    private readonly shared: SharedStore,
    private readonly own: MemoryStore,
  ) {}

  /** Records that the shared store was down, even if no call noticed it. */
  doubt(): void {
    this.failedAt = performance.now();
  }

  // Reads its own entries first, because the shared store does not have them.

  get(key: string): Promise<string | null> {
    return this.own.has([key]) ? this.own.get(key) : this.attempt((store) => store.get(key));
  }

  hasAny(keys: readonly string[]): Promise<boolean | null> {
    if (this.own.has(keys)) return Promise.resolve(true);
    return this.attempt(async (store) => {
      if (await store.hasAny(keys)) return true;
      return performance.now() - this.failedAt < DOUBT_MS ? null : false;
    });
  }

  set(key: string, value: string, ttlSeconds: number): Promise<void> {
    return this.attempt(async (store) => {
      await store.set(key, value, ttlSeconds);
      if (store !== this.own) await this.own.delete(key);
    }, true);
  }

  setIfAbsent(key: string, value: string, ttlSeconds: number): Promise<boolean> {
    if (this.own.has([key])) return Promise.resolve(false);
    return this.attempt((store) => store.setIfAbsent(key, value, ttlSeconds), true);
  }

  async countTry(key: string, ttlSeconds: number): Promise<number> {
    const own = await this.tries.countTry(key, ttlSeconds);
    try {
      const count = await this.shared.countTry(key, ttlSeconds);
      recordAnswer({ isWrite: true });
      return Math.max(own, count);
    } catch (error) {
      recordFailure(error);
      if (isTooLate(error))
        throw new ApiProblem('store-unavailable', { retryAfter: RETRY_AFTER_SECONDS, cause: error });
      return own;
    }
  }

  async delete(key: string): Promise<void> {
    await Promise.all([this.tries.delete(key), this.own.delete(key)]);
    return this.attempt((store) => store.delete(key));
  }

  private async attempt<T>(call: (store: SharedStore) => Promise<T>, isWrite = false): Promise<T> {
    try {
      const result = await call(this.shared);
      recordAnswer({ isWrite });
      return result;
    } catch (error) {
      recordFailure(error);
      this.doubt();
      return call(this.own);
    }
  }
}

/**
 * Returns the state shared by all app processes: Redis if `REDIS_URL` is set, else this process's memory. Only
 * `countTry` rejects.
 */
export function getStore(): SharedStore {
  return processWide('store', () => {
    const redis = getRedisConnection();
    if (redis === null) return new MemoryStore();
    const store = new ResilientStore(new RedisStore(redis), new MemoryStore());
    void redis.then((client) => client.on('close', () => store.doubt()));
    return store;
  });
}

/** How long a sign-in waits for Redis. */
const COMMAND_TIMEOUT_MS = 250;
/** How long a sign-in waits for the first connection. */
const FIRST_CONNECTION_TIMEOUT_MS = 500;
/** Longer than a busy process takes to load its code. Until then it reads no response, and would report an outage. */
const CONNECT_TIMEOUT_MS = 10_000;
const MAX_RETRY_DELAY_MS = 2_000;
/**
 * A connection is closed after this time without a byte. For a host that has vanished, nothing else would reveal it for
 * minutes.
 */
const SILENCE_TIMEOUT_MS = 10_000;
/** How often a connection to a replica is closed, because another connection may lead to the primary. */
const REPLICA_RECONNECT_MS = 5_000;
/** How often a command follows a moved slot of a cluster. Then the caller uses its fallback for an outage. */
const MAX_REDIRECTIONS = 3;
const REDIRECTION_DELAY_MS = 50;

type RedisClient = Redis | Cluster;

/** Returns the process's connection, or null without `REDIS_URL`. It never rejects, but the connection may be down. */
export function getRedisConnection(): Promise<RedisClient> | null {
  return processWide('redis', () => {
    const nodes = env().REDIS_URL;
    return nodes === undefined ? null : runOutsideOfRequest(() => connect(nodes));
  });
}

type ClientOptions = Required<Pick<RedisOptions, 'connectTimeout' | 'commandTimeout' | 'retryStrategy'>> &
  Pick<RedisOptions, 'socketTimeout'>;

/**
 * Creates a client that is not yet connected: for a single server, or for a Redis Cluster if there are several nodes.
 * All nodes use the first node's user, password and TLS.
 */
export async function createRedisClient(nodes: readonly string[], options: ClientOptions): Promise<RedisClient> {
  const { Cluster, Redis } = await import('ioredis');
  const [first = ''] = nodes;
  const { retryStrategy, ...common } = options;
  // Fail at once while Redis is down, so that the caller uses its fallback instead of queueing.
  const both = { lazyConnect: true, enableOfflineQueue: false };
  if (nodes.length === 1)
    return new Redis(first, { ...both, ...options, maxRetriesPerRequest: 0, reconnectOnError: leavesReplica() });
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

/** Reconnects after a failover, because connections to the former primary may stay open. */
function leavesReplica(): (error: Error) => boolean {
  let last = -Infinity;
  return ({ message }) => {
    if (!message.includes('READONLY') || performance.now() - last < REPLICA_RECONNECT_MS) return false;
    last = performance.now();
    return true;
  };
}

async function connect(nodes: readonly string[]): Promise<RedisClient> {
  const redis = await createRedisClient(nodes, {
    connectTimeout: timeLimit(CONNECT_TIMEOUT_MS),
    commandTimeout: timeLimit(COMMAND_TIMEOUT_MS),
    socketTimeout: timeLimit(SILENCE_TIMEOUT_MS),
    retryStrategy: (attempt) => Math.min(attempt * 100, MAX_RETRY_DELAY_MS),
  });
  reportOutages(redis);
  await promiseTimeout(redis.connect(), FIRST_CONNECTION_TIMEOUT_MS).catch(() => undefined);
  return redis;
}

/**
 * Whether a command was sent but got no response in time. The library has no code for it. Other errors mean no
 * connection, or that Redis refuses.
 */
function isTooLate(error: unknown): boolean {
  return error instanceof Error && error.message === 'Command timed out';
}

/**
 * How long Redis must not have refused a command before a successful write ends an outage. At its memory limit, it
 * still accepts some writes.
 */
const REFUSAL_MS = 5_000;

/**
 * `refusedAt`: when Redis last refused a call, in milliseconds of `performance.now()`. Null once it accepts writes
 * again.
 */
const outage = () => processWide('redis-outage', () => ({ isReported: false, refusedAt: null as number | null }));

/** Reports the start of an outage once and logs its end once, regardless of the attempts in between. */
function beginOutage(error: unknown): void {
  recordDependency('redis', false);
  if (outage().isReported) return;
  outage().isReported = true;
  runOutsideOfRequest(() => reportOutage(error, 'Redis outage: limits and shared state are kept in this process'));
}

function endOutage(): void {
  recordDependency('redis', true);
  if (outage().isReported) runOutsideOfRequest(() => log().info('Redis is back'));
  outage().isReported = false;
}

function reportOutages(redis: RedisClient): void {
  redis.on('error', beginOutage);
  redis.on('close', () => beginOutage(new Error('The connection to Redis was lost')));
  // A server that refused writes is back only after its first successful write.
  redis.on('ready', () => outage().refusedAt === null && endOutage());
}

/** @param isWrite a write that needs memory, because a server without free memory still accepts other commands */
function recordAnswer({ isWrite }: { isWrite: boolean }): void {
  const { refusedAt } = outage();
  if (refusedAt === null) return recordDependency('redis', true);
  if (!isWrite || performance.now() - refusedAt < REFUSAL_MS) return;
  outage().refusedAt = null;
  endOutage();
}

/**
 * Records a failed call. The connection reports its own outages, but not a server that responds with a refusal: a
 * replica, a full disk or memory, too few replicas.
 */
function recordFailure(error: unknown): void {
  recordDependency('redis', false);
  if (!(error instanceof Error) || error.name !== 'ReplyError') return;
  outage().refusedAt = performance.now();
  beginOutage(error);
}

/** Whether Redis is connected and accepts writes. */
export async function getRedisState(): Promise<'not configured' | 'up' | 'down'> {
  const redis = await getRedisConnection();
  if (!redis) return 'not configured';
  return redis.status === 'ready' && outage().refusedAt === null ? 'up' : 'down';
}
