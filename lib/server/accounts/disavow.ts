import { and, desc, eq, exists, gt, gte, inArray, isNull, ne, notExists, or, type SQL } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import {
  DISAVOWAL_MS,
  readDisavowalLink,
  RENEWED_DISAVOWAL_MS,
  sealDisavowalLink,
  toLinkState,
  type SignInRef,
} from '@/lib/server/codes';
import {
  changeJudgedAccount,
  evictAccount,
  findById,
  freezeAccount,
  providerUnavailable,
  restoreProvedEmail,
  toOwnTime,
  withAccountLock,
} from '@/lib/server/identity';
import {
  addNotice,
  cancelDeletion,
  cancelReset,
  getSignInMethods,
  isUnsent,
  readDeletion,
  toNoticeBrand,
  wakeOutbox,
} from '@/lib/server/notifications';
import {
  decideDisavowal,
  type DisavowalFacts,
  getProvedEmail,
  isOfOtherEmail,
  isStorable,
  type IsSuspect,
  suspectAdditions,
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
import { PASSKEY_METHOD } from '@/lib/shared/sign-in-methods';

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
 * The owner's answer to "Was this you?" on /security. "It was me" needs a session alone: it changes nothing but the question. "This wasn't me"
 * takes a proof within 5 minutes, as all that ends sessions does, and gives a code that works with this session alone. It corrects the other
 * answer for a minute: both can be on their way.
 * @returns the code by which this session undoes a sign-in that was not the owner's
 * @throws ApiProblem `not-found` without records, and for a sign-in that this session is not asked about; as `requireProof`;
 *   `records-unavailable`
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
    // Also of a sign-in that this session is not asked about: then nothing is recorded.
    if (isOwn) return {};
    if (!found) throw new ApiProblem('not-found');
    await requireProof(live, token, request);
    const by = (await findSession(records, [sid], now)).own?.id;
    if (by === undefined) throw new ApiProblem('not-found');
    return { code: await sealDisavowalLink({ uid, session: id, at: found.openedAt.toISOString(), to: '', by }) };
  });
}

/** An intruder who knows the password may go on while the account is restored, once: restoring removes the password. */
const TRIES = 2;

/** The state of a link that disavows a sign-in; opening it changes nothing: email scanners open links, too. */
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

/** `email`: the owner's, for the new password that comes next; null if the account has none, or the mailbox was asked again. */
type Outcome = { email: string | null; asksMailbox?: true };

/**
 * Undoes a sign-in that its owner did not make (docs/adr/0029): all sessions and tokens of the account end, what its
 * browser has added is removed, a proved email restored, a deletion requested since canceled, and all browsers are
 * forgotten, so that another sign-in there is announced again. It creates no session. Each step can be repeated after an
 * interruption; done once, it does nothing more. After a change of the account, an emailed link only has a new one emailed (`decideDisavowal`).
 * @throws ApiProblem `action-code-expired`, `action-code-invalid`; `not-found` without records, `records-unavailable`, 503
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
  return withAccountLock(link.uid, () => disavow(records, link, request));
}

/** In its turn among the changes of that session, which is asked for once more when it begins. */
async function disavowByAnswer(records: Records, link: SignInRef, request: SessionRequest): Promise<Outcome> {
  const { sessionCookie } = request;
  const sids = sessionCookie === null ? [] : [getSessionId(sessionCookie)];
  const { own } = await findSession(records, sids, new Date());
  const hasAnswerSession = own?.isLive === true && own.id === link.by && own.uid === link.uid;
  const decision = decideDisavowal({ ...getFacts(link, null, null), hasAnswerSession, signIn: 'announced' });
  if (decision.outcome === 'refuse') throw new ApiProblem('action-code-invalid', { rule: decision.rule });
  try {
    return await changeOwnAccount(link.uid, request, () => disavow(records, link, request, true));
  } catch (error) {
    const isOver = isApiProblem(error) && (error.status === 401 || error.code === 'recent-login-required');
    throw isOver ? new ApiProblem('action-code-invalid', { cause: error }) : error;
  }
}

