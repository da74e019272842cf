import { randomUUID } from 'node:crypto';
import { and, eq } from 'drizzle-orm';
import {
  issueCode,
  readEmailChangeLink,
  readEmailUndoLink,
  redeemCode,
  sealEmailChangeLink,
  toLinkState,
  type IssuedCode,
} from '@/lib/server/codes';
import {
  changeJudgedAccount,
  changeProvedEmail,
  findByEmail,
  findById,
  readStored,
  repairAccount,
  retryWhileUnavailable,
} from '@/lib/server/identity';
import {
  addNotice,
  describeFailure,
  type EmailChangeNotice,
  type FlowContext,
  getActionUrl,
  getOwnBrand,
  sendEmail,
  tellOfRecoveryEmail,
  toNoticeBrand,
  wakeOutbox,
} from '@/lib/server/notifications';
import {
  type Account,
  decideEmailChange,
  decideEmailProof,
  decideEmailUndo,
  type EmailUse,
  getOwnUntil,
  getProvedEmail,
  hasEnterprise,
  hasMethod,
  isStorable,
} from '@/lib/server/policy';
import { type ClientDescription, env, setRequestAccount } from '@/lib/server/runtime';
import { removeSuspectFactors } from '@/lib/server/second-factor';
import {
  changeOwnAccount,
  getSessionId,
  type LiveSession,
  type RenewedSession,
  requireProof,
  type SessionRequest,
  verifyCookie,
} from '@/lib/server/session';
import {
  addEvent,
  afterLease,
  consumeLimit,
  deleteRecoveryEmail,
  endEmailChanges,
  endRestoredChanges,
  findBrowserOfCookie,
  findEmailChange,
  GIVE_UP_AFTER_SECONDS,
  insertEmailChange,
  insertRecoveryEmail,
  isDue,
  type JobHandler,
  jobs,
  type LockedAccount,
  markEmailChange,
  movePasskeys,
  type NoticeBrand,
  now,
  readEmailChange,
  readRecoveryEmail,
  type Records,
  removeSuspectPasskeys,
  type StoredEmailChange,
  type Tx,
  withAccountLock,
  withRecords,
  writeAboutAccount,
} from '@/lib/server/storage';
import type { LinkedEmailChange } from '@/lib/shared/account/email-action';
import { reportError } from '@/lib/shared/error-reporting/report';
import { ApiProblem, isApiProblem } from '@/lib/shared/problem';
import { keepAccountBy } from './deletion/deletion';
import { readDeletion } from './deletion/rows';
import { findOwner, removeRecoveryEmail } from './recovery-email';
import type { PreparedEmail } from './requested-email';

// A change of an account's email by its owner (docs/adr/0050). The new mailbox gets a code and a link. Until one of them
// is used, nothing has changed. The former mailbox gets a link that cancels the change, and undoes it for a week. A
// recovery email (docs/adr/0051) is added in the same way, and the link of the account's mailbox removes it.

/** Who asks for which email. `token`: proof for `requireProof`. */
type EmailChangeRequest = {
  kind: EmailUse;
  session: LiveSession;
  token: string | undefined;
  to: string;
  request: SessionRequest;
};

/**
 * Prepares the email to the new address. A request for another email is written with the email to the former address. It
 * does not read whose the new address is.
 * @returns the token for the browser's cookie; its code is emailed only if no account has the address
 * @throws ApiProblem of `requireProof` and `decideEmailChange`; `too-many-requests`, `records-unavailable`, 401, 503
 */
export async function prepareEmailChange({
  kind,
  session,
  token,
  to,
  request,
}: EmailChangeRequest): Promise<PreparedEmail<string>> {
  if (env().SESSION_BACKEND === 'upstream') throw new ApiProblem('not-found');
  const { uid } = session.status;
  await requireProof(session, token, request);
  await consumeLimit('change-email', uid);
  const brand = toNoticeBrand(await request.emailContext());
  const change = randomUUID();
  const issued = await issueCode('email-change', { uid, change });
  await withRecords((records) =>
    changeOwnAccount(uid, request, async ({ locked, account: { facts, user } }) => {
      await assertAllowed(records, { kind, to, account: { facts, user } });
      const begun = { id: change, kind, from: facts.email ?? '', to };
      await beginChange(records, locked, begun, { brand, client: request.client() });
    }),
  );
  wakeOutbox();
  const email = { kind: kind === 'main' ? 'email-change' : 'recovery-email', email: to } as const;
  return { result: issued.token, email: { ...email, code: issued.code, uid, change } };
}

