import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import dayjs from 'dayjs';
import { and, desc, eq, getTableColumns, gt, lte, min, notInArray, or, sql } from 'drizzle-orm';
import {
  countLostEvent,
  countSuppressed,
  env,
  FairSemaphore,
  getRequestIds,
  log,
  processWide,
  type ClientDescription,
} from '@/lib/server/runtime';
import { EVENT_KINDS, type Activity, type EventKind } from '@/lib/shared/account/activity';
import { reportError } from '@/lib/shared/error-reporting/report';
import { ApiProblem, isApiProblem } from '@/lib/shared/problem';
import { getRecords, withRecords } from '.';
import { getStore } from '../store';
import { addWebhookEvent, announceDeletedSessions, LOGOUT_KIND, UPDATES, WEBHOOK_KINDS } from './announcements';
import { deleteProvedEmail } from './proved-emails';
import { deleteSentEmails } from './sent-emails';
import { accounts, events, jobs } from './schema';
import type { Records, Tx } from './engines';

/** The queue's limit. It is far above an account's rate limits in a network while the database answers. */
const MAX_WAITING = 100;

type Queue = { turns: FairSemaphore; users: number };
const queues = () => processWide('account-writes', () => new Map<string, Queue>());

/**
 * Runs the writes of an account one at a time, in order. In the database they would also wait for each other, but each
 * would hold a connection that other accounts need (docs/adr/0054).
 * @throws ApiProblem `too-many-requests` if too many wait
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

/** Retention period of events. */
const RETENTION_MONTHS = 13;
const PAGE_SIZE = 20;

/**
 * Kinds of which an account has at most one event within this time, in milliseconds. Concurrent requests, or a form and
 * the sign-in after it, can report the same event twice.
 */
const ONCE_WITHIN_MS: Partial<Record<RecordedKind, number>> = { registered: Infinity, 'email-restored': 60_000 };

/** The sign-in methods of an account, read from the identity provider. */
type MethodsRead = {
  methods: readonly string[];
  /** Time just before the request to the identity provider. */
  requestedAt: Date;
};

/**
 * Kinds that /security does not show. `refused`: the account policy refused a sign-in or a session. `support-viewed`: an
 * operator read about the account, which is in "Download my data".
 */
const HIDDEN_KINDS = ['refused', 'support-viewed'] as const;
type HiddenKind = (typeof HIDDEN_KINDS)[number];
type RecordedKind = EventKind | HiddenKind;
/** Number of kinds of events. */
const RECORDED_KINDS = EVENT_KINDS.length + HIDDEN_KINDS.length;
const isHidden = (kind: RecordedKind): kind is HiddenKind => HIDDEN_KINDS.some((hidden) => hidden === kind);

/** Name of the operator who did something, and why. Its owner reads both. */
export type ByOperator = { operator: string; reason: string | undefined };

export type NewEvent = Partial<ByOperator> & {
  uid: string;
  kind: RecordedKind;
  at: Date;
  client?: ClientDescription;
  method?: string;
  rule?: string;
  /** The browser (in `devices`) in which a method was first seen. */
  addedIn?: string | null;
  /** All sign-in methods of the account. A difference from the stored methods is a separate event. */
  read?: MethodsRead;
};

/** `at`: when the sign-in methods had been read. */
type SeenMethods = { uid: string; at: Date; read: MethodsRead; addedIn?: string | null };

/** `at`: when our server had removed `method`. `read`: the methods before. `client`: the requester. */
type RemovedMethod = SeenMethods & { method: string; client: ClientDescription };

type Account = {
  methods: string[] | null;
  methodsAt: Date | null;
  secondFactorSince: Date | null;
  disabledToldAt: Date | null;
};

/** Returns the start of the retention period. Older events are not shown, and retention.ts deletes them. */
export function getRetentionStart(now: Date): Date {
  return dayjs(now).subtract(RETENTION_MONTHS, 'month').toDate();
}

/** Writes an event. @throws RecordsError; ApiProblem `too-many-requests`, `user-deleted` */
export async function insertEvent(records: Records, { read, ...event }: NewEvent): Promise<void> {
  // A browser can still have the cookie of a deleted account. Do not create records of that account again.
  if (event.kind === 'signed-out')
    return void (await writeAboutKnownAccount(records, event.uid, (tx) => addEvent(tx, event)));
  await writeAboutAccount(records, event, async (tx, account) => {
    await addEvent(tx, event);
    if (read) await updateMethods(tx, account, { uid: event.uid, at: event.at, read });
  });
}

/**
 * Records the account's sign-in methods, and an event for each method that was connected or disconnected since the last
 * read. The identity provider lets a browser change them without our server.
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
/** Longer than a request that read the account earlier, including its later retries. */
const DELETED_SECONDS = 120;

/**
 * Deletes the row of an account, with everything that references it, in a transaction. A request may have found the account
 * before its deletion at the identity provider, and may wait for this row to write more. Those writes are refused, too.
 * @param addresses its emails, as far as the caller knows them
 */
