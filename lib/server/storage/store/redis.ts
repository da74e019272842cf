import type { RedisClient } from './redis-connection';
import type { SharedStore } from './types';

const PREFIX = 'learner-identity:';

// Atomic, so that a crash between the two commands cannot leave a count that never expires.
const INCREMENT = `local n = redis.call('INCR', KEYS[1])
if n == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return n`;

/** State of all processes. Every call rejects while Redis is down. */
export class RedisStore implements SharedStore {
  constructor(private readonly redis: RedisClient) {}

  get(key: string): Promise<string | null> {
    return this.redis.get(PREFIX + key);
  }

  async hasAny(keys: readonly string[]): Promise<boolean> {
    if (keys.length === 0) return false;
    if (!this.redis.isCluster) return (await this.redis.exists(...keys.map((key) => PREFIX + key))) > 0;
    // Each key has a node of its own. One that answers decides alone, if it has the key.
    const counts = await Promise.allSettled(keys.map((key) => this.redis.exists(PREFIX + key)));
    if (counts.some((count) => count.status === 'fulfilled' && count.value > 0)) return true;
    for (const count of counts) if (count.status === 'rejected') throw count.reason;
    return false;
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
