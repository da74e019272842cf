import { and, desc, eq, gt, gte, inArray, isNull, lt, lte, ne, not, notExists, or, sql, type SQL } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { runOutsideOfRequest, settle } from '@/lib/server/runtime';
import { isApiProblem } from '@/lib/shared/problem';
import { SESSION } from '@/lib/shared/session-contract';
import { hasRecords, withRecords } from '.';
import { getStore } from '../store';
import { announceSessionEnds, isOfCookie, lastCookieAt, type SessionEndReason } from './announcements';
import {
  addEvent,
  LATE_ENDS,
  reportLostEvent,
  tryLater,
  writeAboutKnownAccount,
  writeInBackground,
  type NewEvent,
} from './events';
import { accounts, devices, oidcClientSessions, sessionCookies, sessions } from './schema';
import type { Records, Tx } from './engines';

type RecordedSession = {
  id: string;
  uid: string;
  isLive: boolean;
  expiresAt: Date;
  deviceDigest: string | null;
  /** Of the OpenID Provider, which have signed its user in by it. */
  clients: string[];
  /** Receivers of webhooks were told that the account is disabled. */
  isToldDisabled: boolean;
};

export type ListedSession = {
  id: string;
  browser: string | null;
  system: string | null;
  method: string | null;
  firstSeenAt: Date;
  lastSeenAt: Date;
  rememberedAt: Date | null;
  sids: string[];
};

/**
 * The session of a cookie, by its own id, and whether it or the session that it was derived from was ended.
 * @param sids as by `getSessionIds`: its own first
 */
export function findSession(
  records: Records,
  sids: readonly string[],
  now: Date,
): Promise<{ own: RecordedSession | null; isEnded: boolean }> {
  return records.query(async (tx) => {
    const ofSession = eq(oidcClientSessions.sessionId, sessions.id);
    // Bounded: one row for each cookie of a request.
    const found = await tx
      .select({
        sid: sessionCookies.sid,
        id: sessions.id,
        uid: sessions.uid,
        endedAt: sessions.endedAt,
        expiresAt: sessions.expiresAt,
        deviceDigest: devices.cookieDigest,
        isToldDisabled: sql<boolean>`${accounts.disabledToldAt} is not null`,
        clients: sql<
          string[]
        >`array(select ${oidcClientSessions.clientId} from ${oidcClientSessions} where ${ofSession})`,
      })
      .from(sessionCookies)
      .innerJoin(sessions, eq(sessions.id, sessionCookies.sessionId))
      .innerJoin(devices, eq(devices.id, sessions.deviceId))
      .innerJoin(accounts, eq(accounts.uid, sessions.uid))
      .where(inArray(sessionCookies.sid, [...sids]));
    const own = found.find(({ sid }) => sid === sids[0]);
    const isEnded = found.some(({ endedAt }) => endedAt !== null);
    if (!own) return { own: null, isEnded };
    return { own: { ...own, isLive: !isEnded && own.expiresAt > now }, isEnded };
  });
}

/** Condition of `sessions`: those of these cookies. */
export function hasAnyCookie(tx: Tx, sids: readonly string[]): SQL {
  const matches = inArray(sessionCookies.sid, [...sids]);
  const ids = tx.select({ id: sessionCookies.sessionId }).from(sessionCookies).where(matches);
  return inArray(sessions.id, ids);
}

/** The browser of the session that has this cookie, in `devices`; null when that is not recorded. */
export async function findBrowserOfCookie(tx: Tx, sid: string): Promise<string | null> {
  const [found] = await tx
    .select({ deviceId: sessions.deviceId })
    .from(sessions)
    .where(hasAnyCookie(tx, [sid]))
    .limit(1);
  return found?.deviceId ?? null;
}

/** The first proof of a session; of one that did not record it, what it can have been. */
export const firstProof = sql`coalesce(${sessions.firstAuthenticatedAt}, ${sessions.openedAt} - interval '5 minutes')`;

