import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { providerUnavailable } from '../identity-provider/errors';
import { processWide } from '../process-wide';
import { getStore } from '../store';

/** Longer than the calls to the identity provider within a change can take. */
const LOCK_SECONDS = 16;
const LOCK_RETRY_MS = 100;
const LOCK_TRIES = 50;

/** The locks of the present work: what it calls may ask for one of them again. */
const heldLocks = () => processWide('account-locks', () => new AsyncLocalStorage<ReadonlySet<string>>());

/**
 * Serializes the changes of an account whose conditions must still hold when they are made: two at a time could each leave the
 * sign-in method that the other one removes, replace the password that the other one has just set, or write claims without those of the
 * other one.
 * @throws ApiProblem 503 while another change takes longer than 5 s, and what the work throws
 */
export async function withAccountLock<T>(uid: string, work: () => Promise<T>): Promise<T> {
  const key = `account-change:${uid}`;
  const held = heldLocks().getStore() ?? new Set();
  if (held.has(uid)) return work();
  for (let tries = 1; !(await getStore().setIfAbsent(key, '1', LOCK_SECONDS)); tries += 1) {
    if (tries === LOCK_TRIES) throw providerUnavailable();
    await sleep(LOCK_RETRY_MS);
  }
  try {
    return await heldLocks().run(new Set([...held, uid]), work);
  } finally {
    await getStore().delete(key);
  }
}
