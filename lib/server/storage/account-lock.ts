import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { and, eq, lt, sql } from 'drizzle-orm';
import { env, FairSemaphore, log, processWide, runOutsideOfRequest } from '@/lib/server/runtime';
import { ApiProblem, isApiProblem } from '@/lib/shared/problem';
import { timeLimit } from '@/lib/shared/time-limit';
import { queryInTime } from './records';
import { chooseRecords, type Records, type Tx } from './records/engines';
import { tryLater } from './records/events';
import { accountLocks } from './records/schema';

/** A lock is renewed while its change runs. It outlasts the change only if the process dies, or the database is away. */
const LOCK_SECONDS = 16;
const afterLock = sql`clock_timestamp() + make_interval(secs => ${LOCK_SECONDS})`;
const LOCK_RENEWAL_MS = 5_000;
/** Delays in seconds before the end of a lock is written again. */
const LATE_UNLOCKS = [1, 3, 5];
const LOCK_RETRY_MS = 100;
const LOCK_WAIT_MS = 5_000;
/** Pause before the next change in a process, in which other processes get the lock. They ask every `LOCK_RETRY_MS`. */
const PASS_ON_MS = 2 * LOCK_RETRY_MS;
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
    private readonly holder: string,
  ) {}

  release(): void {
    this.#isReleased = true;
  }

  /** The row of this holder. It is gone once another holder has taken the lock. */
  get #row() {
    return and(eq(accountLocks.subject, this.uid), eq(accountLocks.holder, this.holder));
  }

  /**
   * Extends the lock, also after it has expired, unless another holder has taken it.
   * @returns whether this holder has the lock
   */
  async renew(tx: Tx): Promise<boolean> {
    const renewed = await tx.update(accountLocks).set({ expiresAt: afterLock }).where(this.#row).returning();
    return renewed.length > 0;
  }

  /** Ends the lock, unless another holder has taken it. @returns whether it did */
  async end(tx: Tx): Promise<boolean> {
    return (await tx.delete(accountLocks).where(this.#row).returning()).length > 0;
  }

  /**
   * Asserts that no other process has taken the lock. That can happen while this process is frozen for longer than its
   * lock lasts. Call it before a step that must not follow another change, and within `writeAboutAccount` or
   * `writeAboutKnownAccount` before you grant or schedule something. Writes that only record, end or remove do not need
   * it, because the identity provider has already made that change.
   * @param tx the transaction of the step, if it has one. No other process gets the lock before it ends
   * @throws ApiProblem 503 if the lock was lost, or the database is away
   */
  async assertHeld(tx?: Tx): Promise<void> {
    if (!this.#isReleased && (await (tx ? this.renew(tx) : this.#renewInTime()))) return;
    log().warn('the lock of a change of an account was lost: the change goes no further');
    throw lockUnavailable();
  }

  /**
   * Asserts that no other process is known to have taken the lock. Call it before a repair, which also has to work while
   * the database is away.
   * @throws ApiProblem 503 if the lock was lost
   */
  async assertNotTaken(): Promise<void> {
    await this.assertHeld().catch(ignoreOutage);
  }

  /** A process that was frozen reads the answer late. By then, the lock may have expired, and another process has it. */
  async #renewInTime(): Promise<boolean> {
    const askedAt = performance.now();
    return (await query((tx) => this.renew(tx))) && performance.now() - askedAt < LOCK_SECONDS * 1000;
  }
}

export type { LockedAccount };

/** The changes of an account in this process. `nextAt`: when the next may begin, by `performance.now()`. */
type Changes = { turns: FairSemaphore; all: number; ofSessions: number; nextAt: number };
const changesOfAccounts = () => processWide('account-turns', () => new Map<string, Changes>());

const lockUnavailable = () => new ApiProblem('provider-unavailable', { retryAfter: RETRY_AFTER_SECONDS });

/**
 * Serializes the changes of an account whose conditions must still hold when they are made. Two concurrent changes could
 * each keep the sign-in method that the other removes, replace a password that was just set, or lose claims. Within a
 * process, changes take turns, with a pause for other processes. The number of changes by sessions is bounded. So an
 * intruder with a session cannot keep the owner waiting.
 * @param account its id, or the account that the caller has locked, which stays locked. A caller that has the lock and
 *   gives the id waits for itself
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
  const until = Date.now() + timeLimit(LOCK_WAIT_MS);
  return inTurn(uid, session, async () => {
    const holder = randomUUID();
    let hasRow = true;
    const goOnWithout = (error: unknown) => {
      hasRow = false;
      return ignoreOutage(error);
    };
    while (!(await query((tx) => takeLock(tx, uid, holder)).catch(goOnWithout))) {
      if (Date.now() >= until) throw lockUnavailable();
      await sleep(LOCK_RETRY_MS);
    }
    const locked = new LockedAccount(uid, holder);
    const renewal = setInterval(() => void query((tx) => locked.renew(tx)).catch(() => undefined), LOCK_RENEWAL_MS);
    try {
      return await work(locked);
    } finally {
      locked.release();
      clearInterval(renewal);
      // The late writes of a process are few, and sign-outs need them. So a change that got no row writes none.
      await query((tx) => locked.end(tx)).catch(() => hasRow && endLater(locked));
    }
  });
}

/**
 * Without a database (`SESSION_BACKEND=upstream`), changes take turns in this process only. Sessions, passkeys and second
 * factors are at the other deployment then.
 */
function query(work: (tx: Tx) => Promise<boolean>): Promise<boolean> {
  return chooseRecords(env()) === null ? Promise.resolve(true) : queryInTime(work);
}

/** Otherwise, the next change would wait until the lock expires. */
function endLater(locked: LockedAccount): void {
  const end = (records: Records) => records.query((tx) => locked.end(tx));
  void runOutsideOfRequest(() => tryLater(`unlock ${locked.uid}`, LATE_UNLOCKS, end));
}

/**
 * While the database is away, changes take turns in this process only, so that sign-outs and revocations take effect. A
 * step that grants something fails then (`assertHeld`).
 */
function ignoreOutage(error: unknown): true {
  if (isApiProblem(error) && error.code === 'records-unavailable') return true;
  throw error;
}

/** Takes a lock that is free or has expired. @returns whether it was taken */
async function takeLock(tx: Tx, subject: string, holder: string): Promise<boolean> {
  const taken = await tx
    .insert(accountLocks)
    .values({ subject, holder, expiresAt: afterLock })
    .onConflictDoUpdate({
      target: accountLocks.subject,
      set: { holder, expiresAt: afterLock },
      setWhere: lt(accountLocks.expiresAt, sql`clock_timestamp()`),
    })
    .returning();
  return taken.length > 0;
}

async function inTurn<T>(uid: string, session: string | null, change: () => Promise<T>): Promise<T> {
  const limits = { maxRunning: 1, maxHeld: MAX_OF_SESSION, maxWaiting: MAX_WAITING };
  const changes = changesOfAccounts().get(uid) ?? {
    turns: new FairSemaphore(limits),
    all: 0,
    ofSessions: 0,
    nextAt: 0,
  };
  const ofSessions = session === null ? 0 : 1;
  if (ofSessions > 0 && changes.ofSessions >= MAX_OF_SESSIONS)
    throw new ApiProblem('too-many-requests', { retryAfter: 1 });
  changesOfAccounts().set(uid, changes);
  changes.all += 1;
  changes.ofSessions += ofSessions;
  try {
    return await changes.turns.run(session ?? randomUUID(), async () => {
      // The wall clock may be set back.
      const pause = changes.nextAt - performance.now();
      if (pause > 0) await sleep(pause);
      try {
        return await change();
      } finally {
        changes.nextAt = performance.now() + PASS_ON_MS;
      }
    });
  } finally {
    changes.all -= 1;
    changes.ofSessions -= ofSessions;
    if (changes.all === 0) changesOfAccounts().delete(uid);
  }
}
