import {
  RateLimiterMemory,
  RateLimiterRedis,
  type RateLimiterAbstract,
  type RateLimiterRes,
} from 'rate-limiter-flexible';
import { ApiProblem } from '@/lib/shared/problem';
import { countLimitHit, processWide } from '@/lib/server/runtime';
import { getRedisConnection } from '../store';
import { getProofAfter, LIMITS, WATCHES, type LimitName, type WatchName } from './table';

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
export function recordHit(limit: LimitName, key: string): Promise<number> {
  return consume(getLimiter(limit, LIMITS[limit].points), key);
}

/** The same for the soft limit below it (`proofAfter`). @returns seconds until nothing is asked for, 0 when nothing is */
export async function recordSoftHit(limit: LimitName, key: string): Promise<number> {
  const points = getProofAfter(limit);
  return points === undefined ? 0 : consume(getLimiter(limit, points, 'soft:'), key);
}

/** Takes a counted call back. */
export async function giveBackHit(limit: LimitName, key: string): Promise<void> {
  const limiter = await getLimiter(limit, LIMITS[limit].points);
  await limiter.reward(key);
}

async function consume(pendingLimiter: Promise<RateLimiterAbstract>, key: string): Promise<number> {
  const limiter = await pendingLimiter;
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

function getLimiter(limit: LimitName, points: number, kind = ''): Promise<RateLimiterAbstract> {
  return connectLimiter(kind + limit, points, LIMITS[limit].seconds);
}

/** Counts what is watched. */
export async function recordWatched(watch: WatchName, key: string): Promise<void> {
  await consume(getWatch(watch), key);
}

/** @returns how far a key has gone, and the seconds until that is over; it is not counted */
export async function readWatched(
  watch: WatchName,
  key: string,
): Promise<{ count: number; passed: 'none' | 'slow' | 'soft'; retryAfter: number }> {
  const found = await (await getWatch(watch)).get(key);
  const count = found?.consumedPoints ?? 0;
  const { slowAfter, proofAfter } = WATCHES[watch];
  const passed = count > proofAfter ? 'soft' : count > slowAfter ? 'slow' : 'none';
  return { count, passed, retryAfter: Math.ceil((found?.msBeforeNext ?? 0) / 1000) };
}

function getWatch(watch: WatchName): Promise<RateLimiterAbstract> {
  return connectLimiter(`watch:${watch}`, WATCHES[watch].proofAfter, WATCHES[watch].seconds);
}

function connectLimiter(name: string, points: number, duration: number): Promise<RateLimiterAbstract> {
  return processWide(`limit:${name}`, async () => {
    const options = { keyPrefix: PREFIX + name, points, duration };
    const inProcess = new RateLimiterMemory(options);
    const redis = await getRedisConnection();
    if (!redis) return inProcess;
    return new RateLimiterRedis({
      ...options,
      storeClient: redis,
      insuranceLimiter: inProcess,
      rejectIfRedisNotReady: true,
      // Beyond it nothing changes until it is over, and to refuse a flood must cost little.
      inMemoryBlockOnConsumed: points + 1,
    });
  });
}
