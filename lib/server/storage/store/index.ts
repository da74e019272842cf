import type { Cluster, Redis, RedisOptions } from 'ioredis';
import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { env, log, processWide, recordDependency, runOutsideOfRequest } from '@/lib/server/runtime';
import { reportOutage } from '@/lib/shared/error-reporting/report';
import { ApiProblem } from '@/lib/shared/problem';
import { promiseTimeout } from '@/lib/shared/promise-timeout';
import { timeLimit } from '@/lib/shared/time-limit';

/**
 * State that app processes share: tries, one-time use, ended sessions (docs/architecture.md#processes).
 * In memory by default, Redis when `REDIS_URL` is set. Values are short strings, lifetimes are seconds.
 */
export interface SharedStore {
  get(key: string): Promise<string | null>;
  /**
   * Whether any of the keys is set, with one command; null when only this process's own entries could be read, or the other processes may
   * not have handed over theirs, and there is none. At once where they are in memory.
   */
  hasAny(keys: readonly string[]): boolean | Promise<boolean | null>;
  set(key: string, value: string, ttlSeconds: number): Promise<void>;
  /** Sets the key unless it exists. @returns whether this call set it */
  setIfAbsent(key: string, value: string, ttlSeconds: number): Promise<boolean>;
  /**
   * Sets the lifetime of a key that still has the value; 0 deletes it. For a lock, whose holder must not renew or end that of the next.
   * @returns whether it had the value; null when that is unknown, while Redis does not answer
   */
  expireIf(key: string, value: string, ttlSeconds: number): Promise<boolean | null>;
  /**
   * Counts a try of a secret, before it is compared; the lifetime counts from the first. This process counts all of its own, so that
   * it never allows more than them. @returns the new count
   * @throws ApiProblem `store-unavailable` while Redis is there and does not answer: to count here alone would allow as many in each process
   */
  countTry(key: string, ttlSeconds: number): Promise<number>;
  delete(key: string): Promise<void>;
}

/** Beyond this the oldest entries are evicted, so that a flood of requests uses bounded memory. */
const MAX_ENTRIES = 100_000;

type Entry = { key: string; value: string; ttlSeconds: number };

/** State of one process: expiring, bounded. */
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

  expireIf(key: string, value: string, ttlSeconds: number): Promise<boolean> {
    if (this.entries.get(key) !== value) return Promise.resolve(false);
    if (ttlSeconds > 0) this.entries.set(key, value, { ttl: ttlSeconds * 1000 });
    else this.entries.delete(key);
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

  /** @returns the entries that have not expired */
  list(): Entry[] {
    const alive = [...this.entries.entries()].map(([key, value]) => {
      return { key, value, ttlSeconds: Math.ceil(this.entries.getRemainingTTL(key) / 1000) };
    });
    return alive.filter(({ ttlSeconds }) => ttlSeconds > 0);
  }
}

const PREFIX = 'learner-identity:';

// Atomic, so that a crash between the two commands cannot leave a count that never expires.
const INCREMENT = `local n = redis.call('INCR', KEYS[1])
if n == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return n`;

const EXPIRE_IF = `return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('EXPIRE', KEYS[1], ARGV[2]) or 0`;

