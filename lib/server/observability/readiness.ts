import { ApiProblem } from '@/lib/shared/problem';
import { processWide } from '../process-wide';
import { getRedisConnection } from '../store/redis-connection';

/** Time in which another process takes over, in seconds. */
const RETRY_AFTER_SECONDS = 5;

const isShuttingDown = () => processWide('ending', () => ({ since: null as Date | null }));

/** Marks the process as shutting down: load balancers must send no more requests. */
export function beginShutdown(): void {
  isShuttingDown().since ??= new Date();
  // Next drains open requests and then exits with the signal; a supervisor must not see a graceful shutdown as a
  // failure.
  process.once('exit', () => {
    process.exitCode = 0;
  });
}

/**
 * Whether requests should be routed here. An unreachable Redis is reported but does not fail readiness: sign-in works
 * without it.
 * @throws ApiProblem `shutting-down`
 */
export async function getReadiness(): Promise<{ status: 'ready'; redis: 'not configured' | 'up' | 'down' }> {
  if (isShuttingDown().since) throw new ApiProblem('shutting-down', { retryAfter: RETRY_AFTER_SECONDS });
  const redis = await getRedisConnection();
  if (!redis) return { status: 'ready', redis: 'not configured' };
  return { status: 'ready', redis: redis.status === 'ready' ? 'up' : 'down' };
}
