import { ApiProblem } from '@/lib/shared/problem';
import { processWide } from '../process-wide';
import { getRecordsState } from '../records/state';
import { getRedisConnection } from '../store/redis-connection';

/** Time in which another process takes over, in seconds. */
const RETRY_AFTER_SECONDS = 5;

type ServiceState = 'not configured' | 'up' | 'down';

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
 * Whether requests should be routed here. An unreachable Redis or database is reported but does not fail readiness:
 * sign-in works without them.
 * @throws ApiProblem `shutting-down`
 */
export async function getReadiness(): Promise<{ status: 'ready'; redis: ServiceState; database: ServiceState }> {
  if (isShuttingDown().since) throw new ApiProblem('shutting-down', { retryAfter: RETRY_AFTER_SECONDS });
  const [redis, database] = await Promise.all([getRedisState(), getRecordsState()]);
  return { status: 'ready', redis, database };
}

async function getRedisState(): Promise<ServiceState> {
  const redis = await getRedisConnection();
  if (!redis) return 'not configured';
  return redis.status === 'ready' ? 'up' : 'down';
}
