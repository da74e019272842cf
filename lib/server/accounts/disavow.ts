import { and, desc, eq, exists, gt, gte, isNull, min, ne, notExists, or, sql, type SQL } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { DISAVOWAL_MS, readDisavowalLink, sealDisavowalLink, toLinkState, type SignInRef } from '@/lib/server/codes';
import {
  changeJudgedAccount,
  evictAccount,
  findById,
  freezeAccount,
  providerUnavailable,
  restoreProvedEmail,
  withAccountLock,
} from '@/lib/server/identity';
import { cancelDeletion, cancelReset, readDeletion, wakeOutbox } from '@/lib/server/notifications';
import { getProvedEmail, isStorable, type Account, type ClaimsEdit } from '@/lib/server/policy';
import { setRequestAccount, type ClientDescription } from '@/lib/server/runtime';
import { removeSuspectFactors } from '@/lib/server/second-factor';
import { isAbout, isAnnouncement, type LiveSession } from '@/lib/server/session';
import {
  accounts,
  addEvent,
  devices,
  endWhere,
  events,
  markAllEnded,
  notices,
  recordRemovedMethod,
  removeSuspectPasskeys,
  sessionCookies,
  sessions,
  withRecords,
  writeAboutKnownAccount,
  type Ending,
  type NewEvent,
  type Records,
  type SessionCookie,
  type Tx,
} from '@/lib/server/storage';
import type { AnnouncedSignIn } from '@/lib/shared/account/email-action';
import { ApiProblem, isApiProblem } from '@/lib/shared/problem';

/** By whom a sign-in is checked: the session of a cookie. */
type Checker = { uid: string; sid: string };
type UncheckedSignIn = { id: string; openedAt: Date; browser: string | null; system: string | null };

/** More than these are not asked about at once: the list of devices has all. */
const MAX_CHECKS = 3;

/** How long "It was me" can be corrected: pressed by mistake, it must not outweigh the answer that secures the account. */
const CORRECTION_MS = 60_000;

/**
 * Sign-ins that were announced to the owner within 10 days and that nothing was said about, the last one first, ended or not: who ended one
 * may be the intruder in another browser. Only a browser in which the account was used before such a sign-in is asked, which was itself announced or has
 * registered the account, and none that is asked about itself: an intruder must not answer for the owner, nor disavow, which would undo the links that the owner has got.
 */
export function listUncheckedSignIns(records: Records, checker: Checker, now: Date): Promise<UncheckedSignIn[]> {
  return records.transact((tx) => readSignIns(tx, checker, now, isNull(sessions.acknowledgedAt)));
}

/** @param which of the sign-ins that this browser may be asked about */
async function readSignIns(
  tx: Tx,
  { uid, sid }: Checker,
  now: Date,
  which: SQL | undefined,
): Promise<UncheckedSignIn[]> {
  const since = new Date(now.getTime() - DISAVOWAL_MS);
  const first = alias(sessions, 'first');
  const inQuestion = tx
    .select({ id: first.id })
    .from(first)
    .innerJoin(notices, and(isAnnouncement(uid), isAbout(first.id)))
    .where(
      and(eq(first.uid, uid), eq(first.deviceId, devices.id), gt(first.openedAt, since), isNull(first.acknowledgedAt)),
    );
  const [own] = await tx
    .select({ deviceId: devices.id, firstSeenAt: devices.firstSeenAt })
    .from(sessionCookies)
    .innerJoin(sessions, eq(sessions.id, sessionCookies.sessionId))
    .innerJoin(devices, eq(devices.id, sessions.deviceId))
    .where(
      and(eq(sessionCookies.sid, sid), eq(sessions.uid, uid), eq(devices.isIntroduced, true), notExists(inQuestion)),
    )
    .limit(1);
  if (!own) return [];
  const announcement = tx
    .select({ id: notices.id })
    .from(notices)
    .where(and(isAnnouncement(uid), isAbout(sessions.id)));
  return tx
    .select({ id: sessions.id, openedAt: sessions.openedAt, browser: devices.browser, system: devices.system })
    .from(sessions)
    .innerJoin(devices, eq(devices.id, sessions.deviceId))
    .where(
      and(
        eq(sessions.uid, uid),
        ne(sessions.deviceId, own.deviceId),
        gt(sessions.openedAt, own.firstSeenAt),
        gt(sessions.openedAt, since),
        isNull(sessions.disavowedAt),
        which,
        exists(announcement.limit(1)),
      ),
    )
    .orderBy(desc(sessions.openedAt))
    .limit(MAX_CHECKS);
}