/**
 * Writes a request with its event and, for the main email, the email to the former address. This comes before every change,
 * so that an interruption leaves the former mailbox a link.
 */
function beginChange(
  records: Records,
  locked: LockedAccount,
  change: { id: string; kind: EmailUse; from: string; to: string },
  { brand, client }: { brand: NoticeBrand; client: ClientDescription },
): Promise<void> {
  const { uid } = locked;
  const at = new Date();
  return writeAboutAccount(records, { uid, at }, async (tx) => {
    await insertEmailChange(tx, locked, change);
    const isMain = change.kind === 'main';
    await addEvent(tx, { uid, at, kind: isMain ? 'email-change-requested' : 'recovery-email-requested', client });
    const link = { uid, change: change.id, at: at.toISOString() };
    // A request for a recovery email endangers nothing.
    if (isMain) await addEmail(tx, change.from, { kind: 'email-change-requested', ...link }, brand, change.to);
  });
}

/** @throws ApiProblem of `decideEmailChange` */
async function assertAllowed(
  records: Records,
  { kind, to, account: { facts, user } }: { kind: EmailUse; to: string; account: Account },
): Promise<void> {
  const { uid } = facts;
  const refusal = decideEmailChange({
    kind,
    account: facts,
    to,
    isOfOrganization: await hasEnterprise(to),
    isDeletionScheduled: (await readDeletion(records, uid)) !== null,
    hasRoom: isStorable(user.customClaims, { proved: to }),
    hasRecoveryEmail: (await records.query((tx) => readRecoveryEmail(tx, uid))) !== null,
  });
  if (refusal !== null) throw new ApiProblem(refusal);
}

/** Emails the code and the link to the new address, or tells the owner of the account that has it. @throws ApiProblem `mail-unavailable`, 503 */
export async function emailChangeCode(
  {
    kind,
    email,
    code,
    uid,
    change,
  }: { kind: 'email-change' | 'recovery-email'; email: string } & Pick<IssuedCode, 'code'> & {
      uid: string;
      change: string;
    },
  context: FlowContext,
): Promise<void> {
  const use = kind === 'email-change' ? 'main' : 'recovery';
  if (await isTaken({ uid, kind: use, to: email })) return sendEmail(email, { kind: 'email-change-taken' }, context);
  const link = getActionUrl('changeEmail', await sealEmailChangeLink({ uid, change }), context);
  return sendEmail(email, { kind, code, link }, context);
}

/**
 * Whether another account has an email. A recovery email is that of one account, so that a reset is about one account.
 * @param locked the account, if the caller has locked it
 */
async function isTaken(
  { uid, kind, to }: { uid: string; kind: EmailUse; to: string },
  locked: LockedAccount | null = null,
): Promise<boolean> {
  if ((await findByEmail(to, locked)) !== null) return true;
  const owner = kind === 'main' ? null : await findOwner(to, locked);
  return owner !== null && owner.facts.uid !== uid;
}

/**
 * Changes the email of the signed-in user's account with the emailed code. All other sessions end. A recovery email ends
 * none.
 * @param given `token`: of the browser's cookie; `code`: the typed text
 * @returns this browser's new session; null if it could not be created, or needs none
 * @throws ApiProblem of `redeemCode`; `code-expired`, `email-taken`, `records-unavailable`, 401, 503
 */
export function changeEmailByCode(
  { status: { uid } }: LiveSession,
  { token, code }: { token: string | undefined; code: string },
  request: SessionRequest,
): Promise<RenewedSession | null> {
  return redeemCode('email-change', token, code, (payload) => {
    if (payload.uid !== uid) throw new ApiProblem('code-expired');
    return changeOwnEmail(uid, payload.change ?? '', request, 'code-expired');
  });
}

