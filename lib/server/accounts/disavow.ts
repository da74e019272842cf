import { and, desc, eq, exists, gt, gte, inArray, isNull, ne, notExists, or, type SQL } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import {
  readDisavowalLink,
  RENEWED_DISAVOWAL_MS,
  sealDisavowalLink,
  toLinkState,
  type SignInRef,
} from '@/lib/server/codes';
import {
  changeJudgedAccount,
  findById,
  freezeAccount,
  markAccountChanged,
  providerUnavailable,
  restoreProvedEmail,
  toOwnTime,
} from '@/lib/server/identity';
import {
  addNotice,
  cancelFactorReset,
  getSignInMethods,
  isUnsent,
  toNoticeBrand,
  wakeOutbox,
} from '@/lib/server/notifications';
import {
  DISAVOWAL_MS,
  decideDisavowal,
  type DisavowalFacts,
  getProvedEmail,
  isOfOtherEmail,
  isStorable,
  type IsSuspect,
  suspectAdditions,
  toProblem,
  type Account,
  type AccountMethod,
  type ClaimsEdit,
} from '@/lib/server/policy';
import { setRequestAccount } from '@/lib/server/runtime';
import { removeSuspectFactors } from '@/lib/server/second-factor';
import {
  changeOwnAccount,
  getSessionId,
  isAbout,
  isAnnouncement,
  requireProof,
  type LiveSession,
  type SessionRequest,
} from '@/lib/server/session';
import {
  accounts,
  addEvent,
  devices,
  endWhere,
  events,
  findSession,
  markAllEnded,
  jobs,
  type LockedAccount,
  type NoticeBrand,
  recordRemovedMethod,
  removeSuspectPasskeys,
  sessionCookies,
  sessions,
  withAccountLock,
  withRecords,
  writeAboutKnownAccount,
  type Ending,
  type NewEvent,
  type Records,
  type SessionCookieId,
  type Tx,
} from '@/lib/server/storage';
import type { AnnouncedSignIn } from '@/lib/shared/account/email-action';
import { ApiProblem, isApiProblem } from '@/lib/shared/problem';
import { removeRecoveryEmail } from './recovery-email';
import { PASSKEY_METHOD } from '@/lib/shared/sign-in-methods';
import { findReversibleChange, restoreFormerEmail } from './email-change';
import { cancelDeletion, readDeletion } from './deletion/rows';

/** The session of a cookie, whose user is asked about sign-ins. */
type Checker = { uid: string; sid: string };
type UncheckedSignIn = { id: string; openedAt: Date; browser: string | null; system: string | null };

/** Maximum number of sign-ins to ask about at a time. The list of devices shows all of them. */
const MAX_CHECKS = 3;

/**
 * How long the owner can correct "It was me". If pressed by mistake, it must not outweigh the answer that secures the
 * account.
 */
const CORRECTION_MS = 60_000;

/**
 * Lists sign-ins of the last 10 days that were announced to the owner and are unanswered, newest first. Ended sign-ins
 * are included, because an intruder may have ended them in another browser.
 *
 * Only a browser that used the account before such a sign-in is asked. It must have been announced itself, or have
 * registered the account, and must not be in question itself. Otherwise an intruder could answer for the owner, or
 * disavow the owner's links.
 */
export function listUncheckedSignIns(records: Records, checker: Checker, now: Date): Promise<UncheckedSignIn[]> {
  return records.transact((tx) => readSignIns(tx, checker, now, isNull(sessions.acknowledgedAt)));
}

/** @param which limits the result to some of the sign-ins that this browser may be asked about */
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
    .innerJoin(jobs, and(isAnnouncement(uid), isAbout(first.id)))
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
    .select({ id: jobs.id })
    .from(jobs)
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
 * Records the owner's answer to "Was this you?" on /security. "It was me" requires only a session, because it changes
 * nothing except the question. "This wasn't me" requires a proof within 5 minutes, like everything that ends sessions,
 * and returns a code that works with this session only. For a minute, it also corrects the other answer, because both
 * requests can be in flight.
 * @returns the code by which this session undoes a sign-in that was not the owner's
 * @throws ApiProblem `not-found` if another deployment has the accounts, or this session is not asked about the
 * sign-in; errors of `requireProof`; `records-unavailable`
 */
