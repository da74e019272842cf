import {
  RateLimiterMemory,
  RateLimiterRedis,
  type RateLimiterAbstract,
  type RateLimiterRes,
} from 'rate-limiter-flexible';
import { ApiProblem } from '@/lib/api/problem';
import { countLimitHit } from '../counters';
import { processWide } from '../process-wide';
import { redisConnection } from '../store/redis-connection';
import { LIMITS, type LimitName } from './table';

const WAIT = 'Too many calls of this kind: try again after the seconds in Retry-After';
const PREFIX = 'learner-identity:limit:';

/**
 * Counts one call against a limit of the table, and refuses those beyond it.
 * @param key whom to count for: a client address, an account, an address that mail goes to
 * @throws ApiProblem `too-many-requests` with `retryAfter` in seconds
 */
export async function consume(limit: LimitName, key: string): Promise<void> {
  const wait = await note(limit, key);
  if (wait === 0) return;
  countLimitHit(limit);
  throw new ApiProblem('too-many-requests', { retryAfter: wait, detail: WAIT });
}

/**
 * Counts one call without refusing it; in Redis when configured, in this process otherwise and while Redis is down.
 * @returns seconds until the limit lets the next one pass, 0 when it lets this one
 */
export async function note(limit: LimitName, key: string): Promise<number> {
  const limiter = await limiterOf(limit);
  try {
    await limiter.consume(key);
    return 0;
  } catch (refusal) {
    if (!isRefusal(refusal)) throw refusal;
    return Math.max(1, Math.ceil(refusal.msBeforeNext / 1000));
  }
}

/** By what it says, as the limiter may come from another bundle than the caller. */
function isRefusal(thrown: unknown): thrown is RateLimiterRes {
  return typeof thrown === 'object' && thrown !== null && 'msBeforeNext' in thrown;
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
