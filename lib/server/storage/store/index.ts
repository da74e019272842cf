import { processWide } from '@/lib/server/runtime';
import { MemoryStore } from './memory';
import { getRedisConnection } from './redis-connection';
import { RedisStore } from './redis';
import { ResilientStore } from './resilient';
import type { SharedStore } from './types';

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
  async hasAny(keys: readonly string[]): Promise<boolean | null> {
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