/**
 * The owner's answer to "Was this you?" on /security. Either answer needs a session alone: "It was me" changes nothing but the
 * question, and "This wasn't me" is the link of the email about the sign-in, which removes only what was added since. It corrects the other
 * answer for a minute: both can be on their way.
 * @returns the code of that link for a sign-in that was not the owner's
 * @throws ApiProblem `not-found` without records, and for a sign-in that this session is not asked about; `records-unavailable`
 */
export function checkSignIn(
  { sid, status: { uid } }: LiveSession,
  { session: id, isOwn }: { session: string; isOwn: boolean },
): Promise<{ code?: string }> {
  return withRecords(async (records) => {
    const now = new Date();
    const found = await records.transact(async (tx) => {
      const corrected = gt(sessions.acknowledgedAt, new Date(now.getTime() - CORRECTION_MS));
      const isOpen = or(isNull(sessions.acknowledgedAt), isOwn ? undefined : corrected);
      const [signIn] = await readSignIns(tx, { uid, sid }, now, and(eq(sessions.id, id), isOpen));
      if (signIn && isOwn) await tx.update(sessions).set({ acknowledgedAt: now }).where(eq(sessions.id, id));
      return signIn;
    });
    // Also of a sign-in that this session is not asked about: then nothing is recorded.
    if (isOwn) return {};
    if (!found) throw new ApiProblem('not-found');
    return { code: await sealDisavowalLink({ uid, session: id, at: found.openedAt.toISOString(), to: '' }) };
  });
}

/** An intruder who knows the password may go on while the account is restored, once: restoring removes the password. */
const TRIES = 2;

/** The state of a link that disavows a sign-in; opening it changes nothing: email scanners open links, too. */
export async function inspectDisavowalLink(code: string): Promise<AnnouncedSignIn> {
  try {
    return await withRecords(async (records) => {
      const signIn = await readAnnouncedSignIn(records, await readDisavowalLink(code));
      if (signIn === null) return { state: 'invalid' };
      const { openedAt, browser, system } = signIn;
      if (signIn.disavowedAt !== null) return { state: 'done' };
      return { state: 'open', at: openedAt.toISOString(), browser, system };
    });
  } catch (error) {
    return { state: toLinkState(error) };
  }
}

/**
 * Undoes a sign-in that its owner did not make (docs/adr/0029): all sessions and tokens of the account end, what an
 * intruder may have added is removed, a proved email restored, a deletion requested since canceled, and all browsers are
 * forgotten, so that another sign-in there is announced again. It creates no session. Each step can be repeated after an
 * interruption; done once, it does nothing more.
 * @returns the owner's email, for the new password that comes next; null if the account has none
 * @throws ApiProblem `action-code-expired`, `action-code-invalid`; `not-found` without records, `records-unavailable`, 503
 */
export function disavowSignIn(code: string, client: ClientDescription): Promise<string | null> {
  return withRecords(async (records) => {
    const link = await readDisavowalLink(code);
    setRequestAccount(link.uid);
    await revokeAtOnce(records, link);
    const email = await withAccountLock(link.uid, () => disavow(records, link, client));
    wakeOutbox();
    return email;
  });
}

/**
 * An intruder's changes must not keep the disavowal waiting: before it waits for them, it takes their sessions. A freeze, since a
 * revocation would end that of the change that it waits for.
 */
async function revokeAtOnce(records: Records, { uid, session }: SignInRef): Promise<void> {
  const signIn = await readAnnouncedSignIn(records, { uid, session });
  if (signIn === null || signIn.disavowedAt !== null || (await findById(uid)) === null) return;
  await freezeAccount(uid);
  evictAccount(uid);
}

async function disavow(
  records: Records,
  { uid, session, to }: SignInRef,
  client: ClientDescription,
): Promise<string | null> {
  const signIn = await readAnnouncedSignIn(records, { uid, session });
  const requestedAt = new Date();
  const account = await findById(uid);
  if (signIn === null || account === null) throw new ApiProblem('action-code-invalid');
  if (signIn.disavowedAt !== null) return getOwnersEmail(account, to);
  const removed = await removeIntruder(records, account, { ...signIn, to }, client);
  const methods = account.facts.methods.map(({ id }) => id);
  for (const method of removed) recordRemovedMethod({ uid, method, client, read: { methods, requestedAt } });
  const deletion = await readDeletion(records, uid);
  if (deletion && deletion.requestedAt >= signIn.since) await cancelDeletion(records, { uid, id: deletion.id, client });
  // Last: until then, the link does all of it again.
  const at = new Date();
  const event = { uid, at, client, kind: 'sign-in-disavowed' } as const;
  await markAllEnded(
    await disavowSession(records, {
      uid,
      id: session,
      at,
      by: 'owner',
      reason: 'disavowed',
      event,
    }),
  );
  return getOwnersEmail(account, to);
}