export function checkSignIn(
  live: LiveSession,
  { session: id, isOwn, token }: { session: string; isOwn: boolean; token?: string | undefined },
  request: SessionRequest,
): Promise<{ code?: string }> {
  const { sid } = live;
  const { uid } = live.status;
  return withRecords(async (records) => {
    const now = new Date();
    const found = await records.transact(async (tx) => {
      const corrected = gt(sessions.acknowledgedAt, new Date(now.getTime() - CORRECTION_MS));
      const isOpen = or(isNull(sessions.acknowledgedAt), isOwn ? undefined : corrected);
      const [signIn] = await readSignIns(tx, { uid, sid }, now, and(eq(sessions.id, id), isOpen));
      if (signIn && isOwn) await tx.update(sessions).set({ acknowledgedAt: now }).where(eq(sessions.id, id));
      return signIn;
    });
    // The response is the same for a sign-in that this session is not asked about. Then nothing is recorded.
    if (isOwn) return {};
    if (!found) throw new ApiProblem('not-found');
    await requireProof(live, token, request);
    const by = (await findSession(records, [sid], now)).own?.id;
    if (by === undefined) throw new ApiProblem('not-found');
    return { code: await sealDisavowalLink({ uid, session: id, at: found.openedAt.toISOString(), to: '', by }) };
  });
}

/**
 * An intruder who knows the password may change the email again while it is restored, but only once. Restoring it
 * removes the password.
 */
const TRIES = 2;

/**
 * Returns the state of a link that disavows a sign-in. Opening it changes nothing, because email scanners also open
 * links.
 */