/**
 * Changes the email of the signed-in user's account by the link of the new mailbox. It needs a session of the account,
 * because the address may be mistyped: a stranger who reads its mailbox must not get the account.
 * @returns this browser's new session; null if it could not be created, or needs none
 * @throws ApiProblem `session-required` for a session of another account; `action-code-expired`, `action-code-invalid`,
 *   `email-taken`, `records-unavailable`, 401, 503
 */
export async function changeEmailByLink(
  { status: { uid } }: LiveSession,
  code: string,
  request: SessionRequest,
): Promise<RenewedSession | null> {
  const link = await readEmailChangeLink(code);
  if (link.uid !== uid) throw new ApiProblem('session-required');
  return changeOwnEmail(uid, link.change, request, 'action-code-invalid');
}

/** @param code of the error if the request is over */
function changeOwnEmail(
  uid: string,
  id: string,
  request: SessionRequest,
  code: ProofOver,
): Promise<RenewedSession | null> {
  return withRecords((records) =>
    changeOwnAccount(uid, request, async ({ locked, account, renew }) => {
      const session = await verifyCookie(request.sessionCookie ?? '');
      const brand = toNoticeBrand(await request.emailContext());
      const kind = await carryOut(records, locked, { account, id, brand, request }, code);
      return kind === 'main' ? renew(session) : null;
    }),
  );
}

/**
 * Makes the recovery email the email of the signed-in user's account. Its mailbox is proved already. The former email does
 * not become the recovery email, because the owner may be about to lose its mailbox.
 * @returns this browser's new session; null if it could not be created
 * @throws ApiProblem of `requireProof` and `decideEmailChange`; `not-found` without a recovery email; `email-taken`,
 *   `too-many-requests`, `records-unavailable`, 401, 503
 */
export async function useRecoveryEmail(
  session: LiveSession,
  token: string | undefined,
  request: SessionRequest,
): Promise<RenewedSession | null> {
  const { uid } = session.status;
  await requireProof(session, token, request);
  await consumeLimit('change-email', uid);
  const brand = toNoticeBrand(await request.emailContext());
  return withRecords((records) =>
    changeOwnAccount(uid, request, async ({ locked, account, renew }) => {
      const proof = await verifyCookie(request.sessionCookie ?? '');
      const to = (await records.query((tx) => readRecoveryEmail(tx, uid)))?.email;
      if (to === undefined) throw new ApiProblem('not-found');
      await assertAllowed(records, { kind: 'main', to, account });
      const id = randomUUID();
      const from = account.facts.email ?? '';
      await beginChange(records, locked, { id, kind: 'main', from, to }, { brand, client: request.client() });
      await carryOut(records, locked, { account, id, brand, request }, 'code-expired');
      return renew(proof);
    }),
  );
}

type ProofOver = 'code-expired' | 'action-code-invalid';
type Proof = { account: Account; id: string; brand: NoticeBrand; request: SessionRequest };

/** @param code of the error if the request is over */
async function carryOut(
  records: Records,
  locked: LockedAccount,
  { account, id, brand, request }: Proof,
  code: ProofOver,
): Promise<EmailUse> {
  const { uid } = locked;
  const change = await readEmailChange(records, { uid, id });
  const refusal = decideEmailProof({
    change,
    account: account.facts,
    isDeletionScheduled: (await readDeletion(records, uid)) !== null,
    hasRecoveryEmail: (await records.query((tx) => readRecoveryEmail(tx, uid))) !== null,
    isTaken: change !== null && (await isTaken(change, locked)),
  });
  if (refusal === 'taken') throw new ApiProblem('email-taken');
  if (change === null || refusal !== null) throw new ApiProblem(code);
  if (change.kind === 'main') await changeMain(records, locked, account, change, { brand, client: request.client() });
  else await addRecoveryEmail(records, locked, change, { brand, request });
  wakeOutbox();
  return change.kind;
}

