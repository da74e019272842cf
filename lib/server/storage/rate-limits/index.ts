import {
  RateLimiterMemory,
  RateLimiterRedis,
  type RateLimiterAbstract,
  type RateLimiterRes,
} from 'rate-limiter-flexible';
import { ApiProblem } from '@/lib/shared/problem';
import { countLimitHit, processWide } from '@/lib/server/runtime';
import { getRedisConnection } from '../store';
import { getLimit, LIMITS, WATCHES, type LimitName, type WatchName } from './table';

const REFUSAL_DETAIL = 'Too many calls of this kind: try again after the seconds in Retry-After';
const PREFIX = 'learner-identity:limit:';

/** A call that was counted. */
export type Hit = { giveBack: () => Promise<void> };

/**
 * Counts one call against a limit of the table, and refuses calls beyond it.
 * @param key the subject to count: a client address, an account, an email recipient
 * @returns the call, which can be taken back as long as it counts: later, it would be one more than the limit allows
 * @throws ApiProblem `too-many-requests` with `retryAfter` in seconds
 */
export async function consumeLimit(limit: LimitName, key: string): Promise<Hit> {
  const limiter = await getLimiter(limit, LIMITS[limit].points);
  const { wait, endsAt } = await consume(limiter, key);
  if (wait > 0) {
    countLimitHit(limit);
    throw new ApiProblem('too-many-requests', { retryAfter: wait, detail: REFUSAL_DETAIL });
  }
  const giveBack = async () => {
    if (Date.now() < endsAt) await limiter.reward(key);
  };
  return { giveBack };
}

/**
 * Counts one call without refusing it; in Redis when configured, in this process otherwise and while Redis is down.
 * @returns seconds until the limit allows the next call, 0 when it allows this one
 */
export async function recordHit(limit: LimitName, key: string): Promise<number> {
  return (await consume(await getLimiter(limit, LIMITS[limit].points), key)).wait;
}

/** The same for the soft limit below it (`proofAfter`). @returns seconds until nothing is asked for, 0 when nothing is */
export async function recordSoftHit(limit: LimitName, key: string): Promise<number> {
  const points = getLimit(limit).proofAfter;
  return points === undefined ? 0 : (await consume(await getLimiter(limit, points, 'soft:'), key)).wait;
}

/** `wait`: seconds until the next call is allowed, 0 when this one is; `endsAt`: until when it counts, milliseconds since 1970. */
type Consumed = { wait: number; endsAt: number };

async function consume(limiter: RateLimiterAbstract, key: string): Promise<Consumed> {
  try {
    const { msBeforeNext } = await limiter.consume(key);
    return { wait: 0, endsAt: Date.now() + msBeforeNext };
  } catch (refusal) {
    if (!isRefusal(refusal)) throw refusal;
    const { msBeforeNext } = refusal;
    return { wait: Math.max(1, Math.ceil(msBeforeNext / 1000)), endsAt: Date.now() + msBeforeNext };
  }
}

/** Checks the shape, not the class: the limiter may come from another bundle than the caller. */
function isRefusal(thrown: unknown): thrown is RateLimiterRes {
  return typeof thrown === 'object' && thrown !== null && 'msBeforeNext' in thrown;
}

function getLimiter(limit: LimitName, points: number, kind = ''): Promise<RateLimiterAbstract> {
  return connectLimiter(kind + limit, points, LIMITS[limit].seconds);
}

/** @returns seconds until nothing is asked for, 0 when nothing is */
export async function recordWatched(watch: WatchName, key: string): Promise<number> {
  return (await consume(await getWatch(watch), key)).wait;
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
