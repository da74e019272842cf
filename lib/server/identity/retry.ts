import { setTimeout as sleep } from 'node:timers/promises';
import { ApiProblem } from '@/lib/shared/problem';

/** Delays before each retry, in milliseconds. */
const RETRY_DELAYS_MS = [100, 300, 900];

/**
 * Runs an idempotent operation, up to four times while the identity provider is unavailable.
 * @throws any error of the work, 503 of the last try
 */
export async function retryWhileUnavailable<T>(work: () => Promise<T>): Promise<T> {
  for (const delay of RETRY_DELAYS_MS) {
    try {
      return await work();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      await sleep(delay);
    }
  }
  return work();
}

export function isUnavailable(error: unknown): boolean {
  return error instanceof ApiProblem && error.code === 'provider-unavailable';
}