async function changeMain(
  records: Records,
  locked: LockedAccount,
  account: Account,
  change: StoredEmailChange,
  origin: Origin,
): Promise<void> {
  const { id, uid, to } = change;
  // First, so that an interruption leaves the former mailbox a link that restores its email, and a process the rest of it.
  await writeAboutAccount(records, { uid, at: new Date() }, async (tx) => {
    await markEmailChange(tx, locked, id, true);
    const row = { id: randomUUID(), uid, kind: FINISHING, key: id, body: origin, createdAt: now, dueAt: afterLease };
    await tx.insert(jobs).values(row);
  });
  try {
    await retryWhileUnavailable(() => changeProvedEmail(locked, account.user, to));
  } catch (error) {
    if (isApiProblem(error) && error.code === 'email-taken')
      await writeAboutAccount(records, { uid, at: new Date() }, async (tx) => {
        await markEmailChange(tx, locked, id, false);
        await tx.delete(jobs).where(isItsJob(change));
      });
    throw error;
  }
  await finishChange(records, locked, change, origin);
}

/** Who asked for a change, as its event and its emails have it. */
type Origin = { brand: NoticeBrand; client: ClientDescription };

const FINISHING = 'email-change-finishing';
const isFinishing = eq(jobs.kind, FINISHING);
const isItsJob = ({ uid, id }: StoredEmailChange) => and(isFinishing, eq(jobs.uid, uid), eq(jobs.key, id));

/** Writes what follows a change at the identity provider: passkeys, event and emails. A second call does nothing. */
async function finishChange(
  records: Records,
  locked: LockedAccount,
  change: StoredEmailChange,
  { brand, client }: Origin,
): Promise<void> {
  const { id, uid, from, to, requestedAt } = change;
  const at = new Date();
  await writeAboutAccount(records, { uid, at }, async (tx) => {
    const waiting = await tx.delete(jobs).where(isItsJob(change)).returning({ id: jobs.id });
    if (waiting.length === 0) return;
    await movePasskeys(tx, locked, to);
    if ((await readRecoveryEmail(tx, uid))?.email === to) await deleteRecoveryEmail(tx, uid);
    await addEvent(tx, { uid, at, kind: 'email-changed', client });
    const undo = { uid, change: id, at: requestedAt.toISOString() };
    await addEmail(tx, from, { kind: 'email-change-done', ...undo }, brand);
    await addEmail(tx, to, { kind: 'email-change-here', uid }, brand);
  });
}

/** Changes that were interrupted after the identity provider had made them. Another process writes the rest. */
export const emailChangeJobs: JobHandler = {
  isOwn: isFinishing,
  isWaiting: and(isFinishing, isDue),
  giveUpAfterSeconds: GIVE_UP_AFTER_SECONDS,
  kept: 'failed',
  work: async ({ uid, key, body }, records) => {
    await withAccountLock(uid ?? '', async (locked) => {
      const change = await readEmailChange(records, { uid: locked.uid, id: key ?? '' });
      const user = await readStored(locked.uid);
      // The provider may not have made it, or the account may have changed again.
      if (change === null || change.endedAt !== null || user === null || getProvedEmail(user) !== change.to) return;
      await finishChange(records, locked, change, body as Origin);
    });
    wakeOutbox();
  },
  judge: (error) => ({ code: describeFailure(error).code, isPermanent: false }),
  report: (_job, failure) => {
    if (failure !== null) reportError(failure.error, { during: 'finishing a change of an email' });
  },
};

async function addRecoveryEmail(
  records: Records,
  locked: LockedAccount,
  { id, uid, from, to, requestedAt }: StoredEmailChange,
  { brand, request }: { brand: NoticeBrand; request: SessionRequest },
): Promise<void> {
  const at = new Date();
  await writeAboutAccount(records, { uid, at }, async (tx) => {
    await markEmailChange(tx, locked, id, true);
    const addedIn = await findBrowserOfCookie(tx, getSessionId(request.sessionCookie ?? ''));
    if (!(await insertRecoveryEmail(tx, { uid, email: to, addedIn }))) throw new ApiProblem('email-taken');
    await addEvent(tx, { uid, at, kind: 'recovery-email-added', client: request.client(), addedIn });
    const undo = { uid, change: id, at: requestedAt.toISOString() };
    await addEmail(tx, from, { kind: 'recovery-email-added', ...undo }, brand);
  });
  // Another account may have proved it at the same moment, before it could see the row.
  if (!(await isTaken({ uid, kind: 'recovery', to }, locked))) return;
  await writeAboutAccount(records, { uid, at }, async (tx) => {
    await removeRecoveryEmail(tx, { uid, at, client: request.client() }, brand);
    await tellOfRecoveryEmail(tx, uid, { kind: 'recovery-email-removed', to: from }, brand);
  });
  wakeOutbox();
  throw new ApiProblem('email-taken');
}