export async function deleteAccountRow(tx: Tx, uid: string, addresses: readonly string[] = []): Promise<void> {
  await getStore().set(getDeletedKey(uid), '1', DELETED_SECONDS);
  await announceDeletedSessions(tx, uid);
  await deleteProvedEmail(tx, uid);
  await deleteSentEmails(tx, { uid, addresses });
  await tx.delete(accounts).where(eq(accounts.uid, uid));
}

export function deleteAccountRecords(records: Records, uid: string): Promise<void> {
  return queueWrite(uid, () =>
    records.transact(async (tx) => {
      await deleteAccountRow(tx, uid);
      await tx.delete(jobs).where(and(eq(jobs.uid, uid), notInArray(jobs.kind, [...WEBHOOK_KINDS, LOGOUT_KIND])));
    }),
  );
}

/**
 * Lists a page of an account's events, newest first.
 * @param before id of the last event of the previous page; another account's id yields nothing
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
          notInArray(events.kind, [...HIDDEN_KINDS]),
          gt(events.at, getRetentionStart(now)),
          before === null ? undefined : sql`(${events.at}, ${events.id}) < ${cursor}`,
        ),
      )
      .orderBy(desc(events.at), desc(events.id))
      .limit(PAGE_SIZE + 1);
    const shown = found.slice(0, PAGE_SIZE).map(({ id, kind, at, browser, system, method, operator }) => {
      const bySupport = operator !== null;
      return { id, kind: kind as EventKind, at: at.toISOString(), browser, system, method, bySupport };
    });
    return { events: shown, more: found.length > PAGE_SIZE };
  });
}

/** Returns the time of the account's last sign-in, or null if none is recorded. */
export function readLastSignIn(records: Records, uid: string): Promise<Date | null> {
  return records.query(async (tx) => {
    const isSignIn = and(eq(events.uid, uid), eq(events.kind, 'signed-in'));
    const [last] = await tx.select({ at: events.at }).from(events).where(isSignIn).orderBy(desc(events.at)).limit(1);
    return last?.at ?? null;
  });
}

/** Maximum number of accounts that a look-up by a request finds. A tab or a request is rarely about more than one. */
const MAX_OF_REQUEST = 5;

/**
 * Lists the accounts with an event that a request, or a tab with a support code, caused, the first account first. Anyone who
 * learns a code can send it with calls of their own accounts, so later accounts must not displace the first one.
 */
export async function listAccountsOfRequest(
  records: Records,
  { requestId, supportCode }: { requestId?: string | undefined; supportCode?: string | undefined },
): Promise<string[]> {
  const isMeant = requestId === undefined ? eq(events.supportCode, supportCode ?? '') : eq(events.requestId, requestId);
  const found = await records.query((tx) =>
    tx
      .select({ uid: events.uid })
      .from(events)
      .where(isMeant)
      .groupBy(events.uid)
      .orderBy(min(events.at))
      .limit(MAX_OF_REQUEST),
  );
  return found.map(({ uid }) => uid);
}

/** How many events of an account, and how many of each kind, support reads. */
const OF_SUPPORT = { events: 100, ofKind: 10 };

/**
 * Lists the last events of an account, newest first, and the last events of each kind. Otherwise an intruder could sign in
 * a hundred times, so that support no longer sees what they changed.
 */
export function listEventsForSupport(records: Records, uid: string) {
  return records.query((tx) => {
    const order = sql`order by ${events.at} desc, ${events.id} desc`;
    const ranked = tx
      .select({
        ...getTableColumns(events),
        rank: sql<number>`row_number() over (${order})`.as('rank'),
        rankOfKind: sql<number>`row_number() over (partition by ${events.kind} ${order})`.as('rank_of_kind'),
      })
      .from(events)
      .where(eq(events.uid, uid))
      .as('ranked');
    return tx
      .select()
      .from(ranked)
      .where(or(lte(ranked.rank, OF_SUPPORT.events), lte(ranked.rankOfKind, OF_SUPPORT.ofKind)))
      .orderBy(ranked.rank)
      .limit(OF_SUPPORT.events + OF_SUPPORT.ofKind * RECORDED_KINDS);
  });
}

/** Lists all recorded events of an account, newest first. */
export function exportEvents(records: Records, uid: string) {
  // Bounded: one account's, for an operator.
  return records.query((tx) =>
    tx.select().from(events).where(eq(events.uid, uid)).orderBy(desc(events.at), desc(events.id)),
  );
}

