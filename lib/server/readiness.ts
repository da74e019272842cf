import { ApiProblem } from '@/lib/api/problem';
import { processWide } from './process-wide';
import { redisConnection } from './store/redis-connection';

/** By then another process has taken this one's place, in seconds. */
const RETRY_AFTER = 5;

const ending = () => processWide('ending', () => ({ since: null as Date | null }));

/** Notes that the process has been told to end: whoever balances the load is to send nothing more. */
export function beginEnding(): void {
  ending().since ??= new Date();
  // Next drains what is under way and then reports the signal; to a supervisor an end in good order is no failure.
  process.once('exit', () => {
    process.exitCode = 0;
  });
}

/**
 * Whether requests should come here. Redis out of reach is said but is no reason to stay away: sign-in goes on without.
 * @throws ApiProblem `shutting-down`
 */
export async function readiness(): Promise<{ status: 'ready'; redis: 'not configured' | 'up' | 'down' }> {
  if (ending().since) throw new ApiProblem('shutting-down', { retryAfter: RETRY_AFTER });
  const redis = await redisConnection();
  if (!redis) return { status: 'ready', redis: 'not configured' };
  return { status: 'ready', redis: redis.status === 'ready' ? 'up' : 'down' };
}
