import {
  RateLimiterMemory,
  RateLimiterRedis,
  type RateLimiterAbstract,
  type RateLimiterRes,
} from 'rate-limiter-flexible';
import { ApiProblem } from '@/lib/shared/problem';
import { countLimitHit, processWide } from '@/lib/server/runtime';
import { getRedisConnection } from '../store/redis-connection';
import { LIMITS, type LimitName } from './table';

const REFUSAL_DETAIL = 'Too many calls of this kind: try again after the seconds in Retry-After';
const PREFIX = 'learner-identity:limit:';

/**
 * Counts one call against a limit of the table, and refuses calls beyond it.
 * @param key the subject to count: a client address, an account, an email recipient
 * @throws ApiProblem `too-many-requests` with `retryAfter` in seconds
 */
export async function consumeLimit(limit: LimitName, key: string): Promise<void> {
  const wait = await recordHit(limit, key);
  if (wait === 0) return;
  countLimitHit(limit);
  throw new ApiProblem('too-many-requests', { retryAfter: wait, detail: REFUSAL_DETAIL });
}

/**
 * Counts one call without refusing it; in Redis when configured, in this process otherwise and while Redis is down.
 * @returns seconds until the limit allows the next call, 0 when it allows this one
 */
export async function recordHit(limit: LimitName, key: string): Promise<number> {
  const limiter = await getLimiter(limit);
  try {
    await limiter.consume(key);
    return 0;
  } catch (refusal) {
    if (!isRefusal(refusal)) throw refusal;
    return Math.max(1, Math.ceil(refusal.msBeforeNext / 1000));
  }
}

/** Checks the shape, not the class: the limiter may come from another bundle than the caller. */
function isRefusal(thrown: unknown): thrown is RateLimiterRes {
  return typeof thrown === 'object' && thrown !== null && 'msBeforeNext' in thrown;
}

function getLimiter(limit: LimitName): Promise<RateLimiterAbstract> {
  return processWide(`limit:${limit}`, async () => {
    const { points, seconds } = LIMITS[limit];
    const options = { keyPrefix: PREFIX + limit, points, duration: seconds };
    const inProcess = new RateLimiterMemory(options);
    const redis = await getRedisConnection();
    if (!redis) return inProcess;
    return new RateLimiterRedis({
      ...options,
      storeClient: redis,
      insuranceLimiter: inProcess,
      rejectIfRedisNotReady: true,
    });
  });
}