/**
 * Runs a transaction about an account. It locks the account's row first, so the account's other writes wait.
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
 * Runs a transaction about an account that has records. For any other account it does nothing and creates no records,
 * because a browser can have the cookie of a deleted account.
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
 * Locks the row of an account, and creates it if there is none. An event's foreign key also locks the row, but in a mode
 * that several transactions share. If two of them then updated the row, they would deadlock.
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
      // An existing row has the statement's lock in `xmax`.
      isNew: sql<boolean>`xmax = 0`,
    });
  return account ?? { methods: null, methodsAt: null, secondFactorSince: null, disabledToldAt: null, isNew: true };
}

/** Adds an event, unless the account has just had an event of its kind. Call it within `writeAboutAccount`. */
export async function addEvent(
  tx: Tx,
  { uid, kind, at, client, method, rule, addedIn, operator, reason }: Omit<NewEvent, 'read'>,
): Promise<void> {
  const window = ONCE_WITHIN_MS[kind];
  if (window !== undefined) {
    const since = new Date(Math.max(0, at.getTime() - window));
    const same = and(eq(events.uid, uid), eq(events.kind, kind), gt(events.at, since));
    if ((await tx.select({ id: events.id }).from(events).where(same).limit(1)).length > 0) return;
  }
  await tx.insert(events).values({
    ...getRequestIds(),
    id: randomUUID(),
    uid,
    kind,
    at,
    ...client,
    method,
    rule,
    addedIn,
    operator,
    reason,
  });
  const changed = isHidden(kind) ? undefined : UPDATES[kind];
  if (changed) await addWebhookEvent(tx, { type: 'account.updated', data: { uid, changed: [changed] } });
}

/**
 * Applies methods that were requested after the stored methods had been read. It ignores others, because a slow request
 * must not restore a method whose removal a faster request has already seen.
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
  // Omit the client, because the change happened before this request, perhaps in another browser.
  for (const method of connected) await addEvent(tx, { uid, at, kind: 'method-connected', method, addedIn });
  for (const method of disconnected) await addEvent(tx, { uid, at, kind: 'method-disconnected', method });
  await storeMethods(tx, { uid, at, methods });
  return methods;
}

/** A removal may have happened before other methods had been read. Then those stay the newest. */
async function storeMethods(tx: Tx, { uid, at, methods }: { uid: string; at: Date; methods: readonly string[] }) {
  const methodsAt = sql`greatest(${accounts.methodsAt}, ${at.toISOString()})`;
  await tx
    .update(accounts)
    .set({ methods: [...methods], methodsAt })
    .where(eq(accounts.uid, uid));
}

/**
 * Records a security event in the background, as best effort. A request neither waits for the database nor fails with it
 * (docs/adr/0024).
 */
export function recordEvent(event: Omit<NewEvent, 'at'> & Partial<Pick<NewEvent, 'at'>>): void {
  const happened = { at: new Date(), ...event };
  writeInBackground((records) => insertEvent(records, happened));
}

/** A refusal of an account by a rule is recorded once in this time, because pages repeat their requests. */
const REFUSAL_SECONDS = 3_600;

/** Records in the background, as best effort, that the account policy has refused a sign-in or a session. */
export function recordRefusal(refusal: { uid: string; rule: string; method: string }): void {
  const key = `refused:${refusal.uid}:${refusal.rule}`;
  void Promise.resolve(getStore().setIfAbsent(key, '1', REFUSAL_SECONDS))
    .then((isFirst) => {
      if (isFirst) recordEvent({ ...refusal, kind: 'refused' });
    })
    .catch(reportLostEvent);
}

/** Records in the background, as best effort, that our server has removed a sign-in method. */
export function recordRemovedMethod(removed: Omit<RemovedMethod, 'at'>): void {
  const at = new Date();
  writeInBackground((records) => insertRemovedMethod(records, { ...removed, at }));
}

/** Deletes in the background all records of an account that our server has deleted at the identity provider. */
export function deleteRecordsInBackground(uid: string): void {
  writeInBackground(
    (records) => deleteAccountRecords(records, uid),
    (error) => reportError(error, { during: 'deleting the records of an account' }),
  );
}

/**
 * Writes in the background, as best effort. A loss is counted and logged, unless `onError` handles it. If another deployment
 * has the accounts, it does nothing.
 */
export function writeInBackground(write: (records: Records) => Promise<void>, onError = reportLostEvent): void {
  if (env().SESSION_BACKEND === 'firebase') void getRecords().then(write).catch(onError);
}

export function reportLostEvent(error: unknown): void {
  // Nothing is lost, because the account and its events were deleted.
  if (isApiProblem(error) && error.code === 'user-deleted') return;
  countLostEvent();
  const suppressed = countSuppressed('records', 'lost-event');
  if (suppressed === null) return;
  log().error({ err: error, count: suppressed + 1 }, 'security events could not be recorded');
}

/** Delays in seconds before the end of a session is retried, if the database was slow or the account had too many writes. */
export const LATE_ENDS = [1, 5, 20, 60];

/** Maximum number of waiting writes of a process. Each waits for a minute or two. */
const MAX_LATER = 1_000;
const lateWrites = () => processWide('late-session-writes', () => new Set<string>());

/**
 * Retries a write that the database has not taken. Use it in the background.
 * @param key only one write of a key is retried at a time
 * @param waits delays before each attempt, in seconds
 * @returns the result of the write, or null if it failed
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
