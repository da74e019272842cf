import { ApiProblem } from '@/lib/shared/problem';
import { getRecordsState, getRedisConnection } from '@/lib/server/storage';
import { isShuttingDown } from '@/lib/server/runtime';

/** Time in which another process takes over, in seconds. */
const RETRY_AFTER_SECONDS = 5;

type ServiceState = 'not configured' | 'up' | 'down';

/**
 * Whether requests should be routed here. An unreachable Redis or database is reported but does not fail readiness:
 * sign-in works without them.
 * @throws ApiProblem `shutting-down`
 */
export async function getReadiness(): Promise<{ status: 'ready'; redis: ServiceState; database: ServiceState }> {
  if (isShuttingDown()) throw new ApiProblem('shutting-down', { retryAfter: RETRY_AFTER_SECONDS });
  const [redis, database] = await Promise.all([getRedisState(), getRecordsState()]);
  return { status: 'ready', redis, database };
}

async function getRedisState(): Promise<ServiceState> {
  const redis = await getRedisConnection();
  if (!redis) return 'not configured';
  return redis.status === 'ready' ? 'up' : 'down';
}
