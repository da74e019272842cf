import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { processWide, recordDependency } from '@/lib/server/runtime';
import { getRedisConnection } from './redis-connection';

/**
 * State that app processes share: tries, one-time use, ended sessions (docs/product.md#running).
 * In memory by default, Redis when `REDIS_URL` is set. Values are short strings, lifetimes are seconds.
 */
export interface SharedStore {
  get(key: string): Promise<string | null>;
  /** Whether any of the keys is set, with one command. */
  hasAny(keys: readonly string[]): Promise<boolean>;
  set(key: string, value: string, ttlSeconds: number): Promise<void>;
  /** Sets the key unless it exists. @returns whether this call set it */
  setIfAbsent(key: string, value: string, ttlSeconds: number): Promise<boolean>;
  /** Adds one; the lifetime counts from the first call. @returns the new count */
  increment(key: string, ttlSeconds: number): Promise<number>;
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

  hasAny(keys: readonly string[]): Promise<boolean> {
    return Promise.resolve(keys.some((key) => this.entries.has(key)));
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

  increment(key: string, ttlSeconds: number): Promise<number> {
    const count = Number(this.entries.get(key) ?? 0) + 1;
    const ttl = count === 1 ? ttlSeconds * 1000 : this.entries.getRemainingTTL(key);
    this.entries.set(key, String(count), { ttl });
    return Promise.resolve(count);
  }

  delete(key: string): Promise<void> {
    this.entries.delete(key);
    return Promise.resolve();
  }

  /** Empties the store. @returns the entries that had not expired */
  drain(): Entry[] {
    const alive = [...this.entries.entries()].map(([key, value]) => {
      return { key, value, ttlSeconds: Math.ceil(this.entries.getRemainingTTL(key) / 1000) };
    });
    this.entries.clear();
    return alive.filter(({ ttlSeconds }) => ttlSeconds > 0);
  }
}

const PREFIX = 'learner-identity:';

// Atomic, so that a crash between the two commands cannot leave a count that never expires.
const INCREMENT = `local n = redis.call('INCR', KEYS[1])
if n == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return n`;

/** State of all processes. Every call rejects while Redis is down. */
class RedisStore implements SharedStore {
  constructor(private readonly redis: Redis) {}

  get(key: string): Promise<string | null> {
    return this.redis.get(PREFIX + key);
  }

  async hasAny(keys: readonly string[]): Promise<boolean> {
    return keys.length > 0 && (await this.redis.exists(...keys.map((key) => PREFIX + key))) > 0;
  }

  async set(key: string, value: string, ttlSeconds: number): Promise<void> {
    await this.redis.set(PREFIX + key, value, 'EX', ttlSeconds);
  }

  async setIfAbsent(key: string, value: string, ttlSeconds: number): Promise<boolean> {
    return (await this.redis.set(PREFIX + key, value, 'EX', ttlSeconds, 'NX')) === 'OK';
  }

  async increment(key: string, ttlSeconds: number): Promise<number> {
    return Number(await this.redis.eval(INCREMENT, 1, PREFIX + key, ttlSeconds));
  }

  async delete(key: string): Promise<void> {
    await this.redis.del(PREFIX + key);
  }
}

/**
 * Shared state that survives an outage of the shared store: while it is down, this process keeps its own state; when it
 * is back, the entries written during the outage are handed over (docs/adr/0004).
 */
export class ResilientStore implements SharedStore {
  private hasOwnState = false;

  constructor(
    private readonly shared: SharedStore,
    private readonly own: MemoryStore,
  ) {}

  get(key: string): Promise<string | null> {
    return this.attempt((store) => store.get(key));
  }

  hasAny(keys: readonly string[]): Promise<boolean> {
    return this.attempt((store) => store.hasAny(keys));
  }

  set(key: string, value: string, ttlSeconds: number): Promise<void> {
    return this.attempt((store) => store.set(key, value, ttlSeconds), true);
  }

  setIfAbsent(key: string, value: string, ttlSeconds: number): Promise<boolean> {
    return this.attempt((store) => store.setIfAbsent(key, value, ttlSeconds), true);
  }

  increment(key: string, ttlSeconds: number): Promise<number> {
    return this.attempt((store) => store.increment(key, ttlSeconds), true);
  }

  delete(key: string): Promise<void> {
    return this.attempt((store) => store.delete(key));
  }

  private async attempt<T>(call: (store: SharedStore) => Promise<T>, writes = false): Promise<T> {
    try {
      if (this.hasOwnState) await this.handOver();
      const result = await call(this.shared);
      recordDependency('redis', true);
      return result;
    } catch {
      recordDependency('redis', false);
      // The connection already reports each outage once.
      this.hasOwnState ||= writes;
      return call(this.own);
    }
  }

  private async handOver(): Promise<void> {
    const entries = this.own.drain();
    this.hasOwnState = false;
    try {
      await Promise.all(entries.map(({ key, value, ttlSeconds }) => this.shared.setIfAbsent(key, value, ttlSeconds)));
    } catch (error) {
      this.hasOwnState = true;
      await Promise.all(entries.map(({ key, value, ttlSeconds }) => this.own.set(key, value, ttlSeconds)));
      throw error;
    }
  }
}

/** State shared by all app processes: Redis when `REDIS_URL` is set, else this process's memory. Never rejects. */
export function getStore(): SharedStore {
  const { now } = processWide('store', () => {
    const place: { now: SharedStore } = { now: new LateStore(connectStore().then((store) => (place.now = store))) };
    return place;
  });
  return now;
}

async function connectStore(): Promise<SharedStore> {
  const redis = await getRedisConnection();
  return redis ? new ResilientStore(new RedisStore(redis), new MemoryStore()) : new MemoryStore();
}

/** A store whose connection is still being established: every call waits for it. */
class LateStore implements SharedStore {
  constructor(private readonly store: Promise<SharedStore>) {}

  async get(key: string): Promise<string | null> {
    return (await this.store).get(key);
  }
  async hasAny(keys: readonly string[]): Promise<boolean> {
    return (await this.store).hasAny(keys);
  }
  async set(key: string, value: string, ttlSeconds: number): Promise<void> {
    return (await this.store).set(key, value, ttlSeconds);
  }
  async setIfAbsent(key: string, value: string, ttlSeconds: number): Promise<boolean> {
    return (await this.store).setIfAbsent(key, value, ttlSeconds);
  }
  async increment(key: string, ttlSeconds: number): Promise<number> {
    return (await this.store).increment(key, ttlSeconds);
  }
  async delete(key: string): Promise<void> {
    return (await this.store).delete(key);
  }
}
