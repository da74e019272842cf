import dayjs from 'dayjs';
import { and, desc, eq, gt, sql } from 'drizzle-orm';
import { randomUUID } from 'node:crypto';
import type { Activity, EventKind } from '@/lib/shared/account/activity';
import type { ClientDescription } from '../http/client-description';
import { accounts, events } from './schema';
import type { Records, Tx } from './types';

/** Events are kept, and shown, for this long. */
const RETENTION_MONTHS = 13;
const PAGE_SIZE = 20;

export type NewEvent = {
  uid: string;
  kind: EventKind;
  at: Date;
  client?: ClientDescription;
  /** The sign-in method that the event is about. */
  method?: string;
  /** All sign-in methods of the account: a difference to those seen before is an event of its own. */
  methods?: readonly string[];
};

export type SeenMethods = {
  uid: string;
  at: Date;
  methods: readonly string[];
  /** Those before a change that our server made, and who requested it. */
  change?: { previous: readonly string[]; client: ClientDescription };
};

/** Start of the retention period: older events are not shown, and deleted (retention.ts). */
export function getRetentionStart(now: Date): Date {
  return dayjs(now).subtract(RETENTION_MONTHS, 'month').toDate();
}

export function insertEvent(records: Records, { methods, ...event }: NewEvent): Promise<void> {
  return records.transact(async (tx) => {
    await ensureAccount(tx, event);
    await addEvent(tx, event);
    if (methods) await updateMethods(tx, { uid: event.uid, at: event.at, methods });
  });
}

/**
 * Records which sign-in methods an account has, and an event for each that was connected or disconnected since they were
 * last seen. The identity provider lets a browser change them without our server.
 */
export function insertMethods(records: Records, seen: SeenMethods): Promise<void> {
  return records.transact(async (tx) => {
    await ensureAccount(tx, seen);
    await updateMethods(tx, seen);
  });
}

/**
 * The events of one account, newest first.
 * @param before id of the last event of the page before; of another account it yields nothing
 */
export function listEvents(
  records: Records,
  { uid, now, before }: { uid: string; now: Date; before: string | null },
): Promise<Activity> {
  return records.transact(async (tx) => {
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

/** All that is recorded about one account's security, newest first. */
export function exportEvents(records: Records, uid: string) {
  return records.transact((tx) =>
    tx.select().from(events).where(eq(events.uid, uid)).orderBy(desc(events.at), desc(events.id)),
  );
}

async function ensureAccount(tx: Tx, { uid, at }: { uid: string; at: Date }): Promise<void> {
  await tx.insert(accounts).values({ uid, seenAt: at }).onConflictDoNothing();
}

async function addEvent(tx: Tx, { uid, kind, at, client, method }: NewEvent): Promise<void> {
  await tx.insert(events).values({ id: randomUUID(), uid, kind, at, ...client, method });
}

async function updateMethods(tx: Tx, { uid, at, methods, change }: SeenMethods): Promise<void> {
  const [account] = await tx
    .select({ methods: accounts.methods })
    .from(accounts)
    .where(eq(accounts.uid, uid))
    .for('update');
  const known = account?.methods ?? change?.previous ?? methods;
  const connected = methods.filter((method) => !known.includes(method));
  const disconnected = known.filter((method) => !methods.includes(method));
  // Only of a change by our server the client is known: any other was made before this request, perhaps elsewhere.
  const client = change?.client;
  for (const method of connected) await addEvent(tx, { uid, at, client, kind: 'method-connected', method });
  for (const method of disconnected) await addEvent(tx, { uid, at, client, kind: 'method-disconnected', method });
  await tx
    .update(accounts)
    .set({ methods: [...methods], seenAt: at })
    .where(eq(accounts.uid, uid));
}
