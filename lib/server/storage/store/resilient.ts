import { recordDependency } from '@/lib/server/runtime';
import type { Entry, MemoryStore } from './memory';
import type { SharedStore } from './types';

/**
 * Shared state that survives an outage of the shared store: while it is down, this process keeps its own state; when it
 * is back, the entries written during the outage are handed over (docs/adr/0004).
 */
export class ResilientStore implements SharedStore {
  private hasOwnState = false;
  private handover: Promise<void> | null = null;

  constructor(
    private readonly shared: SharedStore,
    private readonly own: MemoryStore,
  ) {}

  get(key: string): Promise<string | null> {
    return this.attempt((store) => store.get(key));
  }

  hasAny(keys: readonly string[]): Promise<boolean | null> {
    return this.attempt(async (store) => (await store.hasAny(keys)) || (store === this.own ? null : false));
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
    // Of a cluster, a part may be down: what it cannot take stays, and the rest is used.
    if (this.hasOwnState) await this.handOver();
    try {
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

  /** One at a time; entries stay readable until the shared store has them. */
  private handOver(): Promise<void> {
    this.handover ??= this.handOverAll().finally(() => (this.handover = null));
    return this.handover;
  }

  private async handOverAll(): Promise<void> {
    this.hasOwnState = false;
    await Promise.all(this.own.list().map((entry) => this.handOverOne(entry)));
  }

  private async handOverOne({ key, value, ttlSeconds }: Entry): Promise<void> {
    try {
      await this.shared.setIfAbsent(key, value, ttlSeconds);
      await this.own.delete(key);
    } catch {
      this.hasOwnState = true;
    }
  }
}