/**
 * Whether the owner ended a session of this proof from another one: the proof opens no session again. A session can have had
 * several proofs, of which its record has the last: any between the first one and that counts as its own.
 */
export async function isProofEnded(tx: Tx, uid: string, authenticatedAt: Date): Promise<boolean> {
  const isSince = sql`${firstProof} <= ${authenticatedAt.toISOString()}::timestamp with time zone`;
  const ended = and(
    eq(sessions.uid, uid),
    eq(sessions.endedBy, 'owner'),
    gte(sessions.authenticatedAt, authenticatedAt),
    isSince,
  );
  return (await tx.select({ id: sessions.id }).from(sessions).where(ended).limit(1)).length > 0;
}

/** An intruder can open a session each second: the list has the last used ones, and "sign out everywhere" ends all. */
const MAX_LISTED_COOKIES = 1_000;

/** The live sessions of an account, the last used first. @param validSince revocation of all before it */
export function listSessions(
  records: Records,
  { uid, now, validSince }: { uid: string; now: Date; validSince: Date },
): Promise<ListedSession[]> {
  return records.query(async (tx) => {
    const found = await tx
      .select({
        id: sessions.id,
        browser: devices.browser,
        system: devices.system,
        method: sessions.method,
        firstSeenAt: devices.firstSeenAt,
        lastSeenAt: sessions.lastSeenAt,
        rememberedAt: devices.rememberedAt,
        sid: sessionCookies.sid,
      })
      .from(sessions)
      .innerJoin(devices, eq(devices.id, sessions.deviceId))
      .innerJoin(sessionCookies, eq(sessionCookies.sessionId, sessions.id))
      .where(
        and(
          eq(sessions.uid, uid),
          isNull(sessions.endedAt),
          gt(sessionCookies.expiresAt, now),
          isOfCookie,
          isValidSince(validSince),
        ),
      )
      .orderBy(desc(sessions.lastSeenAt), desc(sessions.id))
      .limit(MAX_LISTED_COOKIES);
    const listed = new Map<string, ListedSession>();
    for (const { sid, ...session } of found) {
      const sids = [...(listed.get(session.id)?.sids ?? []), sid];
      listed.set(session.id, { ...session, sids });
    }
    return [...listed.values()];
  });
}

/** A session opened after a revocation was decided on after it; one that was continued has a later proof. */
export function isValidSince(validSince: Date): SQL {
  return sql`greatest(${sessions.authenticatedAt}, ${sessions.openedAt}) >= ${validSince.toISOString()}::timestamp with time zone`;
}

// Browsers that are not asked for a second factor. For how long is decided in lib/server/session/request.ts.

/** When this browser was remembered for an account; null when it is not. */
export function readRememberedAt(records: Records, uid: string, cookieDigest: string): Promise<Date | null> {
  return records.query(async (tx) => {
    const matches = and(eq(devices.uid, uid), eq(devices.cookieDigest, cookieDigest));
    // Bounded: one row, by `devices_of_account`.
    const [device] = await tx.select({ rememberedAt: devices.rememberedAt }).from(devices).where(matches);
    return device?.rememberedAt ?? null;
  });
}

/** Within a transaction. */
export async function rememberBrowser(
  tx: Tx,
  { id, at, deviceDigest }: { id: string; at: Date; deviceDigest: string | null },
): Promise<void> {
  if (deviceDigest !== null) await tx.update(devices).set({ rememberedAt: at }).where(eq(devices.id, id));
}

/** Forgets the browsers of sessions that are ended from another one, or revoked. Within a transaction. */
async function forgetBrowsers(
  tx: Tx,
  { uid, at }: { uid: string; at: Date },
  ofSessions: SQL | undefined,
): Promise<void> {
  const ended = tx
    .select({ id: sessions.deviceId })
    .from(sessions)
    .where(and(eq(sessions.uid, uid), ofSessions));
  await tx
    .update(devices)
    .set({ rememberedAt: null })
    .where(and(eq(devices.uid, uid), lte(devices.rememberedAt, at), inArray(devices.id, ended)));
}

