import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { FairSemaphore, log, processWide } from '@/lib/server/runtime';
import { ApiProblem } from '@/lib/shared/problem';
import { timeLimit } from '@/lib/shared/time-limit';
import { getStore } from './store';

/** A lock is renewed while its change runs. It outlasts the change only if the process dies. */
const LOCK_SECONDS = 16;
const LOCK_RENEWAL_MS = 5_000;
const LOCK_RETRY_MS = 100;
const LOCK_WAIT_MS = 5_000;
/** Concurrent changes of an account in a process: by one session, as after a double click, and by all sessions. */
const [MAX_OF_SESSION, MAX_OF_SESSIONS] = [2, 8];
const MAX_WAITING = 100;
const RETRY_AFTER_SECONDS = 5;

/**
 * An account whose lock the caller holds. Only `withAccountLock` creates it, so a function that takes it cannot be called
 * without the lock.
 */
class LockedAccount {
  #isReleased = false;

  constructor(
    readonly uid: string,
    /** False: another holder has the lock. Null: Redis did not answer. */
    readonly renew: () => Promise<boolean | null>,
  ) {}

  get isReleased(): boolean {
    return this.#isReleased;
  }

  release(): void {
    this.#isReleased = true;
  }

  /**
   * Asserts that no other process has taken the lock. That can happen while this process is frozen for longer than its
   * lock lasts, or after Redis has lost the lock. Call it before a step that must not follow another change, and within
   * `writeAboutAccount` or `writeAboutKnownAccount` before you grant or schedule something. Writes that only record, end
   * or remove do not need it, because the identity provider has already made that change. If Redis does not answer, the
   * work continues.
   * @throws ApiProblem 503 if the lock was lost
   */
  async assertHeld(): Promise<void> {
    if (!this.#isReleased && (await this.renew()) !== false) return;
    log().warn('the lock of a change of an account was lost: the change goes no further');
    throw lockUnavailable();
  }
}

export type { LockedAccount };

/** The locks of the present work. A function that it calls may ask for one of them again. */
const heldLocks = () => processWide('account-locks', () => new AsyncLocalStorage<ReadonlyMap<string, LockedAccount>>());

/** The changes of an account in this process. */
type Changes = { turns: FairSemaphore; all: number; ofSessions: number };
const changesOfAccounts = () => processWide('account-turns', () => new Map<string, Changes>());

const lockUnavailable = () => new ApiProblem('provider-unavailable', { retryAfter: RETRY_AFTER_SECONDS });

/**
 * Serializes the changes of an account whose conditions must still hold when they are made. Two concurrent changes could
 * each keep the sign-in method that the other removes, replace a password that was just set, or lose claims. Within a
 * process, changes take turns. The number of changes by sessions is bounded, so that an intruder with a session cannot
 * keep the owner waiting.
 * @param account its id, or the account that the caller has locked, which stays locked
 * @param session the session that makes the change. It is refused immediately if this session, or all sessions of the
 *   account, make too many changes
 * @throws ApiProblem 503 if other changes take longer than 5 s, `too-many-requests`; any error of the work
 */
export async function withAccountLock<T>(
  account: string | LockedAccount,
  work: (locked: LockedAccount) => Promise<T>,
  { session = null }: { session?: string | null } = {},
): Promise<T> {
  if (typeof account !== 'string') return work(account);
  const uid = account;
  const held = heldLocks().getStore();
  const own = held?.get(uid);
  // Work that was started and not awaited keeps this context after the release. It must wait for its turn.
  if (own && !own.isReleased) return work(own);
  const until = Date.now() + timeLimit(LOCK_WAIT_MS);
  return inTurn(uid, session, async () => {
    const key = `account-change:${uid}`;
    const holder = randomUUID();
    while (!(await getStore().setIfAbsent(key, holder, LOCK_SECONDS))) {
      if (Date.now() >= until) throw lockUnavailable();
      await sleep(LOCK_RETRY_MS);
    }
    const locked = new LockedAccount(uid, () => getStore().expireIf(key, holder, LOCK_SECONDS));
    const renewal = setInterval(() => void locked.renew(), LOCK_RENEWAL_MS);
    try {
      return await heldLocks().run(new Map([...(held ?? []), [uid, locked]]), () => work(locked));
    } finally {
      locked.release();
      clearInterval(renewal);
      await getStore().expireIf(key, holder, 0);
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
