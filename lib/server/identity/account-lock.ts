import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiProblem } from '@/lib/shared/problem';
import { FairSemaphore, processWide } from '@/lib/server/runtime';
import { providerUnavailable } from './errors';
import { getStore } from '@/lib/server/storage';

/** Longer than the calls to the identity provider within a change can take. */
const LOCK_SECONDS = 16;
const LOCK_RETRY_MS = 100;
const LOCK_WAIT_MS = 5_000;
/** Changes of one account that a process makes at a time: of one session (a double click), and of all. Proofs of the mailbox count as none. */
const [MAX_OF_SESSION, MAX_OF_SESSIONS] = [2, 8];
const MAX_WAITING = 100;

/** The locks of the present work: what it calls may ask for one of them again. */
const heldLocks = () => processWide('account-locks', () => new AsyncLocalStorage<ReadonlySet<string>>());

/** Those of one account in this process. */
type Changes = { turns: FairSemaphore; all: number; ofSessions: number };
const changesOfAccounts = () => processWide('account-turns', () => new Map<string, Changes>());

/**
 * Serializes the changes of an account whose conditions must still hold when they are made: two at a time could each leave the
 * sign-in method that the other one removes, replace the password that the other one has just set, or write claims without those of the
 * other one. Within a process they take turns, and few are of sessions: an intruder who has one must not keep the owner waiting.
 * @param session the one that makes the change: refused at once when it, or all of the account, make too many
 * @throws ApiProblem 503 while others take longer than 5 s, `too-many-requests`, and what the work throws
 */
export async function withAccountLock<T>(
  uid: string,
  work: () => Promise<T>,
  { session = null }: { session?: string | null } = {},
): Promise<T> {
  const held = heldLocks().getStore() ?? new Set();
  if (held.has(uid)) return work();
  const until = Date.now() + LOCK_WAIT_MS;
  return inTurn(uid, session, async () => {
    const key = `account-change:${uid}`;
    while (!(await getStore().setIfAbsent(key, '1', LOCK_SECONDS))) {
      if (Date.now() >= until) throw providerUnavailable();
      await sleep(LOCK_RETRY_MS);
    }
    try {
      return await heldLocks().run(new Set([...held, uid]), work);
    } finally {
      await getStore().delete(key);
    }
  });
}

async function inTurn<T>(uid: string, session: string | null, change: () => Promise<T>): Promise<T> {
  const limits = { maxRunning: 1, maxHeld: MAX_OF_SESSION, maxWaiting: MAX_WAITING };
  const changes = changesOfAccounts().get(uid) ?? { turns: new FairSemaphore(limits), all: 0, ofSessions: 0 };
  const ofSessions = session === null ? 0 : 1;
  if (ofSessions > 0 && changes.ofSessions >= MAX_OF_SESSIONS)
    throw new ApiProblem('too-many-requests', { retryAfter: 1 });
  changesOfAccounts().set(uid, changes);
  changes.all += 1;
  changes.ofSessions += ofSessions;
  try {
    return await changes.turns.run(session ?? randomUUID(), change);
  } finally {
    changes.all -= 1;
    changes.ofSessions -= ofSessions;
    if (changes.all === 0) changesOfAccounts().delete(uid);
  }
}
