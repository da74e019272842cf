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
 * Counts a call against a limit of the table, and refuses calls beyond it.
 * @param key the subject to count: a client address, an account, an email recipient
 * @returns the call, whose count can be given back while it counts; later, that would allow an extra call
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
 * Counts a call without refusing it. It counts in Redis, or in this process if Redis is not configured or down.
 * @returns seconds until the limit allows the next call, 0 if it allows this call
 */
export async function recordHit(limit: LimitName, key: string): Promise<number> {
  return (await consume(await getLimiter(limit, LIMITS[limit].points), key)).wait;
}

/** Counts a call for the soft limit (`proofAfter`). @returns seconds until a call needs no proof, 0 if this call needs none */
export async function recordSoftHit(limit: LimitName, key: string): Promise<number> {
  const points = getLimit(limit).proofAfter;
  return points === undefined ? 0 : (await consume(await getLimiter(limit, points, 'soft:'), key)).wait;
}

/**
 * `wait`: seconds until the next call is allowed, 0 if this call is. `endsAt`: until when it counts, in milliseconds
 * since 1970.
 */
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

/** Checks the shape, not the class, because the limiter may come from another bundle than the caller. */
function isRefusal(thrown: unknown): thrown is RateLimiterRes {
  return typeof thrown === 'object' && thrown !== null && 'msBeforeNext' in thrown;
}

function getLimiter(limit: LimitName, points: number, kind = ''): Promise<RateLimiterAbstract> {
  return connectLimiter(kind + limit, points, LIMITS[limit].seconds);
}

/** Counts an event of a watch. @returns seconds until no proof is required, 0 if none is */
export async function recordWatched(watch: WatchName, key: string): Promise<number> {
  return (await consume(await getWatch(watch), key)).wait;
}

/** Reads a watch without counting. @returns the threshold that a key has passed, and seconds until its count ends */
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
      // Refuse calls beyond the limit without asking Redis. The result cannot change, and refusing a flood must be
      // cheap.
      inMemoryBlockOnConsumed: points + 1,
    });
  });
}