export async function inspectDisavowalLink(code: string): Promise<AnnouncedSignIn> {
  try {
    return await withRecords(async (records) => {
      const link = await readDisavowalLink(code);
      const signIn = await readAnnouncedSignIn(records, link);
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
 * `email`: the owner's email, for the new password that is set next. Null if the account has no email, or if a new link
 * was emailed.
 */
type Outcome = { email: string | null; asksMailbox?: true };

/**
 * Undoes a sign-in that the owner did not make (docs/adr/0029). It ends all sessions and tokens of the account and
 * removes what the sign-in's browser has added. It restores a proved email, and cancels a deletion that was requested
 * since. It forgets all browsers, so that another sign-in there is announced again. It creates no session. After an
 * interruption each step can be repeated, and once everything is done, a repetition has no effect. If the account has
 * changed since, an emailed link only causes a new link to be emailed (`decideDisavowal`).
 * @throws ApiProblem `action-code-expired`, `action-code-invalid`; `not-found` if another deployment has the accounts;
 * `records-unavailable`, 503
 */
export function disavowSignIn(code: string, request: SessionRequest): Promise<Outcome> {
  return withRecords(async (records) => {
    const link = await readDisavowalLink(code);
    setRequestAccount(link.uid);
    const outcome = await (link.by === ''
      ? disavowByLink(records, link, request)
      : disavowByAnswer(records, link, request));
    wakeOutbox();
    return outcome;
  });
}

async function disavowByLink(records: Records, link: SignInRef, request: SessionRequest): Promise<Outcome> {
  await revokeAtOnce(records, link);
  return withAccountLock(link.uid, (locked) => disavow(locked, records, link, request));
}

/** Waits for its turn among the account's changes and then checks the session again. */
async function disavowByAnswer(records: Records, link: SignInRef, request: SessionRequest): Promise<Outcome> {
  const { sessionCookie } = request;
  const sids = sessionCookie === null ? [] : [getSessionId(sessionCookie)];
  const { own } = await findSession(records, sids, new Date());
  const hasAnswerSession = own?.isLive === true && own.id === link.by && own.uid === link.uid;
  const decision = decideDisavowal({ ...getFacts(link, null, null), hasAnswerSession, signIn: 'announced' });
  if (decision.outcome === 'refuse') throw toProblem(decision);
  try {
    return await changeOwnAccount(link.uid, request, ({ locked }) => disavow(locked, records, link, request, true));
  } catch (error) {
    const isOver = isApiProblem(error) && (error.status === 401 || error.code === 'recent-login-required');
    throw isOver ? new ApiProblem('action-code-invalid', { cause: error }) : error;
  }
}

/** Collects the facts for `decideDisavowal`, except the session of the request. */
function getFacts(
  { by, again }: SignInRef,
  signIn: RecordedSignIn | null,
  account: Account | null,
): Omit<DisavowalFacts, 'hasAnswerSession'> {
  const openedAt = signIn?.openedAt.getTime() ?? 0;
  // Revocation times are whole seconds, so a revocation in the same second may have come after the sign-in.
  const isRevokedSince = toOwnTime((account?.facts.validSince ?? 0) * 1000) >= Math.floor(openedAt / 1000) * 1000;
  const begunAt = signIn?.disavowingAt?.getTime() ?? 0;
  return {
    by: by !== '' ? 'answer' : again !== '' ? 'emailed-again' : 'emailed',
    signIn: signIn === null || account === null ? 'unknown' : signIn.disavowedAt === null ? 'announced' : 'disavowed',
    isChangedSince: isRevokedSince || (signIn?.secondFactorSince ?? 0) >= openedAt,
    isBegun: Date.now() - begunAt < RENEWED_DISAVOWAL_MS,
  };
}

/**
 * Ends the intruder's sessions before the disavowal waits for other changes, which an intruder could use to delay it.
 * It freezes the account, because a revocation would end the session of the change that it waits for.
 */
async function revokeAtOnce(records: Records, link: SignInRef): Promise<void> {
  const { uid, session } = link;
  const signIn = await readAnnouncedSignIn(records, link);
  const facts = getFacts(link, signIn, await findById(uid));
  if (decideDisavowal({ ...facts, hasAnswerSession: false }).outcome !== 'undo') return;
  await begin(records, { uid, session });
  await freezeAccount(uid);
  markAccountChanged(uid);
}

/**
 * Marks the beginning, so that after an interruption the disavowal's own changes do not count as changes of the
 * account.
 */
async function begin(records: Records, { uid, session }: Pick<SignInRef, 'uid' | 'session'>): Promise<void> {
  await writeAboutKnownAccount(records, uid, async (tx) => {
    const isThis = and(eq(sessions.id, session), eq(sessions.uid, uid));
    await tx.update(sessions).set({ disavowingAt: new Date() }).where(isThis);
  });
}

/** Undoes the sign-in. */
async function disavow(
  locked: LockedAccount,
  records: Records,
  link: SignInRef,
  request: SessionRequest,
  hasAnswerSession = false,
): Promise<Outcome> {
  const { uid, session, to } = link;
  const signIn = await readAnnouncedSignIn(records, link);
  const requestedAt = new Date();
  const account = await findById(uid, locked);
  const decision = decideDisavowal({ ...getFacts(link, signIn, account), hasAnswerSession });
  if (decision.outcome === 'refuse') throw toProblem(decision);
  if (signIn === null || account === null) throw new ApiProblem('action-code-invalid');
  if (decision.outcome === 'done') return { email: getOwnersEmail(account, to) };
  // An intruder may have changed the email since. The mailbox that was told of the sign-in has the account then.
  const change = await findReversibleChange(records, locked, { from: to, since: signIn.since });
  const owner = change?.from ?? getOwnersEmail(account, to);
  if (decision.outcome === 'ask-mailbox') return askMailbox(records, { ...signIn, uid, session, to: owner }, request);
  await begin(records, link);
  const client = request.client();
  if (change !== null) await restoreFormerEmail(records, locked, change, client);
  const removed = await removeIntruder(locked, records, account, { ...signIn, to, session }, request);
  const methods = account.facts.methods.map(({ id }) => id);
  for (const method of removed.methods) recordRemovedMethod({ uid, method, client, read: { methods, requestedAt } });
  const deletion = await readDeletion(records, uid);
  if (deletion && deletion.requestedAt >= signIn.since) await cancelDeletion(records, { uid, id: deletion.id, client });
  // This event is written last. Until then, the link repeats all steps.
  const at = new Date();
  const event = { uid, at, client, kind: 'sign-in-disavowed' } as const;
  const { browsers } = signIn;
  await markAllEnded(await disavowSession(records, { uid, id: session, browsers, at, by: 'disavowed', event }));
  return { email: owner };
}

/**
 * Emails a link to the owner's mailbox that works for some minutes. A person with only the first link may not be able
 * to read that mailbox now. At most one email is sent in these minutes.
 * @throws ApiProblem `action-code-invalid` for an account without an email
 */
async function askMailbox(
  records: Records,
  { uid, session, openedAt, browser, system, to }: RecordedSignIn & { uid: string; session: string; to: string | null },
  request: SessionRequest,
): Promise<Outcome> {
  if (to === null) throw new ApiProblem('action-code-invalid');
  const email = { kind: 'disavowal-link', uid, session, at: openedAt.toISOString(), browser, system } as const;
  const key = `${session}/${Math.floor(Date.now() / RENEWED_DISAVOWAL_MS)}`;
  const brand = toNoticeBrand(await request.emailContext());
  await writeAboutKnownAccount(records, uid, (tx) =>
    addNotice(tx, { uid, key, body: { channel: 'email', to, email, brand } }),
  );
  return { email: null, asksMailbox: true };
}

/**
 * Writes the email about what was undone to the owner, because a stranger could also have pressed the button. Each try
 * that removed something gets one email, even if it is repeated after an interruption.
 */
async function notifyOfUndoneSignIn(
  records: Records,
  { uid, key, to }: { uid: string; key: string; to: string | null },
  { methods, others }: Removed,
  request: SessionRequest,
): Promise<void> {
  if (to === null) return;
  const brand = toNoticeBrand(await request.emailContext());
  const email = {
    kind: 'sign-in-undone',
    removed: await getSignInMethods([...new Set([...methods, ...others])]),
  } as const;
  await writeAboutKnownAccount(records, uid, (tx) =>
    addNotice(tx, { uid, key, body: { channel: 'email', to, email, brand } }),
  );
}

type Disavowed = RecordedSignIn & Pick<SignInRef, 'to' | 'session'>;
/** `methods`: the identity provider's ids. `others`: kinds of our own records. */
type Removed = { methods: string[]; others: string[] };

/**
 * Removes everything that an intruder may have added. The intruder may know the password and continue to make changes.
 * So it reads the account while it is frozen, and removes everything in one call while it has the owner's email.
 * @param before the account as it was first read, because restoring its email may already remove methods
 * @returns the removed sign-in methods
 * @throws ApiProblem 503
 */
async function removeIntruder(
  locked: LockedAccount,
  records: Records,
  before: Account,
  signIn: Disavowed,
  request: SessionRequest,
): Promise<Removed> {
  const removed: Removed = { methods: [], others: [] };
  for (let tries = 1; ; tries += 1) {
    const account = await freezeWithOwnersEmail(locked, signIn.to);
    const { uid } = account.facts;
    const event = { uid, at: new Date(), client: request.client() };
    const brand = toNoticeBrand(await request.emailContext());
    removed.others.push(...(await removeSuspects(records, event, suspectAdditions(signIn), brand)));
    const email = getOwnersEmail(account, signIn.to);
    const present = [...account.facts.methods, ...before.facts.methods];
    const suspect = [...new Set(getSuspectMethods({ ...signIn, email, present }))];
    const key = tries === 1 ? signIn.session : `${signIn.session}/${String(tries)}`;
    const tell = () =>
      notifyOfUndoneSignIn(records, { uid, key, to: email }, { ...removed, methods: suspect }, request);
    try {
      await changeJudgedAccount(locked, account, {
        removes: { methods: suspect, tell },
        removeSecondFactors: hasFactorSince(account, signIn.since),
        claims: getEmailClaim(account, signIn.to),
        revoke: 'disavowed',
      });
      return { ...removed, methods: suspect };
    } catch (error) {
      // The account still had another email and was restored. Read again what is left.
      if (!isApiProblem(error) || error.code !== 'token-revoked') throw error;
      if (tries === TRIES) throw providerUnavailable(error);
    }
  }
}

/**
 * Removes a suspect recovery email, suspect passkeys, authenticator apps and recovery codes while the account accepts no sign-in. Otherwise a
 * pending sign-in with one of them could be recorded after all sessions have ended.
 * @returns the removed items, as the email names them
 */
async function removeSuspects(
  records: Records,
  event: Omit<NewEvent, 'kind'>,
  isSuspect: IsSuspect,
  brand: NoticeBrand,
): Promise<Removed['others']> {
  const removed = await writeAboutKnownAccount(records, event.uid, async (tx) => {
    const hasEmail = await removeRecoveryEmail(tx, event, brand, isSuspect);
    const passkeys = await removeSuspectPasskeys(tx, event, { isSuspect });
    return [
      ...(hasEmail ? ['recovery-email-removed'] : []),
      ...(passkeys > 0 ? [PASSKEY_METHOD] : []),
      ...(await removeSuspectFactors(tx, event, isSuspect)),
    ];
  });
  return removed ?? [];
}

/**
 * Freezes the account with the owner's email, so that the identity provider accepts no change of it from a client.
 * Restoring an email ends the freeze, so the account is frozen and read again. If it still has another email, or the
 * restored email is taken, it gets the claim and counts as disabled.
 */
async function freezeWithOwnersEmail(locked: LockedAccount, to: string): Promise<Account> {
  const { uid } = locked;
  for (let tries = 1; ; tries += 1) {
    await freezeAccount(uid);
    const account = await findById(uid, locked);
    if (account === null) throw new ApiProblem('action-code-invalid');
    const email = getOwnersEmail(account, to);
    if (email === null || email === account.facts.email || tries === TRIES) return account;
    await restoreProvedEmail(locked, { owned: email });
  }
}

/**
 * Returns the account's email before the sign-in, which is the proved email. If the account never proved an email, it
 * is the mailbox that received this link.
 */
function getOwnersEmail({ user, facts }: Account, to: string): string | null {
  return getProvedEmail(user) ?? (to === '' ? facts.email : to);
}

/**
 * Pressing the button shows that the mailbox was read. The claim records it as proved, so a later change of the email
 * is undone, too.
 */
function getEmailClaim({ user }: Account, to: string): ClaimsEdit {
  const edit = { proved: getProvedEmail(user) ?? (to === '' ? undefined : to) };
  return isStorable(user.customClaims, edit) ? edit : {};
}

/**
 * Returns whether the identity provider has its own second factors since then. These screens do not ask for them, so
 * they would lock the owner out.
 */
function hasFactorSince({ user }: Account, since: Date): boolean {
  const factors = user.multiFactor?.enrolledFactors ?? [];
  // A factor without a time may be an intruder's.
  return factors.some(({ enrollmentTime }) => !(Date.parse(enrollmentTime ?? '') < since.getTime()));
}

/**
 * Clocks differ between the process that opened the session, other processes, the database and the identity provider,
 * which counts in seconds. Anything that was added just before the sign-in may therefore be the intruder's. The owner
 * can add it again.
 */
const CLOCK_SKEW_MS = 5_000;

/** A sign-in that was announced to the owner. */
type RecordedSignIn = {
  openedAt: Date;
  browser: string | null;
  system: string | null;
  disavowingAt: Date | null;
  disavowedAt: Date | null;
  /** When the account's second factor was turned on, in milliseconds since 1970. Null while it is off. */
  secondFactorSince: number | null;
  /** A little earlier than the sign-in, because clocks differ. */
  since: Date;
  /** The sign-in's browser and others that are disavowed with it, in `devices`. */
  browsers: string[];
  /** The account's sign-in methods as last read. Null if they were never read. */
  known: readonly string[] | null;
  /** Sign-in methods that were connected since, in these browsers or in an unknown browser. */
  connected: readonly string[];
};

/** @returns null if the account has no such session */
function readAnnouncedSignIn(
  records: Records,
  { uid, session }: { uid: string; session: string },
): Promise<RecordedSignIn | null> {
  return records.transact(async (tx) => {
    const [found] = await tx
      .select({
        openedAt: sessions.openedAt,
        disavowingAt: sessions.disavowingAt,
        disavowedAt: sessions.disavowedAt,
        deviceId: sessions.deviceId,
        secondFactorSince: accounts.secondFactorSince,
        browser: devices.browser,
        system: devices.system,
        known: accounts.methods,
      })
      .from(sessions)
      .innerJoin(devices, eq(devices.id, sessions.deviceId))
      .innerJoin(accounts, eq(accounts.uid, sessions.uid))
      .where(and(eq(sessions.id, session), eq(sessions.uid, uid)));
    if (!found) return null;
    const { deviceId, secondFactorSince, ...signIn } = found;
    const since = new Date(found.openedAt.getTime() - CLOCK_SKEW_MS);
    const browsers = await listBrowsers(tx, { uid, deviceId, since });
    const isTheirs = or(inArray(events.addedIn, browsers), and(isNull(events.addedIn), gte(events.at, since)));
    const isConnection = and(eq(events.uid, uid), eq(events.kind, 'method-connected'), isTheirs);
    // Bounded: a row for each sign-in method, however often it was connected.
    const connected = await tx
      .select({ method: events.method })
      .from(events)
      .where(isConnection)
      .groupBy(events.method);
    return {
      ...signIn,
      secondFactorSince: secondFactorSince?.getTime() ?? null,
      since,
      browsers,
      connected: connected.flatMap(({ method }) => method ?? []),
    };
  });
}

/**
 * Lists the browser of a sign-in and the browsers whose sessions came from its sessions. It adds the browsers of later
 * sign-ins that were not emailed because the hourly limit was reached. Those have no link of their own.
 */
async function listBrowsers(
  tx: Tx,
  { uid, deviceId, since }: { uid: string; deviceId: string; since: Date },
): Promise<string[]> {
  const ofBrowser = alias(sessions, 'of_browser');
  const cookies = tx
    .select({ sid: sessionCookies.sid })
    .from(sessionCookies)
    .innerJoin(ofBrowser, eq(ofBrowser.id, sessionCookies.sessionId))
    .where(and(eq(ofBrowser.uid, uid), eq(ofBrowser.deviceId, deviceId)));
  const unsent = tx
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(isAnnouncement(uid), isAbout(sessions.id), isUnsent));
  const isUnannounced = and(gte(sessions.openedAt, since), isNull(sessions.acknowledgedAt), exists(unsent));
  const isTheirs = or(eq(sessions.deviceId, deviceId), inArray(sessions.root, cookies), isUnannounced);
  // Bounded: the browsers of an account within its retention.
  const found = await tx
    .selectDistinct({ id: sessions.deviceId })
    .from(sessions)
    .where(and(eq(sessions.uid, uid), isTheirs));
  return found.map(({ id }) => id);
}

/**
 * Ends all sessions of an account whose owner disavows a sign-in, and forgets all its browsers, because the intruder
 * may have used others. Other sign-ins of the same browser count as disavowed, too. A repetition records nothing more.
 * @returns the cookies of all these sessions
 */
async function disavowSession(
  records: Records,
  { id, browsers, event, ...ending }: Ending & { id: string; browsers: string[]; event: NewEvent },
): Promise<SessionCookieId[]> {
  const cookies = await writeAboutKnownAccount(records, ending.uid, async (tx) => {
    const [session] = await tx
      .update(sessions)
      .set({ disavowedAt: ending.at })
      .where(and(eq(sessions.id, id), eq(sessions.uid, ending.uid), isNull(sessions.disavowedAt)))
      .returning({ id: sessions.id });
    if (session) {
      const isTheirs = and(eq(sessions.uid, ending.uid), inArray(sessions.deviceId, browsers));
      await tx
        .update(sessions)
        .set({ disavowedAt: ending.at })
        .where(and(isTheirs, isNull(sessions.disavowedAt)));
      await tx.update(devices).set({ cookieDigest: null }).where(eq(devices.uid, ending.uid));
      await cancelFactorReset(tx, event);
      await addEvent(tx, event);
    }
    return (await endWhere(tx, ending, undefined)).cookies;
  });
  return cookies ?? [];
}

/** Facts about an account's sign-in methods, which have the identity provider's ids. */
type MethodFacts = {
  /** The email of the account. */
  email: string | null;
  /** Methods as just read, each with its own email. */
  present: readonly AccountMethod[];
  /** Methods as read before. Null if they were never read. */
  known: readonly string[] | null;
  /** Methods that were connected since the sign-in, by the recorded events. */
  connected: readonly string[];
};

/**
 * Returns the sign-in methods that an intruder may have added: methods connected since then, methods never seen before,
 * and methods with another email. Another email is suspect because one provider identity can replace another without a
 * trace. The owner can connect a method again, but an intruder's method must not stay.
 */
export function getSuspectMethods({ email, present, known, connected }: MethodFacts): string[] {
  const isSuspect = (method: AccountMethod) =>
    connected.includes(method.id) || (known !== null && !known.includes(method.id)) || isOfOtherEmail(method, email);
  return present.filter(isSuspect).map(({ id }) => id);
}
