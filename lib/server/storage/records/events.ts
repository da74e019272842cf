import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import dayjs from 'dayjs';
import { and, desc, eq, gt, notInArray, sql } from 'drizzle-orm';
import { countLostEvent, FairSemaphore, log, processWide, type ClientDescription } from '@/lib/server/runtime';
import type { Activity, EventKind } from '@/lib/shared/account/activity';
import { reportError } from '@/lib/shared/error-reporting/report';
import { ApiProblem, isApiProblem } from '@/lib/shared/problem';
import { getRecords, hasRecords, withRecords } from '.';
import { getStore } from '../store';
import { addWebhookEvent, announceDeletedSessions, UPDATES, WEBHOOK_KINDS } from './announcements';
import { deleteProvedEmail } from './proved-emails';
import { accounts, events, notices } from './schema';
import type { Records, Tx } from './engines';

/** Far more than an account's rate limits allow in one network while the database answers. */
const MAX_WAITING = 100;

type Queue = { turns: FairSemaphore; users: number };
const queues = () => processWide('account-writes', () => new Map<string, Queue>());

/**
 * Runs the writes of one account one at a time, in order. They would only wait for each other in the database, each with
 * a connection that writes of other accounts need.
 * @throws ApiProblem `too-many-requests` when too many wait
 */
export async function queueWrite<T>(uid: string, write: () => Promise<T>): Promise<T> {
  const all = queues();
  const limits = { maxRunning: 1, maxHeld: Infinity, maxWaiting: MAX_WAITING };
  const queue = all.get(uid) ?? { turns: new FairSemaphore(limits), users: 0 };
  all.set(uid, queue);
  queue.users += 1;
  try {
    return await queue.turns.run(uid, write);
  } finally {
    queue.users -= 1;
    if (queue.users === 0) all.delete(uid);
  }
}

/** Events are kept, and shown, for this long. */
const RETENTION_MONTHS = 13;
const PAGE_SIZE = 20;

/**
 * Kinds of which an account has at most one within this time, in milliseconds: concurrent requests, or a form and the
 * sign-in after it, can each report the same one.
 */
const ONCE_WITHIN_MS: Partial<Record<EventKind, number>> = { registered: Infinity, 'email-restored': 60_000 };

/** The sign-in methods of an account, as read at the identity provider. */
type MethodsRead = {
  methods: readonly string[];
  /** Just before the request for them. */
  requestedAt: Date;
};

export type NewEvent = {
  uid: string;
  kind: EventKind;
  at: Date;
  client?: ClientDescription;
  method?: string;
  /** The browser in which a method was first seen, in `devices`. */
  addedIn?: string | null;
  /** All sign-in methods of the account: a difference to those read before is an event of its own. */
  read?: MethodsRead;
};

/** `at`: when the sign-in methods had been read. */
type SeenMethods = { uid: string; at: Date; read: MethodsRead; addedIn?: string | null };

/** `at`: when our server had removed `method`; `read`: the methods before; `client`: who requested it. */
type RemovedMethod = SeenMethods & { method: string; client: ClientDescription };

type Account = {
  methods: string[] | null;
  methodsAt: Date | null;
  secondFactorSince: Date | null;
  disabledToldAt: Date | null;
};

/** Start of the retention period: older events are not shown, and deleted (retention.ts). */
export function getRetentionStart(now: Date): Date {
  return dayjs(now).subtract(RETENTION_MONTHS, 'month').toDate();
}

/** @throws RecordsError; ApiProblem `too-many-requests` and `user-deleted`, as all writes of this module */
export async function insertEvent(records: Records, { read, ...event }: NewEvent): Promise<void> {
  // A browser can still have the cookie of an account that was deleted: no records of it may come back.
  if (event.kind === 'signed-out')
    return void (await writeAboutKnownAccount(records, event.uid, (tx) => addEvent(tx, event)));
  await writeAboutAccount(records, event, async (tx, account) => {
    await addEvent(tx, event);
    if (read) await updateMethods(tx, account, { uid: event.uid, at: event.at, read });
  });
}

/**
 * Records which sign-in methods an account has, and an event for each that was connected or disconnected since they were
 * last read. The identity provider lets a browser change them without our server.
 */
