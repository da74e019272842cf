import type { Redis } from 'ioredis';
import type { SharedStore } from './types';

const PREFIX = 'learner-identity:';

// Atomic, so that a crash between the two commands cannot leave a count that never expires.
const INCREMENT = `local n = redis.call('INCR', KEYS[1])
if n == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return n`;

/** State of all processes. Every call rejects while Redis is down. */
export class RedisStore implements SharedStore {
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
