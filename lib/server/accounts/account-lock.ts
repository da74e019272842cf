import { setTimeout as sleep } from 'node:timers/promises';
import { providerUnavailable } from '../identity-provider/errors';
import { getStore } from '../store';

/** Longer than the calls to the identity provider within a change can take. */
const LOCK_SECONDS = 16;
const LOCK_RETRY_MS = 100;
const LOCK_TRIES = 50;

/**
 * Serializes the changes of an account whose conditions must still hold when they are made: two at a time could each leave the
 * sign-in method that the other one removes, or replace the password that the other one has just set.
 * @throws ApiProblem 503 while another change takes longer than 5 s, and what the work throws
 */
export async function withAccountLock<T>(uid: string, work: () => Promise<T>): Promise<T> {
  const key = `account-change:${uid}`;
  for (let tries = 1; !(await getStore().setIfAbsent(key, '1', LOCK_SECONDS)); tries += 1) {
    if (tries === LOCK_TRIES) throw providerUnavailable();
    await sleep(LOCK_RETRY_MS);
  }
  try {
    return await work();
  } finally {
    await getStore().delete(key);
  }
}