export function insertMethods(records: Records, seen: SeenMethods): Promise<void> {
  return writeAboutAccount(records, seen, async (tx, account) => {
    await updateMethods(tx, account, seen);
  });
}

/** Records that our server removed a sign-in method, once. Methods read before the removal no longer count. */
export function insertRemovedMethod(records: Records, { method, client, ...seen }: RemovedMethod): Promise<void> {
  const { uid, at, read } = seen;
  return writeAboutAccount(records, seen, async (tx, account) => {
    const known = await updateMethods(tx, account, { uid, read, at: read.requestedAt });
    if (known.includes(method)) await addEvent(tx, { uid, at, client, kind: 'method-disconnected', method });
    await storeMethods(tx, { uid, at, methods: known.filter((id) => id !== method) });
  });
}

export function hasAccountRecords(records: Records, uid: string): Promise<boolean> {
  return records.query(async (tx) => {
    const found = await tx.select({ uid: accounts.uid }).from(accounts).where(eq(accounts.uid, uid));
    return found.length > 0;
  });
}

const getDeletedKey = (uid: string) => `deleted-account:${uid}`;
/** Longer than a request takes that has read the account before, and what it tries again afterwards. */
const DELETED_SECONDS = 120;

/**
 * Deletes the row of an account and all that goes with it, in a transaction: also what a request would still write that found the account
 * before it was deleted at the identity provider, as a sign-in that waits for this very row.
 */
export async function deleteAccountRow(tx: Tx, uid: string): Promise<void> {
  await getStore().set(getDeletedKey(uid), '1', DELETED_SECONDS);
  await announceDeletedSessions(tx, uid);
  await deleteProvedEmail(tx, uid);
  await tx.delete(accounts).where(eq(accounts.uid, uid));
}

export function deleteAccountRecords(records: Records, uid: string): Promise<void> {
  return queueWrite(uid, () =>
    records.transact(async (tx) => {
      await deleteAccountRow(tx, uid);
      await tx.delete(notices).where(and(eq(notices.uid, uid), notInArray(notices.kind, [...WEBHOOK_KINDS])));
    }),
  );
}

/**
 * The events of one account, newest first.
 * @param before id of the last event of the page before; of another account it yields nothing
 */
export function listEvents(
  records: Records,
  { uid, now, before }: { uid: string; now: Date; before: string | null },
): Promise<Activity> {
  return records.query(async (tx) => {
    const cursor = sql`(select last.at, last.id from events as last where last.id = ${before} and last.uid = ${uid})`;
    const found = await tx
      .select()
      .from(events)
      .where(
        and(
          eq(events.uid, uid),
          gt(events.at, getRetentionStart(now)),
          before === null ? undefined : sql`(${events.at}, ${events.id}) < ${cursor}`,
        ),
      )
      .orderBy(desc(events.at), desc(events.id))
      .limit(PAGE_SIZE + 1);
    const shown = found.slice(0, PAGE_SIZE).map(({ id, kind, at, browser, system, method }) => {
      return { id, kind: kind as EventKind, at: at.toISOString(), browser, system, method };
    });
    return { events: shown, more: found.length > PAGE_SIZE };
  });
}

/** When the account was last signed in to; null when that is not recorded. */
export function readLastSignIn(records: Records, uid: string): Promise<Date | null> {
  return records.query(async (tx) => {
    const isSignIn = and(eq(events.uid, uid), eq(events.kind, 'signed-in'));
    const [last] = await tx.select({ at: events.at }).from(events).where(isSignIn).orderBy(desc(events.at)).limit(1);
    return last?.at ?? null;
  });
}

/** All that is recorded about one account's security, newest first. */
export function exportEvents(records: Records, uid: string) {
  // Bounded: one account's, for an operator.
  return records.query((tx) =>
    tx.select().from(events).where(eq(events.uid, uid)).orderBy(desc(events.at), desc(events.id)),
  );
}

type Check = (uid: string) => Promise<void>;
const checkOfGrants = () => processWide('grant-check', () => ({ now: (() => Promise.resolve()) as Check }));

