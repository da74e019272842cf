import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';
import { ApiProblem } from '@/lib/api/problem';
import { countLimitHit } from '../counters';
import { processWide } from '../process-wide';
import { redisConnection } from '../store/redis-connection';
import { LIMITS, type LimitName } from './table';

const PREFIX = 'learner-identity:limit:';

/**
 * Counts one call against a limit of the table; in Redis when configured, in this process otherwise and while Redis is down.
 * @param key whom to count for: a client address, an account, an address that mail goes to
 * @throws ApiProblem `too-many-requests` with `retryAfter` in seconds
 */
export async function consume(limit: LimitName, key: string): Promise<void> {
  const limiter = await limiterOf(limit);
  try {
    await limiter.consume(key);
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    countLimitHit(limit);
    throw new ApiProblem('too-many-requests', { retryAfter: Math.ceil(refusal.msBeforeNext / 1000) });
  }
}

function limiterOf(limit: LimitName): Promise<RateLimiterAbstract> {
  return processWide(`limit:${limit}`, async () => {
    const { points, seconds } = LIMITS[limit];
    const options = { keyPrefix: PREFIX + limit, points, duration: seconds };
    const inProcess = new RateLimiterMemory(options);
    const redis = await redisConnection();
    if (!redis) return inProcess;
    return new RateLimiterRedis({
      ...options,
      storeClient: redis,
      insuranceLimiter: inProcess,
      rejectIfRedisNotReady: true,
    });
  });
}