type Disavowed = RecordedSignIn & { to: string };

/**
 * Removes what an intruder may have added, who may know the password and go on: what is removed is read while the account is frozen, and
 * removed in one call, with the owner's email.
 * @param before as first read: restoring its email may already remove some
 * @returns the sign-in methods that were removed
 * @throws ApiProblem 503
 */
async function removeIntruder(
  records: Records,
  before: Account,
  signIn: Disavowed,
  client: ClientDescription,
): Promise<string[]> {
  for (let tries = 1; ; tries += 1) {
    const account = await freezeWithOwnersEmail(before, signIn.to);
    await removeSuspects(records, { uid: account.facts.uid, at: new Date(), client }, signIn.since);
    const email = getOwnersEmail(account, signIn.to);
    const present = [...account.facts.methods, ...before.facts.methods];
    const suspect = [...new Set(getSuspectMethods({ ...signIn, email, present }))];
    try {
      await changeJudgedAccount(account, {
        removes: { methods: suspect, tell: () => Promise.resolve() },
        removeSecondFactors: hasFactorSince(account, signIn.since),
        claims: getEmailClaim(account, signIn.to),
        revoke: true,
      });
      return suspect;
    } catch (error) {
      // It had another email even so, and was restored: what is left has to be read again.
      if (!isApiProblem(error) || error.code !== 'token-revoked') throw error;
      if (tries === TRIES) throw providerUnavailable(error);
    }
  }
}

/**
 * Removes passkeys, authenticator apps and recovery codes that were added then or later, while the account accepts no sign-in: one by them
 * that has begun would be recorded after all sessions were ended.
 */
async function removeSuspects(records: Records, event: Omit<NewEvent, 'kind'>, since: Date): Promise<void> {
  await writeAboutKnownAccount(records, event.uid, async (tx) => {
    await removeSuspectPasskeys(tx, event, { since });
    await removeSuspectFactors(tx, event, since);
  });
}

/**
 * Freezes the account with the owner's email: from then on the provider accepts no change of it from a client. Restoring an email ends the
 * freeze, so the account is frozen and read once more. If it has another email even then, or a restored one that is taken, it gets
 * the claim, and counts as disabled.
 */
async function freezeWithOwnersEmail({ facts: { uid } }: Account, to: string): Promise<Account> {
  for (let tries = 1; ; tries += 1) {
    await freezeAccount(uid);
    const account = await findById(uid);
    if (account === null) throw new ApiProblem('action-code-invalid');
    const email = getOwnersEmail(account, to);
    if (email === null || email === account.facts.email || tries === TRIES) return account;
    await restoreProvedEmail(uid, email);
  }
}

/**
 * The email of the account before the sign-in: the proved one; of an account that never proved one, that of the mailbox which got
 * this link.
 */
function getOwnersEmail({ user, facts }: Account, to: string): string | null {
  return getProvedEmail(user) ?? (to === '' ? facts.email : to);
}

/** Pressing the button shows that the mailbox was read: a change of the email from now on is undone, too. */
function getEmailClaim({ user }: Account, to: string): ClaimsEdit {
  const edit = { proved: getProvedEmail(user) ?? (to === '' ? undefined : to) };
  return isStorable(user.customClaims, edit) ? edit : {};
}

/** The identity provider's own second factors; these screens do not ask for them, so they would lock the owner out. */
function hasFactorSince({ user }: Account, since: Date): boolean {
  const factors = user.multiFactor?.enrolledFactors ?? [];
  // Without a time it may be an intruder's.
  return factors.some(({ enrollmentTime }) => !(Date.parse(enrollmentTime ?? '') < since.getTime()));
}

/**
 * The clock of the process that opened the session is compared with those of other processes, the database and the identity provider, which
 * counts in seconds. What was added just before the sign-in may be the intruder's; the owner can add it again.
 */
const CLOCK_SKEW_MS = 5_000;