/** Why a session is over. `owner`: from another session of the account, so that its proof opens none again. */
export type SessionEnd = 'owner' | 'sign-out' | 'revoked' | 'expired';

export type SessionCookie = { sid: string; expiresAt: Date };

/** `reason`: as receivers of webhooks are told, when `by` does not say it. */
export type Ending = { uid: string; at: Date; by: Exclude<SessionEnd, 'expired'>; reason?: SessionEndReason };

/**
 * Ends one session of an account, or all but one, with the sessions derived from them, and records the event if any was
 * live. An id of another account ends nothing.
 * @returns all their cookies
 */
export async function endSessions(
  records: Records,
  { which, event, ...ending }: Ending & { which: { id: string } | { except: string | null }; event: NewEvent },
): Promise<SessionCookie[]> {
  const isOne =
    'id' in which ? eq(sessions.id, which.id) : which.except === null ? undefined : ne(sessions.id, which.except);
  const cookies = await writeAboutKnownAccount(records, ending.uid, async (tx) => {
    const ended = await endWhere(tx, ending, isOne);
    if (ended.isAny) await addEvent(tx, event);
    return ended.cookies;
  });
  return cookies ?? [];
}

/**
 * Ends the live sessions of these cookies, and those that came from the same proof. It may run late, and waits for nothing when there is none:
 * cookies that are over must not fill the writes of their account.
 * @param deviceDigest of a browser, whose live session is ended, too, unless it has got another cookie since `at`
 * @returns all their cookies; `isAny`: one was still live. Null when none is recorded
 */
export async function endSessionsOfCookies(
  records: Records,
  { sids, deviceDigest = null, ...ending }: Ending & { sids: readonly string[]; deviceDigest?: string | null },
): Promise<{ cookies: SessionCookie[]; isAny: boolean } | null> {
  const { uid, at } = ending;
  const isMeant = (tx: Tx) => {
    const ofProof = or(hasAnyCookie(tx, sids), inArray(sessions.root, [...sids]));
    if (deviceDigest === null) return ofProof;
    const isBrowser = and(eq(devices.uid, uid), eq(devices.cookieDigest, deviceDigest));
    const ofBrowser = tx.select({ id: devices.id }).from(devices).where(isBrowser);
    return or(ofProof, and(inArray(sessions.deviceId, ofBrowser), isNull(sessions.endedAt), lte(lastCookieAt, at)));
  };
  const isLive = sql<boolean>`${sessions.endedAt} is null`;
  const [found] = await records.query((tx) => {
    const isOwn = sql<boolean>`${hasAnyCookie(tx, sids)}`;
    return tx
      .select({ isLive, isOwn })
      .from(sessions)
      .where(and(eq(sessions.uid, uid), isMeant(tx)))
      .orderBy(desc(isLive), desc(isOwn))
      .limit(1);
  });
  if (!found || !(found.isLive || found.isOwn)) return null;
  if (!found.isLive) return { cookies: [], isAny: false };
  return writeAboutKnownAccount(records, uid, (tx) => endWhere(tx, ending, isMeant(tx)));
}

/**
 * Ends the sessions that a change of the account has revoked at the identity provider.
 * @returns all their cookies
 */
export async function endRevokedSessions(
  records: Records,
  ending: Ending & { validSince: Date },
): Promise<SessionCookie[]> {
  const ended = await writeAboutKnownAccount(records, ending.uid, (tx) =>
    endWhere(tx, ending, not(isValidSince(ending.validSince))),
  );
  return ended?.cookies ?? [];
}