/** Writes an email about the change in its transaction. @param notTo see `NewNotice` */
function addEmail(
  tx: Tx,
  to: string,
  {
    uid,
    ...email
  }: { uid: string } & (
    | { kind: EmailChangeNotice | 'recovery-email-added'; change: string; at: string }
    | { kind: 'email-change-here' }
  ),
  brand: NoticeBrand,
  notTo?: string,
): Promise<void> {
  const notice = email.kind === 'email-change-here' ? email : { ...email, uid };
  const body = { channel: 'email' as const, to, email: notice, brand };
  return addNotice(tx, { uid, key: randomUUID(), body, ...(notTo !== undefined && { notTo }) });
}

/**
 * Cancels a change of the email, or restores the former one, by the link of the former mailbox. It also removes a recovery
 * email. A restored account has no password, and all its sessions end.
 * @returns what was done
 * @throws ApiProblem `action-code-expired`, `action-code-invalid`, `email-taken`, 503
 */
export async function undoEmailChange(
  code: string,
  client: ClientDescription,
): Promise<'cancel' | 'restore' | 'remove'> {
  const { uid, change: id } = await readEmailUndoLink(code);
  setRequestAccount(uid);
  return withRecords((records) =>
    withAccountLock(uid, async (locked) => {
      const change = await readUndone(records, { uid, id });
      const decision = decideEmailUndo(change, change !== null && (await isProvedByOther(change, locked)));
      if (decision === 'taken') throw new ApiProblem('email-taken');
      if (change === null || decision === 'expired') throw new ApiProblem('action-code-expired');
      if (decision === 'ended') throw new ApiProblem('action-code-invalid');
      if (decision === 'restore') await restoreFormerEmail(records, locked, change, client);
      else {
        if (decision === 'remove') await undoRecoveryEmail(records, locked, change, client);
        await endChange(records, locked, change, client);
      }
      wakeOutbox();
      return decision;
    }),
  );
}

/**
 * Reads the change of a link. An intruder who adds a recovery email may also change the account's email. Then the link of
 * the former mailbox undoes that change, which also removes the recovery email.
 */
async function readUndone(
  records: Records,
  { uid, id }: { uid: string; id: string },
): Promise<StoredEmailChange | null> {
  const change = await readEmailChange(records, { uid, id });
  if (change?.kind !== 'recovery' || change.doneAt === null) return change;
  const { from, requestedAt: since } = change;
  return (await findEmailChange(records, { uid, from, since })) ?? change;
}

/**
 * Removes a recovery email that the owner did not add. It ends all sessions, and removes the password and what was added
 * since, because a reset may have set the password.
 */
async function undoRecoveryEmail(
  records: Records,
  locked: LockedAccount,
  { uid, from, requestedAt }: StoredEmailChange,
  client: ClientDescription,
): Promise<void> {
  const account = await findById(uid, locked);
  // The link is of the mailbox that the account had at the request.
  if (account?.facts.email !== from) throw new ApiProblem('action-code-invalid');
  await keepAccountBy(records, locked, { client });
  const at = new Date();
  const isSince = ({ at: addedAt }: { at: Date }) => addedAt >= requestedAt;
  await writeAboutAccount(records, { uid, at }, async (tx) => {
    await locked.assertHeld(tx);
    const isRemoved = await removeRecoveryEmail(tx, { uid, at, client }, getOwnBrand(), isSince);
    await removeSuspectPasskeys(tx, { uid, at, client }, { isSuspect: isSince });
    await removeSuspectFactors(tx, { uid, at, client }, isSince);
    if (isRemoved) await tellOfRecoveryEmail(tx, uid, { kind: 'recovery-email-removed', to: from }, getOwnBrand());
  });
  const methods = hasMethod(account.facts, 'password') ? ['password'] : [];
  const tell = () => Promise.resolve();
  await retryWhileUnavailable(() =>
    changeJudgedAccount(locked, account, { removes: { methods, tell }, revoke: 'disavowed' }),
  );
}

