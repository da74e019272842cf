import { and, desc, eq, gt, inArray, isNull, lt, max, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { randomUUID } from 'node:crypto';
import {
  addNotice,
  addUnsentNotice,
  countInAnHour,
  MAX_IN_AN_HOUR,
  cancelReset,
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
  notices,
  pendingSignIns,
  recoveryCodes,
  rememberBrowser,
  sessionCookies,
  sessions,
  storeSignInLanguage,
  updateMethods,
  writeAboutAccount,
  type NewEvent,
  type Records,
  type SessionCookie,
  type SessionEnd,
  type SignInLanguage,
  type Tx,
} from '@/lib/server/storage';
import { passPendingSignIn } from './pending-sign-in';

// Queries about sessions and their devices. What may be opened, continued or ended is decided in lib/server/session.

/** A cookie of a session, and the sign-in that it stands for. */
type SessionOpening = {
  uid: string;
  at: Date;
  sid: string;
  /** Of the cookie. */
  expiresAt: Date;
  method: string | null;
  root: string | null;
  /** The id that was made for its proof, of which this is the session; null when there is none. */
  proofId: string | null;
  authenticatedAt: Date;
  /** The user's own proof, which may be earlier than a renewal by our server. */
  firstAuthenticatedAt: Date;
  client: ClientDescription;
};

export type NewSession = SessionOpening & {
  /** Null for a browser that keeps no secret. */
  deviceDigest: string | null;
  /** The browser's cookie of before, for a session that was not recorded when it was opened. */
  previous: { sid: string; expiresAt: Date } | null;
  events: readonly Pick<NewEvent, 'kind' | 'read'>[];
  isSignIn: boolean;
  /** The time of the user's proof; null when it may have opened a session that the owner ended. */
  freshProof: Date | null;
  /** How many factors the user has shown. */
  assurance: 1 | 2;
  /** This browser has shown the second factor before. */
  isRemembered: boolean;
  /** It is remembered from now on. */
  remembersBrowser: boolean;
  /** Digest of the browser's sign-in that waits for its second factor; null when none does. */
  pending: string | null;
  /** When all sessions of the account were revoked. */
  validSince: Date;
  /** Null where there is one language. */
  language: SignInLanguage | null;
  /** It completes the account's registration, or is the first one by the provider that has created the account: the owner is not told of it. */
  isRegistration: boolean;
  /** Tells the owner, when the account is used on a new browser; null: no notice. */
  announce: ((tx: Tx, sessionId: string) => Promise<void>) | null;
};

/**
 * `announced`: recorded, with a notice to the owner; `taken`: another session has this cookie; `ended`: the session that
 * should have got it was ended; `second-factor`: the account has one, which was not shown.
 */
export type OpeningResult = 'recorded' | 'announced' | 'taken' | 'ended' | 'second-factor';

/**
 * Records a sign-in: device, session, cookie and events in one transaction. A browser that has a live session of the account
 * keeps it, with one cookie more. A cookie that the session has already records nothing more, but the events.
 * @throws RecordsError; ApiProblem `too-many-requests`, as all writes of this module
 */
export async function recordSession(records: Records, opening: NewSession): Promise<OpeningResult> {
  const { uid, at, client } = opening;
  // Marked once that is written: a transaction can run again, or fail.
  let signedOut: readonly SessionCookie[] = [];
  let isAnyLeft = false;
  const result: OpeningResult = await writeAboutAccount(records, opening, async (tx, account) => {
    [signedOut, isAnyLeft] = [[], false];
    // While it waited for the account: it must not join what its browser has opened since.
    if (await hasEndMark([opening.sid, ...(opening.root === null ? [] : [opening.root])])) return 'ended';
    // The account's claim decides before. It can be missing: an operator may have replaced all claims.
    if (account.secondFactorSince !== null && opening.assurance < 2 && !opening.isRemembered) return 'second-factor';
    // Asked before, and once more now that nothing else changes the account: the owner may end sessions meanwhile.
    if (opening.freshProof !== null && (await isProofEnded(tx, uid, opening.freshProof))) return 'ended';
    const holder = await findHolder(tx, opening.sid);
    const device = await findDevice(tx, opening);
    const { live, ended } = device === null ? { live: null, ended: [] } : await findLiveSession(tx, device, opening);
    signedOut = ended;
    isAnyLeft = await hasLeftOver(tx, opening);
    // With events: the sign-in of a cookie that a later one has had recorded as its own.
    if (holder !== null && (holder !== live || opening.events.length === 0))
      return holder === live ? 'recorded' : 'taken';
    // A passkey, or an organization's own sign-in: codes cancel it as they are used up.
    if (opening.isSignIn && opening.assurance === 2) await cancelReset(tx, opening);
    await markEnabled(tx, uid, account);
    const isNewBrowser = device === null;
    // That nothing is known of the account does not make it the owner's.
    const isAnnounced = isNewBrowser && !opening.isRegistration && opening.announce !== null;
    const deviceId = device ?? (await insertDevice(tx, opening, isAnnounced || opening.isRegistration));
    const sessionId = live ?? (await insertSession(tx, opening, deviceId));
    if (live !== null) await updateSession(tx, live, opening);
    if (device !== null) await updateDevice(tx, device, opening);
    if (opening.remembersBrowser) await rememberBrowser(tx, { ...opening, id: deviceId });
    if (opening.pending !== null) {
      await passPendingSignIn(tx, opening, opening.pending);
      await attributeSetUp(tx, { uid, digest: opening.pending, addedIn: deviceId });
    }
    await insertCookies(tx, sessionId, opening, opening.previous);
    for (const { kind, read } of opening.events) {
      await addEvent(tx, { uid, kind, at, client, ...(opening.method !== null && { method: opening.method }) });
      if (read) await updateMethods(tx, account, { uid, at, read, addedIn: deviceId });
    }
    if (opening.language) await storeSignInLanguage(tx, uid, opening.language, isNewBrowser);
    if (!isAnnounced) return 'recorded';
    await opening.announce?.(tx, sessionId);
    return 'announced';
  });
  await markAllEnded(signedOut);
  // Not in the transaction: there can be any number of them, and the sign-in does not depend on them.
  if (isAnyLeft) endRevokedInBackground(uid, opening.validSince, opening.validSince);
  return result;
}

/** Adds a cookie to a session that is live: a renewal. */
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
    // Its proof is that of the session: of one from before, which has no row, the mobile app must not take it.
    await insertCookies(tx, sessionId, { ...opening, proofId: null });
    return 'recorded';
  });
}

