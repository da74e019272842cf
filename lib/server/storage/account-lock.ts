import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { FairSemaphore, log, processWide } from '@/lib/server/runtime';
import { ApiProblem } from '@/lib/shared/problem';
import { timeLimit } from '@/lib/shared/time-limit';
import { getStore } from './store';

/** A lock is renewed for as long as its change takes, and outlasts it only in a process that has died. */
const LOCK_SECONDS = 16;
const LOCK_RENEWAL_MS = 5_000;
const LOCK_RETRY_MS = 100;
const LOCK_WAIT_MS = 5_000;
/** Changes of one account that a process makes at a time: of one session (a double click), and of all. Proofs of the mailbox count as none. */
const [MAX_OF_SESSION, MAX_OF_SESSIONS] = [2, 8];
const MAX_WAITING = 100;
const RETRY_AFTER_SECONDS = 5;

/**
 * An account whose lock the caller holds. Only `withAccountLock` makes it, so a function that takes it cannot be called without the lock.
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
   * Before a step that must not follow the change of another process. That change can have begun while this process was frozen for longer
   * than its lock lasts, or after Redis had lost the lock. Call it also within `writeAboutAccount` or `writeAboutKnownAccount`, before you
   * grant or schedule something. Writes that only record, end or remove do not need it, because the identity provider has already made
   * that change. A Redis that only does not answer is no reason to stop.
   * @throws ApiProblem 503 when the lock was lost
   */
  async assertHeld(): Promise<void> {
    if (!this.#isReleased && (await this.renew()) !== false) return;
    log().warn('the lock of a change of an account was lost: the change goes no further');
    throw lockUnavailable();
  }
}

export type { LockedAccount };

/** What the present work calls may ask for one of its locks again. */
const heldLocks = () => processWide('account-locks', () => new AsyncLocalStorage<ReadonlyMap<string, LockedAccount>>());

/** Those of one account in this process. */
type Changes = { turns: FairSemaphore; all: number; ofSessions: number };
const changesOfAccounts = () => processWide('account-turns', () => new Map<string, Changes>());

const lockUnavailable = () => new ApiProblem('provider-unavailable', { retryAfter: RETRY_AFTER_SECONDS });

/**
 * Serializes the changes of an account whose conditions must still hold when they are made: two at a time could each leave the
 * sign-in method that the other one removes, replace the password that the other one has just set, or write claims without those of the
 * other one. Within a process they take turns, and few are of sessions: an intruder who has one must not keep the owner waiting.
 * @param account its id; or the account that the caller has locked, which stays locked
 * @param session the one that makes the change: refused at once when it, or all of the account, make too many
 * @throws ApiProblem 503 while others take longer than 5 s, `too-many-requests`, and what the work throws
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
  // The context outlasts the lock in what the work has started and not awaited: that waits for its turn.
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