/** What `decideDisavowal` has to know, but for the session of the request. */
function getFacts(
  { by, again }: SignInRef,
  signIn: RecordedSignIn | null,
  account: Account | null,
): Omit<DisavowalFacts, 'hasAnswerSession'> {
  const openedAt = signIn?.openedAt.getTime() ?? 0;
  // Revocations have whole seconds: one of the same second may have come after the sign-in.
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
 * An intruder's changes must not keep the disavowal waiting: before it waits for them, it takes their sessions. A freeze, since a
 * revocation would end that of the change that it waits for.
 */
async function revokeAtOnce(records: Records, link: SignInRef): Promise<void> {
  const { uid, session } = link;
  const signIn = await readAnnouncedSignIn(records, link);
  const facts = getFacts(link, signIn, await findById(uid));
  if (decideDisavowal({ ...facts, hasAnswerSession: false }).outcome !== 'undo') return;
  await begin(records, { uid, session });
  await freezeAccount(uid);
  evictAccount(uid);
}

/** What it does itself must not count as a change of the account when it goes on after an interruption. */
async function begin(records: Records, { uid, session }: Pick<SignInRef, 'uid' | 'session'>): Promise<void> {
  await writeAboutKnownAccount(records, uid, async (tx) => {
    const isThis = and(eq(sessions.id, session), eq(sessions.uid, uid));
    await tx.update(sessions).set({ disavowingAt: new Date() }).where(isThis);
  });
}

/** With the account's lock. */
async function disavow(
  records: Records,
  link: SignInRef,
  request: SessionRequest,
  hasAnswerSession = false,
): Promise<Outcome> {
  const { uid, session, to } = link;
  const signIn = await readAnnouncedSignIn(records, link);
  const requestedAt = new Date();
  const account = await findById(uid);
  const decision = decideDisavowal({ ...getFacts(link, signIn, account), hasAnswerSession });
  if (decision.outcome === 'refuse') throw new ApiProblem('action-code-invalid', { rule: decision.rule });
  if (signIn === null || account === null) throw new ApiProblem('action-code-invalid');
  if (decision.outcome === 'done') return { email: getOwnersEmail(account, to) };
  if (decision.outcome === 'ask-mailbox') return askMailbox(records, { ...signIn, uid, session, to }, account, request);
  await begin(records, link);
  const client = request.client();
  const removed = await removeIntruder(records, account, { ...signIn, to, session }, request);
  const methods = account.facts.methods.map(({ id }) => id);
  for (const method of removed.methods) recordRemovedMethod({ uid, method, client, read: { methods, requestedAt } });
  const deletion = await readDeletion(records, uid);
  if (deletion && deletion.requestedAt >= signIn.since) await cancelDeletion(records, { uid, id: deletion.id, client });
  // Last: until then, the link does all of it again.
  const at = new Date();
  const event = { uid, at, client, kind: 'sign-in-disavowed' } as const;
  const { browsers } = signIn;
  await markAllEnded(
    await disavowSession(records, { uid, id: session, browsers, at, by: 'owner', reason: 'disavowed', event }),
  );
  return { email: getOwnersEmail(account, to) };
}

/**
 * Emails a link that works for some minutes, to the owner's mailbox: a reader of the first one alone has not read that mailbox now. One in
 * these minutes.
 * @throws ApiProblem `action-code-invalid` for an account without an email
 */
async function askMailbox(
  records: Records,
  { uid, session, openedAt, browser, system, to: announcedTo }: RecordedSignIn & SignInRefOf,
  account: Account,
  request: SessionRequest,
): Promise<Outcome> {
  const to = getOwnersEmail(account, announcedTo);
  if (to === null) throw new ApiProblem('action-code-invalid');
  const email = { kind: 'disavowal-link', uid, session, at: openedAt.toISOString(), browser, system } as const;
  const key = `${session}/${Math.floor(Date.now() / RENEWED_DISAVOWAL_MS)}`;
  const brand = toNoticeBrand(await request.emailContext());
  await writeAboutKnownAccount(records, uid, (tx) =>
    addNotice(tx, { uid, key, body: { channel: 'email', to, email, brand } }),
  );
  return { email: null, asksMailbox: true };
}

type SignInRefOf = Pick<SignInRef, 'uid' | 'session' | 'to'>;

/**
 * Writes the email about what was undone: to the owner, also when a stranger has pressed the button. One for each try that removed something,
 * however often that is repeated after an interruption.
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
/** `methods`: by the identity provider's ids; `others`: of our own records. */
type Removed = { methods: string[]; others: string[] };

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
  request: SessionRequest,
): Promise<Removed> {
  const removed: Removed = { methods: [], others: [] };
  for (let tries = 1; ; tries += 1) {
    const account = await freezeWithOwnersEmail(before, signIn.to);
    const { uid } = account.facts;
    const event = { uid, at: new Date(), client: request.client() };
    removed.others.push(...(await removeSuspects(records, event, suspectAdditions(signIn))));
    const email = getOwnersEmail(account, signIn.to);
    const present = [...account.facts.methods, ...before.facts.methods];
    const suspect = [...new Set(getSuspectMethods({ ...signIn, email, present }))];
    const key = tries === 1 ? signIn.session : `${signIn.session}/${String(tries)}`;
    const tell = () =>
      notifyOfUndoneSignIn(records, { uid, key, to: email }, { ...removed, methods: suspect }, request);
    try {
      await changeJudgedAccount(account, {
        removes: { methods: suspect, tell },
        removeSecondFactors: hasFactorSince(account, signIn.since),
        claims: getEmailClaim(account, signIn.to),
        revoke: true,
      });
      return { ...removed, methods: suspect };
    } catch (error) {
      // It had another email even so, and was restored: what is left has to be read again.
      if (!isApiProblem(error) || error.code !== 'token-revoked') throw error;
      if (tries === TRIES) throw providerUnavailable(error);
    }
  }
}

