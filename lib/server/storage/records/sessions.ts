import { and, desc, eq, gt, gte, inArray, isNull, lt, lte, ne, not, notExists, or, sql, type SQL } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { runOutsideOfRequest, settle } from '@/lib/server/runtime';
import { isApiProblem } from '@/lib/shared/problem';
import { SESSION } from '@/lib/shared/session-contract';
import { withRecords } from '.';
import { getStore } from '../store';
import {
  announceSessionEnds,
  ENDS_OF_PROOF,
  isOfCookie,
  lastCookieAt,
  toToldReason,
  type Revocation,
  type SessionEnd,
} from './announcements';
import {
  addEvent,
  LATE_ENDS,
  reportLostEvent,
  tryLater,
  writeAboutKnownAccount,
  writeInBackground,
  type NewEvent,
} from './events';
import { accounts, devices, oidcClientSessions, sessionCookies, sessions, usedChallenges } from './schema';
import { insertUsed } from './used-once';
import type { Records, Tx } from './engines';

type RecordedSession = {
  id: string;
  uid: string;
  isLive: boolean;
  expiresAt: Date;
  deviceDigest: string | null;
  /** OpenID Provider clients that have signed the user in by this session. */
  clients: string[];
  /** Whether webhook receivers were notified that the account is disabled. */
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
 * Finds the session of a cookie by its own id. `isEnded`: it, or the session that it was derived from, was ended.
 * @param sids `sids` of a `VerifiedCookie`, with its own first
 */
export function findSession(
  records: Records,
  sids: readonly string[],
  now: Date,
): Promise<{ own: RecordedSession | null; isEnded: boolean }> {
  return records.query(async (tx) => {
    const found = await selectSessions(tx, sids);
    const own = found.find(({ sid }) => sid === sids[0]);
    const isEnded =
      found.some(({ endedAt }) => endedAt !== null) || (found.length < sids.length && (await isEndNoted(tx, sids)));
    if (!own) return { own: null, isEnded };
    return { own: { ...own, isLive: !isEnded && own.expiresAt > now }, isEnded };
  });
}

function selectSessions(tx: Tx, sids: readonly string[]) {
  const ofSession = eq(oidcClientSessions.sessionId, sessions.id);
  // Bounded: a row for each cookie of a request.
  return tx
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
}

/**
 * Describes the records of a request's cookies.
 * @returns null for a cookie without a record; `isOver`: its session was ended or has expired
 */
export async function describeCookies(
  records: Records,
  sids: readonly string[],
  now: Date,
): Promise<({ isOver: boolean; deviceDigest: string | null } | null)[]> {
  const rows = await records.query((tx) => selectSessions(tx, sids));
  return sids.map((sid) => {
    const row = rows.find((each) => each.sid === sid);
    return row ? { isOver: row.endedAt !== null || row.expiresAt <= now, deviceDigest: row.deviceDigest } : null;
  });
}

/** Condition of `sessions`: the session has any of these cookies. */
export function hasAnyCookie(tx: Tx, sids: readonly string[]): SQL {
  const matches = inArray(sessionCookies.sid, [...sids]);
  const ids = tx.select({ id: sessionCookies.sessionId }).from(sessionCookies).where(matches);
  return inArray(sessions.id, ids);
}

/** Finds the browser (in `devices`) of the session with this cookie. @returns null if it is not recorded */
export async function findBrowserOfCookie(tx: Tx, sid: string): Promise<string | null> {
  const [found] = await tx
    .select({ deviceId: sessions.deviceId })
    .from(sessions)
    .where(hasAnyCookie(tx, [sid]))
    .limit(1);
  return found?.deviceId ?? null;
}

/** The first proof of a session. If it was not recorded, the earliest possible time. */
export const firstProof = sql`coalesce(${sessions.firstAuthenticatedAt}, ${sessions.openedAt} - interval '5 minutes')`;

/**
 * Whether the owner ended a session of this proof from another session, so that the proof must not open a session
 * again. A session can have had several proofs but records only the first and the last, so any time in between counts.
 */
export async function isProofEnded(tx: Tx, uid: string, authenticatedAt: Date): Promise<boolean> {
  const isSince = sql`${firstProof} <= ${authenticatedAt.toISOString()}::timestamp with time zone`;
  const ended = and(
    eq(sessions.uid, uid),
    inArray(sessions.endedBy, [...ENDS_OF_PROOF]),
    gte(sessions.authenticatedAt, authenticatedAt),
    isSince,
  );
  return (await tx.select({ id: sessions.id }).from(sessions).where(ended).limit(1)).length > 0;
}

/**
 * Maximum listed cookies, because an intruder can open a session every second. The list has the most recently used
 * sessions, and "sign out everywhere" ends all.
 */
const MAX_LISTED_COOKIES = 1_000;

/**
 * Lists the live sessions of an account, most recently used first. @param validSince sessions before this revocation
 * are omitted
 */
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

/** Lists all recorded sessions of an account for support, with how and why each ended, most recently opened first. */
export function exportSessions(records: Records, uid: string, atMost?: number) {
  const { id, method, openedAt, lastSeenAt, expiresAt, endedAt, endedBy } = sessions;
  const { browser, system } = devices;
  // Bounded: the sessions of a single account, for an operator.
  return records.query((tx) => {
    const all = tx
      .select({ id, method, browser, system, openedAt, lastSeenAt, expiresAt, endedAt, endedBy })
      .from(sessions)
      .innerJoin(devices, eq(devices.id, sessions.deviceId))
      .where(eq(sessions.uid, uid))
      .orderBy(desc(sessions.openedAt), desc(sessions.id));
    return atMost === undefined ? all : all.limit(atMost);
  });
}

/**
 * Condition of `sessions`: not revoked. A session that was opened after a revocation was allowed after it, and a
 * continued session has a later proof.
 */
export function isValidSince(validSince: Date): SQL {
  return sql`greatest(${sessions.authenticatedAt}, ${sessions.openedAt}) >= ${validSince.toISOString()}::timestamp with time zone`;
}

// Browsers that skip the second factor. lib/server/session/request.ts decides for how long.

/** Reads when this browser was remembered for an account. @returns null if it is not remembered */
export function readRememberedAt(records: Records, uid: string, cookieDigest: string): Promise<Date | null> {
  return records.query(async (tx) => {
    const matches = and(eq(devices.uid, uid), eq(devices.cookieDigest, cookieDigest));
    // Bounded: a single row, by `devices_of_account`.
    const [device] = await tx.select({ rememberedAt: devices.rememberedAt }).from(devices).where(matches);
    return device?.rememberedAt ?? null;
  });
}

/** Call it in a transaction. */
export async function rememberBrowser(
  tx: Tx,
  { id, at, deviceDigest }: { id: string; at: Date; deviceDigest: string | null },
): Promise<void> {
  if (deviceDigest !== null) await tx.update(devices).set({ rememberedAt: at }).where(eq(devices.id, id));
}

/** Forgets the browsers of sessions that are revoked or ended from another session. Call it in a transaction. */
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

export type SessionCookieId = { sid: string; expiresAt: Date };

export type Ending = { uid: string; at: Date; by: Exclude<SessionEnd, 'expired'> };

/**
 * Ends a session of an account, or all but one, with the sessions derived from them. Records the event if any was live.
 * An id of another account ends nothing.
 * @param ending `announce`: writes the email with the event
 * @returns all their cookies
 */
export async function endSessions(
  records: Records,
  {
    which,
    event,
    announce,
    ...ending
  }: Ending & {
    which: { id: string } | { except: string | null };
    event: NewEvent;
    announce: (tx: Tx) => Promise<void>;
  },
): Promise<SessionCookieId[]> {
  const isOne =
    'id' in which ? eq(sessions.id, which.id) : which.except === null ? undefined : ne(sessions.id, which.except);
  const cookies = await writeAboutKnownAccount(records, ending.uid, async (tx) => {
    const ended = await endWhere(tx, ending, isOne);
    if (ended.isAny) {
      await addEvent(tx, event);
      await announce(tx);
    }
    return ended.cookies;
  });
  return cookies ?? [];
}

/**
 * Ends the live sessions of these cookies, and the sessions of the same proof. It may run late. If there is none, it
 * returns without waiting, so that ended cookies do not fill the account's queue of writes.
 * @param deviceDigest a browser whose live session is also ended, unless it got a newer cookie after `at`
 * @returns all their cookies; `isAny`: a session was still live; null if none is recorded
 */
export async function endSessionsOfCookies(
  records: Records,
  { sids, deviceDigest = null, ...ending }: Ending & { sids: readonly string[]; deviceDigest?: string | null },
): Promise<{ cookies: SessionCookieId[]; isAny: boolean } | null> {
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

/** Ends the sessions that a change of the account has revoked at the identity provider. @returns all their cookies */
export async function endRevokedSessions(
  records: Records,
  ending: Ending & { validSince: Date },
): Promise<SessionCookieId[]> {
  const ended = await writeAboutKnownAccount(records, ending.uid, (tx) =>
    endWhere(tx, ending, not(isValidSince(ending.validSince))),
  );
  return ended?.cookies ?? [];
}

/** Whether a revocation has left live sessions, because the database was unavailable or the process ended too early. */
export async function hasLeftOver(tx: Tx, { uid, validSince }: { uid: string; validSince: Date }): Promise<boolean> {
  const isLeft = and(eq(sessions.uid, uid), isNull(sessions.endedAt), not(isValidSince(validSince)));
  return (await tx.select({ id: sessions.id }).from(sessions).where(isLeft).limit(1)).length > 0;
}

/**
 * Ends sessions, and the sessions that were opened from them. Call it within `writeAboutKnownAccount`.
 * @returns all their cookies, including cookies of ended sessions; `isAny`: a session was live
 */
export async function endWhere(
  tx: Tx,
  { uid, at, by }: Ending,
  condition: SQL | undefined,
): Promise<{ cookies: SessionCookieId[]; isAny: boolean }> {
  const isOfAccount = eq(sessions.uid, uid);
  const isOfSession = eq(sessionCookies.sessionId, sessions.id);
  // A subquery, because an intruder can open a session every second and a list could be too long.
  const sids = tx
    .select({ sid: sessionCookies.sid })
    .from(sessionCookies)
    .innerJoin(sessions, isOfSession)
    .where(and(isOfAccount, condition));
  const isMeant =
    condition && or(condition, inArray(sessions.root, sids), inArray(sessions.root, listOwnRoots(tx, uid, condition)));
  // Bounded: the sessions of a single account, of which none may be omitted.
  const cookies = await tx
    .select({ sid: sessionCookies.sid, expiresAt: sessionCookies.expiresAt })
    .from(sessions)
    .innerJoin(sessionCookies, isOfSession)
    .where(and(isOfAccount, isMeant));
  if (by !== 'sign-out') await forgetBrowsers(tx, { uid, at }, isMeant);
  const ended = await tx
    .update(sessions)
    .set({ endedAt: at, endedBy: by })
    .where(and(isOfAccount, isNull(sessions.endedAt), isMeant))
    .returning({ id: sessions.id });
  const ids = ended.map(({ id }) => id);
  await announceSessionEnds(tx, ids, { uid, everywhere: condition === undefined, reason: toToldReason(by) });
  return { cookies, isAny: ended.length > 0 };
}

/**
 * Returns the proof ids of sessions that were opened before 2026-11-27. These ids have no row. The oldest session with
 * such an id is the session that the others came from.
 */
function listOwnRoots(tx: Tx, uid: string, condition: SQL) {
  const older = alias(sessions, 'older');
  const isOlder = and(eq(older.uid, uid), eq(older.root, sessions.root), lt(older.openedAt, sessions.openedAt));
  const others = tx.select({ id: older.id }).from(older).where(isOlder);
  const hasRow = eq(sessionCookies.sid, sessions.root);
  const rows = tx.select({ sid: sessionCookies.sid }).from(sessionCookies).where(hasRow);
  // Bounded: it is part of another query.
  return tx
    .select({ root: sessions.root })
    .from(sessions)
    .where(and(eq(sessions.uid, uid), condition, notExists(rows), notExists(others)));
}

// Key of an ended session's mark in the shared store. Every process reads the marks at every check (docs/adr/0004).

const getKey = (sid: string) => `ended-session:${sid}`;

/**
 * Marks a session as ended early, for all processes (docs/adr/0004).
 * @param expiresAt expiry of the cookie itself, in seconds since 1970
 */
export async function markEnded(sid: string, expiresAt: number): Promise<void> {
  const remaining = Math.ceil(expiresAt - Date.now() / 1000);
  if (remaining > 0) await getStore().set(getKey(sid), '1', Math.min(remaining, SESSION.length));
}

/** Marks all cookies of ended sessions as ended, for all processes. */
export async function markAllEnded(cookies: readonly SessionCookieId[]): Promise<void> {
  await Promise.all(cookies.map(({ sid, expiresAt }) => markEnded(sid, expiresAt.getTime() / 1000)));
}

/**
 * Ends the sessions of cookies in the records (`endSessionsOfCookies`), and marks all cookies of these sessions. Also
 * records the end of cookies without a record.
 * @returns whether a session was ended now, or null if none is recorded
 */
export async function endAndMark(
  records: Records,
  ending: Parameters<typeof endSessionsOfCookies>[1],
): Promise<boolean | null> {
  const ended = await endSessionsOfCookies(records, ending);
  await markAllEnded(ended?.cookies ?? []);
  await noteEnds(records, ending.sids);
  return ended?.isAny ?? null;
}

/**
 * Records the ends of cookies whose session record was lost in a failover or restore. Without it, these cookies would
 * be valid again once the marks are lost.
 */
async function noteEnds(records: Records, sids: readonly string[]): Promise<void> {
  const recorded = await records.query((tx) => selectSessions(tx, sids));
  const expiresAt = new Date(Date.now() + SESSION.length * 1000);
  const notes = sids
    .filter((sid) => !recorded.some((row) => row.sid === sid))
    .map((sid) => ({ challenge: getKey(sid), expiresAt }));
  if (notes.length > 0) await records.query((tx) => insertUsed(tx, notes));
}

async function isEndNoted(tx: Tx, sids: readonly string[]): Promise<boolean> {
  const { challenge } = usedChallenges;
  const noted = await tx
    .select({ challenge })
    .from(usedChallenges)
    .where(inArray(challenge, sids.map(getKey)))
    .limit(1);
  return noted.length > 0;
}

/**
 * Ends in the background the sessions that our server has revoked at the identity provider. It updates their records,
 * and marks their cookies for all processes, which otherwise notice within 20 seconds. It retries, and the next sign-in
 * ends remaining sessions (`hasLeftOver`).
 * @param at browsers that are remembered later stay remembered
 */
export function endRevokedInBackground(uid: string, by: Revocation, validSince: Date, at = new Date()): void {
  const ending = { uid, at, by, validSince };
  const write = async (records: Records) => markAllEnded(await endRevokedSessions(records, ending));
  const again = () => tryLater(`revoke ${uid} ${validSince.toISOString()}`, LATE_ENDS, write);
  writeInBackground(write, (error) => {
    void runOutsideOfRequest(again).then((done) => {
      if (done === null) reportLostEvent(error);
    });
  });
}

/** Whether any process ended any of these sessions before its expiry. @param sids of a `VerifiedCookie` */
export function isAnyEnded(sids: readonly string[]): boolean | Promise<boolean> {
  return settle(
    () => getStore().hasAny(sids.map(getKey)),
    (known) => known ?? isEndedWithoutMarks(sids),
  );
}

/**
 * Whether a process has marked any of these sessions. False if the marks cannot be read. It does not query the
 * database, so a transaction can use it.
 */
export async function hasEndMark(sids: readonly string[]): Promise<boolean> {
  return (await getStore().hasAny(sids.map(getKey))) ?? false;
}

/** Maximum concurrent lookups of a process. Beyond it, only the marks of this process decide. */
const MAX_LOOKUPS = 20;
let lookups = 0;

/**
 * Reads ended sessions from the records while the marks of other processes cannot be read, because the shared store or
 * a node of its cluster is down. Bounded, so that the database does not become unavailable, too.
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

/** How long a check waits for the records. */
const RECORDS_TIMEOUT_MS = 1_000;

/**
 * `isLive`: the first session is recorded and live. `isToldDisabled`: receivers were notified that the account is
 * disabled, and it has not been found enabled since.
 */
type RecordedEnd = { isEnded: boolean; isLive: boolean; isToldDisabled: boolean };

/**
 * Whether any of these sessions was ended according to the records, because the store can lose the marks. While the
 * database is unavailable, only the marks decide (docs/adr/0004).
 */
export async function findEndInRecords(sids: readonly string[]): Promise<RecordedEnd> {
  const unknown = { isEnded: false, isLive: false, isToldDisabled: false };
  try {
    return await withRecords((records) => readEnd(records, sids), RECORDS_TIMEOUT_MS);
  } catch (error) {
    if (isApiProblem(error) && error.code === 'records-unavailable') return unknown;
    throw error;
  }
}

/** Reads from the records whether a session was ended. */
export async function readEnd(records: Records, sids: readonly string[]): Promise<RecordedEnd> {
  const { own, isEnded } = await findSession(records, sids, new Date());
  return { isEnded, isLive: own?.isLive ?? false, isToldDisabled: own?.isToldDisabled ?? false };
}

/** Whether any of these sessions was ended before its expiry, according to the marks or the records. */
export async function wasEnded(sids: readonly string[]): Promise<boolean> {
  const [isMarked, { isEnded }] = await Promise.all([isAnyEnded(sids), findEndInRecords(sids)]);
  return isMarked || isEnded;
}
