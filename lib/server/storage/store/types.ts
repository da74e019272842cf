/**
 * State that app processes share: tries, one-time use, ended sessions (docs/product.md#running).
 * In memory by default, Redis when `REDIS_URL` is set. Values are short strings, lifetimes are seconds.
 */
export interface SharedStore {
  get(key: string): Promise<string | null>;
  /** Whether any of the keys is set, with one command; null when only this process's own entries could be read, and have none. */
  hasAny(keys: readonly string[]): Promise<boolean | null>;
  set(key: string, value: string, ttlSeconds: number): Promise<void>;
  /** Sets the key unless it exists. @returns whether this call set it */
  setIfAbsent(key: string, value: string, ttlSeconds: number): Promise<boolean>;
  /** Adds one; the lifetime counts from the first call. @returns the new count */
  increment(key: string, ttlSeconds: number): Promise<number>;
  delete(key: string): Promise<void>;
}