/**
 * Registers what is asked of a write that grants something, once it has waited for all others of its account.
 * @param check rejects, with an ApiProblem, when the write must not be made any more
 */
export function checkGrants(check: Check): void {
  checkOfGrants().now = check;
}

/**
 * Within `writeAboutAccount` and `writeAboutKnownAccount`, before something is granted or scheduled. Not before what only records, ends
 * or removes: it follows what the identity provider has done already.
 * @throws ApiProblem when the change has lost its lock meanwhile
 */
export function assertMayGrant(uid: string): Promise<void> {
  return checkOfGrants().now(uid);
}

/**
 * One transaction about one account, whose row is locked first: its other writes wait.
 * @throws RecordsError; ApiProblem `too-many-requests`, `user-deleted`
 */
export function writeAboutAccount<T>(
  records: Records,
  { uid, at }: { uid: string; at: Date },
  work: (tx: Tx, account: Account) => Promise<T>,
): Promise<T> {
  return queueWrite(uid, async () => {
    const done = await records.transact(async (tx) => {
      const { isNew, ...account } = await lockAccount(tx, uid, at);
      if (!isNew || !(await getStore().hasAny([getDeletedKey(uid)]))) return { result: await work(tx, account) };
      await tx.delete(accounts).where(eq(accounts.uid, uid));
      return null;
    });
    if (done === null) throw new ApiProblem('user-deleted');
    return done.result;
  });
}

/**
 * The same for an account that there are records of; for any other it does nothing, and creates none: a browser can have
 * the cookie of an account that was deleted.
 */
export function writeAboutKnownAccount<T>(
  records: Records,
  uid: string,
  work: (tx: Tx) => Promise<T>,
): Promise<T | null> {
  return queueWrite(uid, () =>
    records.transact(async (tx) => {
      const matches = eq(accounts.uid, uid);
      const [found] = await tx.select({ uid: accounts.uid }).from(accounts).where(matches).for('no key update');
      return found ? work(tx) : null;
    }),
  );
}

/**
 * Locks the row of an account first, and creates it if there is none. An event's foreign key locks it as well, but in a
 * mode that several transactions share: two that then update it would be in a deadlock.
 */
async function lockAccount(tx: Tx, uid: string, at: Date): Promise<Account & { isNew: boolean }> {
  const [account] = await tx
    .insert(accounts)
    .values({ uid, seenAt: at })
    .onConflictDoUpdate({ target: accounts.uid, set: { seenAt: sql`greatest(${accounts.seenAt}, excluded.seen_at)` } })
    .returning({
      methods: accounts.methods,
      methodsAt: accounts.methodsAt,
      secondFactorSince: accounts.secondFactorSince,
      disabledToldAt: accounts.disabledToldAt,
      // Of a row that was there, the statement has locked the version before.
      isNew: sql<boolean>`xmax = 0`,
    });
  return account ?? { methods: null, methodsAt: null, secondFactorSince: null, disabledToldAt: null, isNew: true };
}

/** Adds an event, unless it is of a kind that the account just had. For use within `writeAboutAccount`. */
export async function addEvent(
  tx: Tx,
  { uid, kind, at, client, method, addedIn }: Omit<NewEvent, 'read'>,
): Promise<void> {
  const window = ONCE_WITHIN_MS[kind];
  if (window !== undefined) {
    const since = new Date(Math.max(0, at.getTime() - window));
    const same = and(eq(events.uid, uid), eq(events.kind, kind), gt(events.at, since));
    if ((await tx.select({ id: events.id }).from(events).where(same).limit(1)).length > 0) return;
  }
  await tx.insert(events).values({ id: randomUUID(), uid, kind, at, ...client, method, addedIn });
  const changed = UPDATES[kind];
  if (changed) await addWebhookEvent(tx, { type: 'account.updated', data: { uid, changed: [changed] } });
}

/**
 * Applies methods that were requested after the stored ones had been read. Others are ignored: a slow request must not
 * bring back what a faster one saw removed.
 * @returns the methods that are stored now
 */