/**
 * Restores the email before a change. All later changes end. The account has no password then, and its sessions end.
 * @throws ApiProblem 503
 */
export async function restoreFormerEmail(
  records: Records,
  locked: LockedAccount,
  change: StoredEmailChange,
  client: ClientDescription,
): Promise<void> {
  const { uid } = locked;
  const at = new Date();
  // An intruder who changed the email may have asked for the deletion, too.
  await keepAccountBy(records, locked, { client });
  const ownUntil = getOwnUntil(change);
  await writeAboutAccount(records, { uid, at }, async (tx) => {
    // First, because the mailbox of a later change could otherwise undo a restoration that is interrupted.
    await endRestoredChanges(tx, locked, change);
    // The restoration removes all other passkeys.
    await movePasskeys(tx, locked, change.from, ownUntil);
    await removeSuspectFactors(tx, { uid, at, client }, ({ at: addedAt }) => addedAt >= change.requestedAt);
    // Before the emails about the restoration, which its mailbox would get.
    await removeRecoveryEmail(tx, { uid, at, client }, getOwnBrand(), ({ at: addedAt }) => addedAt >= ownUntil);
  });
  await repairAccount(locked, change.from);
  // Last, so that the link still works if the restoration fails or is interrupted.
  await endChange(records, locked, change, client);
}

/** Ends a change and all later ones. */
function endChange(
  records: Records,
  locked: LockedAccount,
  change: StoredEmailChange,
  client: ClientDescription,
): Promise<void> {
  const { uid } = locked;
  const at = new Date();
  return writeAboutAccount(records, { uid, at }, async (tx) => {
    await endEmailChanges(tx, locked, change);
    if (change.doneAt === null) await addEvent(tx, { uid, at, kind: 'email-change-cancelled', client });
  });
}

/**
 * Returns the change by which an account left a mailbox since a time, if that mailbox can still undo it.
 * @param from the email of the mailbox
 */
export async function findReversibleChange(
  records: Records,
  locked: LockedAccount,
  from: { from: string; since: Date },
): Promise<StoredEmailChange | null> {
  const change = await findEmailChange(records, { uid: locked.uid, ...from });
  const isReversible = change !== null && decideEmailUndo(change, await isProvedByOther(change, locked)) === 'restore';
  return isReversible ? change : null;
}

async function isProvedByOther({ uid, from, doneAt }: StoredEmailChange, locked: LockedAccount): Promise<boolean> {
  if (doneAt === null) return false;
  const holder = await findByEmail(from, locked);
  return holder !== null && holder.facts.uid !== uid && getProvedEmail(holder.user) === from;
}

/** Returns the state of the link of the new mailbox. Opening it changes nothing. */
export async function inspectEmailChange(code: string): Promise<LinkedEmailChange> {
  try {
    const { uid, change: id } = await readEmailChangeLink(code);
    const [change, account] = [
      await withRecords((records) => readEmailChange(records, { uid, id })),
      await findById(uid),
    ];
    if (change === null || account === null) return { state: 'invalid', email: null };
    const rest = { isDeletionScheduled: false, hasRecoveryEmail: false, isTaken: false };
    const refusal = decideEmailProof({ change, account: account.facts, ...rest });
    if (refusal === null) return { state: 'open', email: change.to, kind: change.kind };
    return { state: refusal === 'expired' ? 'expired' : 'ended', email: null };
  } catch (error) {
    return { state: toLinkState(error), email: null };
  }
}

/** Returns the state of the link of the former mailbox. Opening it changes nothing. */
export async function inspectEmailUndo(code: string): Promise<LinkedEmailChange> {
  try {
    const { uid, change: id } = await readEmailUndoLink(code);
    const change = await withRecords((records) => readUndone(records, { uid, id }));
    const decision = decideEmailUndo(change, false);
    if (change === null) return { state: 'invalid', email: null };
    // Not the new email, because the former mailbox can be another person's by now.
    if (decision === 'cancel') return { state: 'open', email: change.from, kind: change.kind };
    if (decision === 'restore' || decision === 'remove')
      return { state: 'done', email: change.from, kind: change.kind };
    return { state: decision === 'expired' ? 'expired' : 'ended', email: null };
  } catch (error) {
    return { state: toLinkState(error), email: null };
  }
}