/** Whether a revocation has left sessions live: the database was away, or the process ended before it was told. */
export async function hasLeftOver(tx: Tx, { uid, validSince }: { uid: string; validSince: Date }): Promise<boolean> {
  const isLeft = and(eq(sessions.uid, uid), isNull(sessions.endedAt), not(isValidSince(validSince)));
  return (await tx.select({ id: sessions.id }).from(sessions).where(isLeft).limit(1)).length > 0;
}

/**
 * Ends sessions, and those that were opened from them. For use within `writeAboutKnownAccount`.
 * @returns all their cookies, also of those that were over; `isAny`: one was live
 */
export async function endWhere(
  tx: Tx,
  { uid, at, by, reason = by }: Ending,
  condition: SQL | undefined,
): Promise<{ cookies: SessionCookie[]; isAny: boolean }> {
  const isOfAccount = eq(sessions.uid, uid);
  const isOfSession = eq(sessionCookies.sessionId, sessions.id);
  // Not by a list: an intruder can have a session opened each second.
  const sids = tx
    .select({ sid: sessionCookies.sid })
    .from(sessionCookies)
    .innerJoin(sessions, isOfSession)
    .where(and(isOfAccount, condition));
  const isMeant =
    condition && or(condition, inArray(sessions.root, sids), inArray(sessions.root, listOwnRoots(tx, uid, condition)));
  // Bounded: one account's, of which none may be left out.
  const cookies = await tx
    .select({ sid: sessionCookies.sid, expiresAt: sessionCookies.expiresAt })
    .from(sessions)
    .innerJoin(sessionCookies, isOfSession)
    .where(and(isOfAccount, isMeant));
  if (by === 'owner' || by === 'revoked') await forgetBrowsers(tx, { uid, at }, isMeant);
  const ended = await tx
    .update(sessions)
    .set({ endedAt: at, endedBy: by })
    .where(and(isOfAccount, isNull(sessions.endedAt), isMeant))
    .returning({ id: sessions.id });
  const ids = ended.map(({ id }) => id);
  await announceSessionEnds(tx, ids, { uid, everywhere: condition === undefined, reason });
  return { cookies, isAny: ended.length > 0 };
}

/**
 * Of sessions that were opened before 2026-11-27: the ids of their proofs, which have no row. The oldest session of such an id is that
 * which the others came from.
 */
function listOwnRoots(tx: Tx, uid: string, condition: SQL) {
  const older = alias(sessions, 'older');
  const isOlder = and(eq(older.uid, uid), eq(older.root, sessions.root), lt(older.openedAt, sessions.openedAt));
  const others = tx.select({ id: older.id }).from(older).where(isOlder);
  const hasRow = eq(sessionCookies.sid, sessions.root);
  const rows = tx.select({ sid: sessionCookies.sid }).from(sessionCookies).where(hasRow);
  // Bounded: a part of another query.
  return tx
    .select({ root: sessions.root })
    .from(sessions)
    .where(and(eq(sessions.uid, uid), condition, notExists(rows), notExists(others)));
}

// Marks of ended sessions in the shared store, which every process asks at every check (docs/adr/0004).

const getKey = (sid: string) => `ended-session:${sid}`;

/**
 * Records, for all processes, that a session was ended early (docs/adr/0004).
 * @param expiresAt expiry of the cookie itself, seconds since 1970
 */
export async function markEnded(sid: string, expiresAt: number): Promise<void> {
  const remaining = Math.ceil(expiresAt - Date.now() / 1000);
  if (remaining > 0) await getStore().set(getKey(sid), '1', Math.min(remaining, SESSION.length));
}

/** The same for all cookies of ended sessions. */
export async function markAllEnded(cookies: readonly SessionCookie[]): Promise<void> {
  await Promise.all(cookies.map(({ sid, expiresAt }) => markEnded(sid, expiresAt.getTime() / 1000)));
}

/**
 * Ends the sessions of cookies in the records (`endSessionsOfCookies`), and marks all that they have.
 * @returns whether this has ended one; null when none was live
 */
