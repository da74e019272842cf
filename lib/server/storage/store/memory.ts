import { LRUCache } from 'lru-cache';
import type { SharedStore } from './types';

/** Beyond this the oldest entries are evicted, so that a flood of requests uses bounded memory. */
const MAX_ENTRIES = 100_000;

export type Entry = { key: string; value: string; ttlSeconds: number };

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

  /** @returns the entries that have not expired */
  list(): Entry[] {
    const alive = [...this.entries.entries()].map(([key, value]) => {
      return { key, value, ttlSeconds: Math.ceil(this.entries.getRemainingTTL(key) / 1000) };
    });
    return alive.filter(({ ttlSeconds }) => ttlSeconds > 0);
  }
}