/**
 * Records that a browser has used its session, unless that is recorded of the last while.
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

/** An account that gets a session is not disabled: once it is again, receivers of webhooks are told again. */
async function markEnabled(tx: Tx, uid: string, account: { disabledToldAt: Date | null }): Promise<void> {
  if (account.disabledToldAt !== null)
    await tx.update(accounts).set({ disabledToldAt: null }).where(eq(accounts.uid, uid));
}

async function findHolder(tx: Tx, sid: string): Promise<string | null> {
  const matches = eq(sessionCookies.sid, sid);
  const [holder] = await tx.select({ id: sessionCookies.sessionId }).from(sessionCookies).where(matches);
  return holder?.id ?? null;
}

/** A second factor that was set up at this very sign-in was added in its browser, which is known only now. */
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

/** The browser as a device of the account; null for its first sign-in, and always for one that keeps no secret. */
async function findDevice(tx: Tx, { uid, deviceDigest }: NewSession): Promise<string | null> {
  if (deviceDigest === null) return null;
  const matches = and(eq(devices.uid, uid), eq(devices.cookieDigest, deviceDigest));
  // Bounded: one row, by `devices_of_account`.
  const [device] = await tx.select({ id: devices.id }).from(devices).where(matches);
  return device?.id ?? null;
}

/** Cookies of a session whose marks are asked for. */
const MAX_ASKED = 100;

/**
 * One that has expired is ended: it would keep the browser from having another one. So is one that was signed out, or revoked, while its
 * record could not be ended: with another cookie it would live on.
 */
async function findLiveSession(
  tx: Tx,
  deviceId: string,
  { uid, at, validSince }: NewSession,
): Promise<{ live: string | null; ended: readonly SessionCookie[] }> {
  const isLive = and(eq(sessions.deviceId, deviceId), isNull(sessions.endedAt));
  // Bounded: one row, by `live_session_of_device`.
  const { id, expiresAt } = sessions;
  const isValid = sql<boolean>`${isValidSince(validSince)}`;
  const [live] = await tx.select({ id, expiresAt, isValid }).from(sessions).where(isLive);
  if (!live) return { live: null, ended: [] };
  if (live.expiresAt > at) {
    const isOfLive = and(eq(sessionCookies.sessionId, live.id), gt(sessionCookies.expiresAt, at));
    const newest = desc(sessionCookies.expiresAt);
    // A browser signs out with its newest cookie.
    const cookies = await tx
      .select({ sid: sessionCookies.sid })
      .from(sessionCookies)
      .where(isOfLive)
      .orderBy(newest)
      .limit(MAX_ASKED);
    const isSignedOut = await hasEndMark(cookies.map(({ sid }) => sid));
    if (live.isValid && !isSignedOut) return { live: live.id, ended: [] };
    const by = live.isValid ? 'sign-out' : 'revoked';
    const ended = await endWhere(tx, { uid, at, by }, eq(sessions.id, live.id));
    return { live: null, ended: ended.cookies };
  }
  await tx
    .update(sessions)
    .set({ endedAt: live.expiresAt, endedBy: 'expired' satisfies SessionEnd })
    .where(eq(sessions.id, live.id));
  // A client can have kept its own session alive by use: later ends do not name this one any more.
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

/** The name of the browser changes with an update of its system. */
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

/** Concurrent sign-ins and renewals of a browser come in any order: times only rise, and the first proof only falls. */
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

/** With the id of its proof, which ends it as they do: the sessions that come from it have that, and no other one takes it. */
async function insertCookies(
  tx: Tx,
  sessionId: string,
  { sid, proofId, expiresAt }: SessionOpening,
  previous: SessionCookie | null = null,
): Promise<void> {
  const cookies = [
    { sid, expiresAt },
    ...(proofId === null ? [] : [{ sid: proofId, expiresAt }]),
    ...(previous === null || previous.sid === sid ? [] : [previous]),
  ];
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
 * Writes the email about a sign-in on a browser that the account has not been used on, in the transaction that records the
 * session (docs/adr/0029). After five in an hour that were not disavowed none is sent; the browser is in question all the same.
 * @param session its id in the records
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

/** Of an account, since the last disavowal: after one the next ones are emailed, however many an intruder had made before. */
async function countRecentAnnouncements(tx: Tx, uid: string): Promise<number> {
  const [last] = await tx
    .select({ at: max(sessions.disavowedAt) })
    .from(sessions)
    .where(eq(sessions.uid, uid));
  return countInAnHour(tx, { uid, kind: 'new-sign-in', since: last?.at ?? null });
}

/** Condition of `notices`: those about sign-ins of an account on new browsers, emailed or not. */
export const isAnnouncement = (uid: string) => and(eq(notices.uid, uid), eq(notices.kind, 'new-sign-in'));
/** Condition of `notices`: those about a session. @param id column with its id */
export const isAbout = (id: PgColumn) => eq(notices.key, sql`${id}::text`);
