import { LRUCache } from 'lru-cache';
import { processWide } from '@/lib/server/runtime';

/** Longer than any read of an account takes, in milliseconds. */
const KEPT_MS = 20_000;
const MAX_ACCOUNTS = 10_000;

const state = () =>
  processWide('account-changes', () => ({
    /** When this process last changed an account, in milliseconds of `performance.now()`. */
    times: new LRUCache<string, number>({ max: MAX_ACCOUNTS, ttl: KEPT_MS }),
    caches: [] as ((uid: string) => void)[],
  }));

/** Registers a cache of what was read of accounts. @param evict removes what is cached of one */
export function evictOnAccountChange(evict: (uid: string) => void): void {
  state().caches.push(evict);
}

/** Evicts an account from this process's caches, so that a change here takes effect immediately. */
export function evictAccount(uid: string): void {
  state().times.set(uid, performance.now());
  for (const evict of state().caches) evict(uid);
}

/** Whether this process has changed an account since: what was read before is not trusted. @param since of `performance.now()` */
export function hasAccountChangedSince(uid: string, since: number): boolean {
  return (state().times.get(uid) ?? 0) >= since;
}