/** A sign-in that was announced to the owner. */
type RecordedSignIn = {
  openedAt: Date;
  browser: string | null;
  system: string | null;
  disavowedAt: Date | null;
  /** Just before the first sign-in that was announced within the 10 days before this one, and not disavowed: both may be the intruder's. */
  since: Date;
  /** Sign-in methods of the account, as last read; null when they never were. */
  known: readonly string[] | null;
  /** Sign-in methods that were connected then or later. */
  connected: readonly string[];
};

/** @returns null when the account has no such session */
function readAnnouncedSignIn(
  records: Records,
  { uid, session }: { uid: string; session: string },
): Promise<RecordedSignIn | null> {
  return records.transact(async (tx) => {
    const [found] = await tx
      .select({
        openedAt: sessions.openedAt,
        disavowedAt: sessions.disavowedAt,
        browser: devices.browser,
        system: devices.system,
        known: accounts.methods,
      })
      .from(sessions)
      .innerJoin(devices, eq(devices.id, sessions.deviceId))
      .innerJoin(accounts, eq(accounts.uid, sessions.uid))
      .where(and(eq(sessions.id, session), eq(sessions.uid, uid)));
    if (!found) return null;
    const announced = tx
      .select({ id: notices.id })
      .from(notices)
      .where(and(eq(notices.uid, uid), eq(notices.key, sql`${sessions.id}::text`)));
    const tenDays = new Date(found.openedAt.getTime() - DISAVOWAL_MS);
    const [first] = await tx
      .select({ at: min(sessions.openedAt) })
      .from(sessions)
      .where(
        and(eq(sessions.uid, uid), gte(sessions.openedAt, tenDays), isNull(sessions.disavowedAt), exists(announced)),
      );
    const since = new Date((first?.at ?? found.openedAt).getTime() - CLOCK_SKEW_MS);
    const isSince = and(eq(events.uid, uid), eq(events.kind, 'method-connected'), gte(events.at, since));
    // Bounded: a row for each sign-in method, however often it was connected.
    const connected = await tx.select({ method: events.method }).from(events).where(isSince).groupBy(events.method);
    return { ...found, since, connected: connected.flatMap(({ method }) => method ?? []) };
  });
}

/**
 * Ends all sessions of an account whose owner disavows a sign-in, and forgets all its browsers: the intruder may have used
 * others. The other sign-ins until then count as disavowed, too: their links would undo what the owner does next. Repeated, it
 * records nothing more.
 * @returns all their cookies
 */
async function disavowSession(
  records: Records,
  { id, event, ...ending }: Ending & { id: string; event: NewEvent },
): Promise<SessionCookie[]> {
  const cookies = await writeAboutKnownAccount(records, ending.uid, async (tx) => {
    const [session] = await tx
      .update(sessions)
      .set({ disavowedAt: ending.at })
      .where(and(eq(sessions.id, id), eq(sessions.uid, ending.uid), isNull(sessions.disavowedAt)))
      .returning({ id: sessions.id });
    if (session) {
      const isEarlier = and(eq(sessions.uid, ending.uid), isNull(sessions.disavowedAt));
      await tx.update(sessions).set({ disavowedAt: ending.at }).where(isEarlier);
      await tx.update(devices).set({ cookieDigest: null }).where(eq(devices.uid, ending.uid));
      await cancelReset(tx, event);
      await addEvent(tx, event);
    }
    return (await endWhere(tx, ending, undefined)).cookies;
  });
  return cookies ?? [];
}

/** What is known of the sign-in methods of an account, by the identity provider's ids. */
type MethodFacts = {
  /** Of the account. */
  email: string | null;
  /** As just read, each with its own email. */
  present: readonly { id: string; email: string | null }[];
  /** As read before; null when they never were. */
  known: readonly string[] | null;
  /** Connected since the sign-in, by the recorded events. */
  connected: readonly string[];
};

/**
 * The sign-in methods that an intruder may have added: those that were connected since, those that were never seen
 * before, and those of another email, since one identity of a provider can be replaced by another one without a trace. The owner
 * can connect their own again; an intruder's must not stay.
 */
export function getSuspectMethods({ email, present, known, connected }: MethodFacts): string[] {
  const isSuspect = ({ id, email: own }: { id: string; email: string | null }) =>
    connected.includes(id) || (known !== null && !known.includes(id)) || (id !== 'password' && own !== email);
  return present.filter(isSuspect).map(({ id }) => id);
}