export async function updateMethods(
  tx: Tx,
  account: Account,
  { uid, at, read, addedIn }: SeenMethods,
): Promise<readonly string[]> {
  const { methods } = read;
  const known = account.methods ?? methods;
  if (account.methodsAt !== null && read.requestedAt <= account.methodsAt) return known;
  const connected = methods.filter((method) => !known.includes(method));
  const disconnected = known.filter((method) => !methods.includes(method));
  // Without a client: the change was made before this request, perhaps elsewhere.
  for (const method of connected) await addEvent(tx, { uid, at, kind: 'method-connected', method, addedIn });
  for (const method of disconnected) await addEvent(tx, { uid, at, kind: 'method-disconnected', method });
  await storeMethods(tx, { uid, at, methods });
  return methods;
}

/** A removal may have been done before other methods had been read: those stay the newest. */
async function storeMethods(tx: Tx, { uid, at, methods }: { uid: string; at: Date; methods: readonly string[] }) {
  const methodsAt = sql`greatest(${accounts.methodsAt}, ${at.toISOString()})`;
  await tx
    .update(accounts)
    .set({ methods: [...methods], methodsAt })
    .where(eq(accounts.uid, uid));
}

/**
 * Records a security event in the background. Best effort: a sign-in neither waits for the database nor fails with it
 * (docs/adr/0024).
 */
export function recordEvent(event: Omit<NewEvent, 'at'> & Partial<Pick<NewEvent, 'at'>>): void {
  const happened = { at: new Date(), ...event };
  writeInBackground((records) => insertEvent(records, happened));
}

/** Records, in the background, that our server has removed a sign-in method of an account. Best effort, too. */
export function recordRemovedMethod(removed: Omit<RemovedMethod, 'at'>): void {
  const at = new Date();
  writeInBackground((records) => insertRemovedMethod(records, { ...removed, at }));
}

/** Deletes, in the background, all records of an account that our server has deleted at the identity provider. */
export function deleteRecordsInBackground(uid: string): void {
  writeInBackground(
    (records) => deleteAccountRecords(records, uid),
    (error) => reportError(error, { during: 'deleting the records of an account' }),
  );
}

/** Best effort: a write whose loss is counted, and told in the log, unless `onError` does something else about it. */
export function writeInBackground(write: (records: Records) => Promise<void>, onError = reportLostEvent): void {
  if (hasRecords()) void getRecords().then(write).catch(onError);
}

/** While the database is away, one log line in this time, in milliseconds. */
const LOG_INTERVAL_MS = 60_000;

export function reportLostEvent(error: unknown): void {
  // Nothing is lost: the account was deleted meanwhile, and its events with it.
  if (isApiProblem(error) && error.code === 'user-deleted') return;
  countLostEvent();
  const state = processWide('lost-events', () => ({ count: 0, loggedAt: -Infinity }));
  state.count += 1;
  if (performance.now() - state.loggedAt < LOG_INTERVAL_MS) return;
  log().error({ err: error, count: state.count }, 'security events could not be recorded');
  Object.assign(state, { count: 0, loggedAt: performance.now() });
}

/** When the end of a session is tried again, in seconds after the try before: the database was slow, or the account had too many writes. */
export const LATE_ENDS = [1, 5, 20, 60];

/** Of a process: one is kept for a minute or two. */
const MAX_LATER = 1_000;
const lateWrites = () => processWide('late-session-writes', () => new Set<string>());

/**
 * Tries a write again that the database has not taken, for use in the background.
 * @param key one of a key is tried at a time
 * @param waits before each try, in seconds
 * @returns what it returns; null when it was not done
 */
export async function tryLater<T>(
  key: string,
  waits: readonly number[],
  write: (records: Records) => Promise<T>,
): Promise<T | null> {
  if (lateWrites().has(key)) return null;
  if (lateWrites().size >= MAX_LATER) {
    log().warn('too many writes about sessions wait for the database: one is given up');
    return null;
  }
  lateWrites().add(key);
  try {
    for (const seconds of waits) {
      await sleep(seconds * 1000, undefined, { ref: false });
      const done = await withRecords(async (records) => ({ result: await write(records) })).catch(() => null);
      if (done !== null) return done.result;
    }
    return null;
  } finally {
    lateWrites().delete(key);
  }
}