export async function endAndMark(
  records: Records,
  ending: Parameters<typeof endSessionsOfCookies>[1],
): Promise<boolean | null> {
  const ended = await endSessionsOfCookies(records, ending);
  await markAllEnded(ended?.cookies ?? []);
  return ended?.isAny ?? null;
}

/**
 * Ends, in the background, the sessions that our server has revoked at the identity provider: their records, and with marks their cookies in
 * all processes, which otherwise notice within 20 s. It is tried again; what is left then, the next sign-in ends (`hasLeftOver`).
 * @param at browsers that are remembered since stay so
 */
export function endRevokedInBackground(uid: string, validSince: Date, at = new Date()): void {
  const ending = { uid, at, by: 'revoked', validSince } as const;
  const write = async (records: Records) => markAllEnded(await endRevokedSessions(records, ending));
  const again = () => tryLater(`revoke ${uid} ${validSince.toISOString()}`, LATE_ENDS, write);
  writeInBackground(write, (error) => {
    void runOutsideOfRequest(again).then((done) => {
      if (done === null) reportLostEvent(error);
    });
  });
}

/** Whether any of these sessions was ended before its expiry, by any process. @param sids as by `getSessionId` */
export function isAnyEnded(sids: readonly string[]): boolean | Promise<boolean> {
  return settle(
    () => getStore().hasAny(sids.map(getKey)),
    (known) => known ?? isEndedWithoutMarks(sids),
  );
}

/** Whether a process has marked any of these sessions; false when the marks cannot be read. Asks no database: for use within a transaction. */
export async function hasEndMark(sids: readonly string[]): Promise<boolean> {
  return (await getStore().hasAny(sids.map(getKey))) ?? false;
}

/** Lookups of a process at the same time; beyond them the marks of this process decide alone. */
const MAX_LOOKUPS = 20;
let lookups = 0;

/**
 * While the shared store is away, or a node of its cluster, the marks of other processes cannot be read: the records have what they
 * ended. Bounded, so that the database does not go away, too.
 */
async function isEndedWithoutMarks(sids: readonly string[]): Promise<boolean> {
  if (lookups >= MAX_LOOKUPS) return false;
  lookups += 1;
  try {
    return (await findEndInRecords(sids)).isEnded;
  } finally {
    lookups -= 1;
  }
}

/** How long a check waits for the records, in milliseconds. */
const RECORDS_TIMEOUT_MS = 1_000;

/**
 * `isLive`: the first one is recorded, and goes on; `isToldDisabled`: receivers were told that the account is disabled, and nothing has shown
 * since that it is not.
 */
type RecordedEnd = { isEnded: boolean; isLive: boolean; isToldDisabled: boolean };

/**
 * Whether the records say that any of these sessions was ended: the marks are lost with the store. While the database is away,
 * the marks decide alone (docs/adr/0004).
 */
export async function findEndInRecords(sids: readonly string[]): Promise<RecordedEnd> {
  const unknown = { isEnded: false, isLive: false, isToldDisabled: false };
  if (!hasRecords()) return unknown;
  try {
    return await withRecords((records) => readEnd(records, sids), RECORDS_TIMEOUT_MS);
  } catch (error) {
    if (isApiProblem(error) && error.code === 'records-unavailable') return unknown;
    throw error;
  }
}

/** The same where the answer is waited for. */
export async function readEnd(records: Records, sids: readonly string[]): Promise<RecordedEnd> {
  const { own, isEnded } = await findSession(records, sids, new Date());
  return { isEnded, isLive: own?.isLive ?? false, isToldDisabled: own?.isToldDisabled ?? false };
}

/** Whether any of these sessions was ended before its expiry, by the marks or by the records. */
export async function wasEnded(sids: readonly string[]): Promise<boolean> {
  const [isMarked, { isEnded }] = await Promise.all([isAnyEnded(sids), findEndInRecords(sids)]);
  return isMarked || isEnded;
}