/** Longer than other commands: without an answer the try is refused. */
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
    // Each key has a node of its own. One that answers decides alone, if it has the key.
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

  async expireIf(key: string, value: string, ttlSeconds: number): Promise<boolean> {
    return (await (await this.redis).eval(EXPIRE_IF, 1, PREFIX + key, value, ttlSeconds)) === 1;
  }

  async countTry(key: string, ttlSeconds: number): Promise<number> {
    // First: the time of the command begins with it, and is not that of the first connection.
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

/** Redis pauses for seconds at most, or is away. */
const RETRY_AFTER_SECONDS = 2;
/** Longer than a lock is held by a process that has died, in seconds. */
const RELEASE_SECONDS = 30;
const RELEASE_RETRY_MS = 250;
/** How long after an outage the other processes have handed over what they kept meanwhile: they notice its end one by one. */
const HANDOVER_MS = 5_000;
/** Entries that are handed over at a time: Redis has just been away, and the process has learners to serve. */
const HANDOVER_BATCH = 100;
/** Before the next try, when Redis answers and takes none of a batch. */
const HANDOVER_PAUSE_MS = 1_000;

function* toBatches(entries: readonly Entry[]): Generator<Entry[]> {
  for (let i = 0; i < entries.length; i += HANDOVER_BATCH) yield entries.slice(i, i + HANDOVER_BATCH);
}

/**
 * Shared state that survives an outage of the shared store: while it is down, this process keeps its own state. When it answers again, the
 * entries written during the outage are handed over, behind the calls; until then both are read (docs/adr/0004). However many there are,
 * no call waits for them or makes work of them while the shared store is away or slow.
 */
export class ResilientStore implements SharedStore {
  private hasOwnState = false;
  private failedAt = -Infinity;
  /** Tries that this process has counted, whether the shared store had them or not: never handed over. */
  private readonly tries = new MemoryStore();
  private isHandingOver = false;
  /** Locks that Redis was not told to release: their keys, by their holders. */
  private readonly released = new MemoryStore();
  private isReleasing = false;

  constructor(
    private readonly shared: SharedStore,
    private readonly own: MemoryStore,
  ) {}

  // Its own entries first: one that is not among them any more is in the shared store already.

  get(key: string): Promise<string | null> {
    return this.own.has([key]) ? this.own.get(key) : this.attempt((store) => store.get(key));
  }

  hasAny(keys: readonly string[]): Promise<boolean | null> {
    if (this.own.has(keys)) return Promise.resolve(true);
    return this.attempt(async (store) => {
      if (await store.hasAny(keys)) return true;
      return store === this.own || performance.now() - this.failedAt < HANDOVER_MS ? null : false;
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

  async expireIf(key: string, value: string, ttlSeconds: number): Promise<boolean | null> {
    // Both, and its own first: it may be on its way to the shared store, or there too, where that wrote it but answered too late.
    const hadOwn = await this.own.expireIf(key, value, ttlSeconds);
    const expire = async (store: SharedStore) =>
      (await store.expireIf(key, value, ttlSeconds)) || (store === this.own ? null : false);
    const hadShared = await this.attempt(expire);
    if (ttlSeconds === 0 && hadShared === null) void this.releaseLate(key, value);
    return hadOwn || hadShared;
  }

  /** A lock that Redis has, or is only about to take, while it does not answer: without this, the next holder would wait until it expires. */
  private async releaseLate(key: string, value: string): Promise<void> {
    await this.released.set(value, key, RELEASE_SECONDS);
    if (this.isReleasing) return;
    this.isReleasing = true;
    for (let entries = this.released.list(); entries.length > 0; entries = this.released.list()) {
      await sleep(RELEASE_RETRY_MS, undefined, { ref: false });
      // Of a cluster, a part may be away.
      const release = async (entry: Entry) => {
        await this.shared.expireIf(entry.value, entry.key, 0);
        await this.released.delete(entry.key);
      };
      for (const batch of toBatches(entries)) {
        const results = await Promise.allSettled(batch.map(release));
        if (results.every(({ status }) => status === 'rejected')) break;
      }
    }
    this.isReleasing = false;
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
    // Its own first: what is deleted must not be handed over once more.
    await Promise.all([this.tries.delete(key), this.own.delete(key)]);
    return this.attempt((store) => store.delete(key));
  }

  private async attempt<T>(call: (store: SharedStore) => Promise<T>, writes = false): Promise<T> {
    try {
      const result = await call(this.shared);
      recordAnswer({ isWrite: writes });
      // Of a cluster, a part may be down: what it cannot take stays, and the rest is used.
      if (this.hasOwnState && !this.isHandingOver) void this.handOver();
      return result;
    } catch (error) {
      recordFailure(error);
      this.failedAt = performance.now();
      this.hasOwnState ||= writes;
      return call(this.own);
    }
  }

  private async handOver(): Promise<void> {
    this.isHandingOver = true;
    this.hasOwnState = false;
    let isAnyTaken = false;
    // All of them: of a cluster, a part may be away, and all of a batch belong to it.
    for (const batch of toBatches(this.own.list()))
      isAnyTaken = (await Promise.all(batch.map((entry) => this.handOverOne(entry)))).includes(true) || isAnyTaken;
    // Redis may answer, and refuse all writes: each call that it answers would begin again, at once.
    if (!isAnyTaken) await sleep(HANDOVER_PAUSE_MS, undefined, { ref: false });
    this.isHandingOver = false;
  }

  /** Readable until the shared store has it. @returns whether there is nothing more to do */
  private async handOverOne({ key, value, ttlSeconds }: Entry): Promise<boolean> {
    if (!this.own.has([key])) return true;
    try {
      await this.shared.setIfAbsent(key, value, ttlSeconds);
      recordAnswer({ isWrite: true });
      await this.own.delete(key);
      return true;
    } catch (error) {
      recordFailure(error);
      this.hasOwnState = true;
      return false;
    }
  }
}

/** State shared by all app processes: Redis when `REDIS_URL` is set, else this process's memory. Only `countTry` rejects. */
export function getStore(): SharedStore {
  return processWide('store', () => {
    const redis = getRedisConnection();
    return redis ? new ResilientStore(new RedisStore(redis), new MemoryStore()) : new MemoryStore();
  });
}

/** Maximum time a sign-in waits for Redis, in milliseconds. */
const COMMAND_TIMEOUT_MS = 250;
/** Maximum time a sign-in waits for the first connection, in milliseconds. */
const FIRST_CONNECTION_TIMEOUT_MS = 500;
/** Longer than a busy process takes to load its code: until then it reads no answer, and would report an outage. */
const CONNECT_TIMEOUT_MS = 10_000;
const MAX_RETRY_DELAY_MS = 2_000;
/** Without a byte for this long a connection is given up, in milliseconds: of a host that has vanished nothing else would tell for minutes. */
const SILENCE_TIMEOUT_MS = 10_000;
/** How often a connection to a server that is only a replica is given up, in milliseconds: another one may lead to its primary. */
const REPLICA_RECONNECT_MS = 5_000;
/** How often a command follows a slot of a cluster that has moved; then the caller falls back, as while Redis is down. */
const MAX_REDIRECTIONS = 3;
const REDIRECTION_DELAY_MS = 50;

type RedisClient = Redis | Cluster;

/** The process's connection, or null without `REDIS_URL`. Never rejects; the connection may be down. */
export function getRedisConnection(): Promise<RedisClient> | null {
  return processWide('redis', () => {
    const nodes = env().REDIS_URL;
    return nodes === undefined ? null : runOutsideOfRequest(() => connect(nodes));
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

/** After a fail-over, connections to the server of before may stay open. */
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

/** Whether a command was sent and not answered in time: the library has no code for it. Others mean no connection, or that Redis refuses. */
function isTooLate(error: unknown): boolean {
  return error instanceof Error && error.message === 'Command timed out';
}

/** How long Redis must have refused nothing before a write that it takes ends an outage: at its limit of memory it takes some. */
const REFUSAL_MS = 5_000;

/** `refusedAt`: when Redis last refused a call, in milliseconds of `performance.now()`; null once it takes writes again. */
const outage = () => processWide('redis-outage', () => ({ isReported: false, refusedAt: null as number | null }));

/** One report when an outage begins, one log line when it ends, regardless of the attempts in between. */
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
  // One that refuses writes is back with the first that it takes.
  redis.on('ready', () => outage().refusedAt === null && endOutage());
}

/** @param isWrite a write that needs memory: a server without any still answers the others */
function recordAnswer({ isWrite }: { isWrite: boolean }): void {
  const { refusedAt } = outage();
  if (refusedAt === null) return recordDependency('redis', true);
  if (!isWrite || performance.now() - refusedAt < REFUSAL_MS) return;
  outage().refusedAt = null;
  endOutage();
}

/** The connection reports its own outages. Not one that answers and refuses: a replica, a full disk or memory, too few replicas. */
function recordFailure(error: unknown): void {
  recordDependency('redis', false);
  if (!(error instanceof Error) || error.name !== 'ReplyError') return;
  outage().refusedAt = performance.now();
  beginOutage(error);
}

/** Whether Redis is connected and takes writes. */
export async function getRedisState(): Promise<'not configured' | 'up' | 'down'> {
  const redis = await getRedisConnection();
  if (!redis) return 'not configured';
  return redis.status === 'ready' && outage().refusedAt === null ? 'up' : 'down';
}
