import { and, desc, eq, gt, inArray, isNull, lt, max, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { randomUUID } from 'node:crypto';
import {
  addNotice,
  addUnsentNotice,
  countInAnHour,
  MAX_IN_AN_HOUR,
  cancelFactorReset,
  toNoticeBrand,
  type EmailContext,
} from '@/lib/server/notifications';
import type { ClientDescription } from '@/lib/server/runtime';
import {
  accounts,
  addEvent,
  authenticatorApps,
  devices,
  endClientSessions,
  endRevokedInBackground,
  endWhere,
  firstProof,
  hasAnyCookie,
  hasEndMark,
  hasLeftOver,
  isProofEnded,
  isValidSince,
  markAllEnded,
  jobs,
  pendingSignIns,
  recoveryCodes,
  rememberBrowser,
  sessionCookies,
  sessions,
  updateMethods,
  writeAboutAccount,
  type NewEvent,
  type Records,
  type SessionCookieId,
  type SessionEnd,
  type Tx,
} from '@/lib/server/storage';
import { storeSignInLanguage, type SignInLanguage } from './account-language';
import { passPendingSignIn } from './pending-sign-in';

// Queries about sessions and their devices. Other modules of lib/server/session decide which sessions are opened,
// continued or ended.

/** A cookie of a session and its sign-in. */
type SessionOpening = {
  uid: string;
  at: Date;
  sid: string;
  /** Expiry of the cookie. */
  expiresAt: Date;
  method: string | null;
  root: string | null;
  /** The id that was made for the proof that opened this session. Null if there is none. */
  proofId: string | null;
  authenticatedAt: Date;
  /** The time of the user's own proof, which may be earlier than a renewal by our server. */
  firstAuthenticatedAt: Date;
  client: ClientDescription;
};

export type NewSession = SessionOpening & {
  /** Null for a browser that keeps no secret. */
  deviceDigest: string | null;
  events: readonly Pick<NewEvent, 'kind' | 'read'>[];
  isSignIn: boolean;
  /** The time of the user's proof. Null if it may have opened a session that the owner ended. */
  freshProof: Date | null;
  /** Number of factors that the user has shown. */
  assurance: 1 | 2;
  /** Whether this browser has shown the second factor before and may skip it. */
  isRemembered: boolean;
  /** Whether this browser may skip the second factor from now on. */
  remembersBrowser: boolean;
  /** Digest of the browser's sign-in that waits for its second factor. Null if none waits. */
  pending: string | null;
  /** When all sessions of the account were revoked. */
  validSince: Date;
  /** Null if only one language is offered. */
  language: SignInLanguage | null;
  /**
   * Whether it completes the account's registration, or is the first sign-in by the provider that created the account.
   * Then the owner is not notified.
   */
  isRegistration: boolean;
  /** Notifies the owner if the account is used on a new browser. Null for no notice. */
  announce: ((tx: Tx, sessionId: string) => Promise<void>) | null;
};

/**
 * `announced`: recorded, with a notice to the owner. `taken`: another session has this cookie. `ended`: the session for
 * this cookie was ended. `second-factor`: the account has a second factor, which was not shown.
 */
export type OpeningResult = 'recorded' | 'announced' | 'taken' | 'ended' | 'second-factor';

/**
 * Records a sign-in in one transaction: device, session, cookie and events. A browser that has a live session of the
 * account keeps it and gets another cookie. If the session already has the cookie, only the events are recorded.
 * @throws RecordsError; ApiProblem `too-many-requests`, as all writes of this module
 */
export async function recordSession(records: Records, opening: NewSession): Promise<OpeningResult> {
  const { uid, at, client } = opening;
  // Marked after the transaction, because it can run again or fail.
  let signedOut: readonly SessionCookieId[] = [];
  let isAnyLeft = false;
  const result: OpeningResult = await writeAboutAccount(records, opening, async (tx, account) => {
    [signedOut, isAnyLeft] = [[], false];
    // The session may have ended while this sign-in waited for the account. It must not join a newer session of its
    // browser.
    if (await hasEndMark([opening.sid, ...(opening.root === null ? [] : [opening.root])])) return 'ended';
    // The account's claim was checked before. It can be missing if an operator has replaced all claims.
    if (account.secondFactorSince !== null && opening.assurance < 2 && !opening.isRemembered) return 'second-factor';
    // Checked before, and again now that no other write can change the account. The owner may have ended sessions in
    // between.
    if (opening.freshProof !== null && (await isProofEnded(tx, uid, opening.freshProof))) return 'ended';
    const holder = await findHolder(tx, opening.sid);
    const device = await findDevice(tx, opening);
    const { live, ended } = device === null ? { live: null, ended: [] } : await findLiveSession(tx, device, opening);
    signedOut = ended;
    isAnyLeft = await hasLeftOver(tx, opening);
    // With events, this is the sign-in of a cookie that a later sign-in has already recorded.
    if (holder !== null && (holder !== live || opening.events.length === 0))
      return holder === live ? 'recorded' : 'taken';
    // This is a passkey or an organization's own sign-in. Codes cancel the reset when they are used.
    if (opening.isSignIn && opening.assurance === 2) await cancelFactorReset(tx, opening);
    await markEnabled(tx, uid, account);
    const isNewBrowser = device === null;
    // An unknown account does not make the browser the owner's. A registration is completed once, so a second browser
    // cannot complete it.
    const isRegistration = opening.isRegistration && !(await hasDevice(tx, uid));
    const isAnnounced = isNewBrowser && !isRegistration && opening.announce !== null;
    const deviceId = device ?? (await insertDevice(tx, opening, isAnnounced || isRegistration));
    const sessionId = live ?? (await insertSession(tx, opening, deviceId));
    if (live !== null) await updateSession(tx, live, opening);
    if (device !== null) await updateDevice(tx, device, opening);
    if (opening.remembersBrowser) await rememberBrowser(tx, { ...opening, id: deviceId });
    if (opening.pending !== null) {
      await passPendingSignIn(tx, opening, opening.pending);
      await attributeSetUp(tx, { uid, digest: opening.pending, addedIn: deviceId });
    }
    await insertCookies(tx, sessionId, opening);
    for (const { kind, read } of opening.events) {
      await addEvent(tx, { uid, kind, at, client, ...(opening.method !== null && { method: opening.method }) });
      if (read) await updateMethods(tx, account, { uid, at, read, addedIn: deviceId });
    }
    if (opening.language) await storeSignInLanguage(tx, opening, opening.language);
    if (!isAnnounced) return 'recorded';
    await opening.announce?.(tx, sessionId);
    return 'announced';
  });
  await markAllEnded(signedOut);
  // Outside the transaction, because there can be any number of sessions and the sign-in does not depend on them.
  if (isAnyLeft) endRevokedInBackground(uid, 'revoked-since-proof', opening.validSince, opening.validSince);
  return result;
}

/** Adds a cookie to a live session, for a renewal. */
export function continueSession(records: Records, sessionId: string, opening: SessionOpening): Promise<OpeningResult> {
  return writeAboutAccount(records, opening, async (tx, account) => {
    const isThis = and(eq(sessions.id, sessionId), eq(sessions.uid, opening.uid), isNull(sessions.endedAt));
    const [session] = await tx.select({ deviceId: sessions.deviceId }).from(sessions).where(isThis);
    if (!session) return 'ended';
    const holder = await findHolder(tx, opening.sid);
    if (holder !== null) return holder === sessionId ? 'recorded' : 'taken';
    await markEnabled(tx, opening.uid, account);
    await updateSession(tx, sessionId, opening);
    await updateDevice(tx, session.deviceId, opening);
    // The renewed cookie shares the session's proof. The mobile app must not take a proof from before the records,
    // which has no row.
    await insertCookies(tx, sessionId, { ...opening, proofId: null });
    return 'recorded';
  });
}

/**
 * Records that a browser has used its session, unless a recent use is already recorded.
 * @param since a use after this time is not recorded again
 */
export function touchSession(
  records: Records,
  { sid, at, since, client }: { sid: string; at: Date; since: Date; client: ClientDescription },
): Promise<void> {
  return records.transact(async (tx) => {
    const [touched] = await tx
      .update(sessions)
      .set({ lastSeenAt: at, network: client.network })
      .where(and(hasAnyCookie(tx, [sid]), lt(sessions.lastSeenAt, since), isNull(sessions.endedAt)))
      .returning({ deviceId: sessions.deviceId });
    if (touched) await updateDevice(tx, touched.deviceId, { at, client });
  });
}

/** An account that gets a session is enabled. If it is disabled again, webhook receivers must be notified again. */
async function markEnabled(tx: Tx, uid: string, account: { disabledToldAt: Date | null }): Promise<void> {
  if (account.disabledToldAt !== null)
    await tx.update(accounts).set({ disabledToldAt: null }).where(eq(accounts.uid, uid));
}

async function findHolder(tx: Tx, sid: string): Promise<string | null> {
  const matches = eq(sessionCookies.sid, sid);
  const [holder] = await tx.select({ id: sessionCookies.sessionId }).from(sessionCookies).where(matches);
  return holder?.id ?? null;
}

/** Sets the browser of a second factor that was set up during this sign-in, because it is known only now. */
async function attributeSetUp(
  tx: Tx,
  { uid, digest, addedIn }: { uid: string; digest: string; addedIn: string },
): Promise<void> {
  const passedAt = tx
    .select({ at: pendingSignIns.passedAt })
    .from(pendingSignIns)
    .where(and(eq(pendingSignIns.digest, digest), eq(pendingSignIns.uid, uid)));
  for (const table of [authenticatorApps, recoveryCodes])
    await tx
      .update(table)
      .set({ addedIn })
      .where(and(eq(table.uid, uid), isNull(table.addedIn), inArray(table.confirmedAt, passedAt)));
}

/**
 * Finds the browser as a device of the account. Null for its first sign-in, and always for a browser that keeps no
 * secret.
 */
async function findDevice(tx: Tx, { uid, deviceDigest }: NewSession): Promise<string | null> {
  if (deviceDigest === null) return null;
  const matches = and(eq(devices.uid, uid), eq(devices.cookieDigest, deviceDigest));
  // Bounded: one row, by `devices_of_account`.
  const [device] = await tx.select({ id: devices.id }).from(devices).where(matches);
  return device?.id ?? null;
}

async function hasDevice(tx: Tx, uid: string): Promise<boolean> {
  const [known] = await tx.select({ id: devices.id }).from(devices).where(eq(devices.uid, uid)).limit(1);
  return known !== undefined;
}

/** Maximum number of a session's cookies whose end marks are read. */
const MAX_ASKED = 100;

/**
 * Finds the live session of a device. It ends an expired session, which would otherwise block a new session of the
 * browser. It also ends a session that was signed out or revoked while its record could not be updated, because another
 * cookie would revive it.
 */
async function findLiveSession(
  tx: Tx,
  deviceId: string,
  { uid, at, validSince }: NewSession,
): Promise<{ live: string | null; ended: readonly SessionCookieId[] }> {
  const isLive = and(eq(sessions.deviceId, deviceId), isNull(sessions.endedAt));
  // Bounded: one row, by `live_session_of_device`.
  const { id, expiresAt } = sessions;
  const isValid = sql<boolean>`${isValidSince(validSince)}`;
  const [live] = await tx.select({ id, expiresAt, isValid }).from(sessions).where(isLive);
  if (!live) return { live: null, ended: [] };
  if (live.expiresAt > at) {
    const isOfLive = and(eq(sessionCookies.sessionId, live.id), gt(sessionCookies.expiresAt, at));
    const newest = desc(sessionCookies.expiresAt);
    // Newest first, because a browser signs out with its newest cookie.
    const cookies = await tx
      .select({ sid: sessionCookies.sid })
      .from(sessionCookies)
      .where(isOfLive)
      .orderBy(newest)
      .limit(MAX_ASKED);
    const isSignedOut = await hasEndMark(cookies.map(({ sid }) => sid));
    if (live.isValid && !isSignedOut) return { live: live.id, ended: [] };
    const by = live.isValid ? 'sign-out' : 'revoked-since-proof';
    const ended = await endWhere(tx, { uid, at, by }, eq(sessions.id, live.id));
    return { live: null, ended: ended.cookies };
  }
  await tx
    .update(sessions)
    .set({ endedAt: live.expiresAt, endedBy: 'expired' satisfies SessionEnd })
    .where(eq(sessions.id, live.id));
  // A client can have kept its own session alive by using it. Later ends do not include this session any more.
  await endClientSessions(tx, [live.id], { uid, everywhere: false });
  return { live: null, ended: [] };
}

async function insertDevice(
  tx: Tx,
  { uid, at, client, deviceDigest }: NewSession,
  isIntroduced: boolean,
): Promise<string> {
  const id = randomUUID();
  const { browser, system } = client;
  await tx
    .insert(devices)
    .values({ id, uid, cookieDigest: deviceDigest, browser, system, isIntroduced, firstSeenAt: at, lastSeenAt: at });
  return id;
}

/** The browser's description changes with an update of its system. */
async function updateDevice(tx: Tx, id: string, { at, client }: Pick<SessionOpening, 'at' | 'client'>): Promise<void> {
  const { browser, system } = client;
  await tx
    .update(devices)
    .set({ lastSeenAt: at, ...(browser !== null && { browser }), ...(system !== null && { system }) })
    .where(eq(devices.id, id));
}

async function insertSession(tx: Tx, opening: SessionOpening, deviceId: string): Promise<string> {
  const { uid, at, method, root, authenticatedAt, firstAuthenticatedAt, expiresAt, client } = opening;
  const id = randomUUID();
  await tx.insert(sessions).values({
    id,
    uid,
    deviceId,
    method,
    root,
    authenticatedAt,
    firstAuthenticatedAt,
    openedAt: at,
    lastSeenAt: at,
    expiresAt,
    network: client.network,
  });
  return id;
}

/** Concurrent sign-ins and renewals arrive in any order. So these times only rise, and the first proof only falls. */
async function updateSession(
  tx: Tx,
  id: string,
  { at, method, authenticatedAt, firstAuthenticatedAt, expiresAt, client }: SessionOpening,
): Promise<void> {
  const later = (column: (typeof sessions)['expiresAt' | 'authenticatedAt' | 'lastSeenAt' | 'renewedAt'], time: Date) =>
    sql`greatest(${column}, ${time.toISOString()}::timestamp with time zone)`;
  await tx
    .update(sessions)
    .set({
      ...(method !== null && { method }),
      authenticatedAt: later(sessions.authenticatedAt, authenticatedAt),
      firstAuthenticatedAt: sql`least(${firstProof}, ${firstAuthenticatedAt.toISOString()}::timestamp with time zone)`,
      expiresAt: later(sessions.expiresAt, expiresAt),
      renewedAt: later(sessions.renewedAt, at),
      lastSeenAt: later(sessions.lastSeenAt, at),
      network: client.network,
    })
    .where(eq(sessions.id, id));
}

/**
 * Also inserts the id of the proof. Sessions that come from this session carry that id and end with it, and no other
 * session can take it.
 */
async function insertCookies(tx: Tx, sessionId: string, { sid, proofId, expiresAt }: SessionOpening): Promise<void> {
  const cookies = [{ sid, expiresAt }, ...(proofId === null ? [] : [{ sid: proofId, expiresAt }])];
  await tx
    .insert(sessionCookies)
    .values(cookies.map((cookie) => ({ ...cookie, sessionId })))
    .onConflictDoUpdate({
      target: sessionCookies.sid,
      set: { expiresAt: sql`greatest(${sessionCookies.expiresAt}, excluded.expires_at)` },
      setWhere: sql`${sessionCookies.sessionId} = excluded.session_id`,
    });
}

type Announcement = {
  uid: string;
  email: string;
  at: Date;
  client: ClientDescription;
  emailContext: EmailContext;
};

/**
 * Writes the email about a sign-in on a new browser of the account, in the transaction that records the session
 * (docs/adr/0029). After five emails in an hour without a disavowal, no email is sent, but the browser is still in
 * question.
 * @param session the session's id in the records
 */
export async function notifyOfSignIn(
  tx: Tx,
  session: string,
  { uid, email: to, at, client: { browser, system }, emailContext }: Announcement,
): Promise<void> {
  const email = { kind: 'new-sign-in', uid, session, at: at.toISOString(), browser, system } as const;
  if ((await countRecentAnnouncements(tx, uid)) >= MAX_IN_AN_HOUR)
    return addUnsentNotice(tx, { uid, key: session, kind: email.kind });
  await addNotice(tx, { uid, key: session, body: { channel: 'email', to, email, brand: toNoticeBrand(emailContext) } });
}

/**
 * Counts since the account's last disavowal. After a disavowal, new sign-ins are emailed, however many the intruder had
 * made before.
 */
async function countRecentAnnouncements(tx: Tx, uid: string): Promise<number> {
  const [last] = await tx
    .select({ at: max(sessions.disavowedAt) })
    .from(sessions)
    .where(eq(sessions.uid, uid));
  return countInAnHour(tx, { uid, kind: 'new-sign-in', since: last?.at ?? null });
}

/** Condition of `jobs`: the job is about a sign-in of the account on a new browser, emailed or not. */
export const isAnnouncement = (uid: string) => and(eq(jobs.uid, uid), eq(jobs.kind, 'new-sign-in'));
/** Condition of `jobs`: the job is about a session. @param id column with the session's id */
export const isAbout = (id: PgColumn) => eq(jobs.key, sql`${id}::text`);