/**
 * Removes passkeys, authenticator apps and recovery codes that are suspect, while the account accepts no sign-in: one by them that has begun
 * would be recorded after all sessions were ended.
 * @returns what was removed, as the email about it names it
 */
async function removeSuspects(
  records: Records,
  event: Omit<NewEvent, 'kind'>,
  isSuspect: IsSuspect,
): Promise<Removed['others']> {
  const removed = await writeAboutKnownAccount(records, event.uid, async (tx) => {
    const passkeys = await removeSuspectPasskeys(tx, event, { isSuspect });
    return [...(passkeys > 0 ? [PASSKEY_METHOD] : []), ...(await removeSuspectFactors(tx, event, isSuspect))];
  });
  return removed ?? [];
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
  disavowingAt: Date | null;
  disavowedAt: Date | null;
  /** When the second factor of the account was turned on, in milliseconds since 1970; null while it is off. */
  secondFactorSince: number | null;
  /** Just before it. */
  since: Date;
  /** That of the sign-in, and others that are disavowed with it, in `devices`. */
  browsers: string[];
  /** Sign-in methods of the account, as last read; null when they never were. */
  known: readonly string[] | null;
  /** Sign-in methods that were connected in these browsers, or in an unknown one since. */
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
 * The browser of a sign-in, those of sessions that came from its sessions, and those of later sign-ins that no email was about, because there
 * were too many in that hour: they have no link of their own.
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
    .select({ id: notices.id })
    .from(notices)
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
 * Ends all sessions of an account whose owner disavows a sign-in, and forgets all its browsers: the intruder may have used
 * others. The other sign-ins of the same browser count as disavowed, too. Repeated, it records nothing more.
 * @returns all their cookies
 */
async function disavowSession(
  records: Records,
  { id, browsers, event, ...ending }: Ending & { id: string; browsers: string[]; event: NewEvent },
): Promise<SessionCookie[]> {
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
  present: readonly AccountMethod[];
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
  const isSuspect = (method: AccountMethod) =>
    connected.includes(method.id) || (known !== null && !known.includes(method.id)) || isOfOtherEmail(method, email);
  return present.filter(isSuspect).map(({ id }) => id);
}
