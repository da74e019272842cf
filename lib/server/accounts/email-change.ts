import { randomUUID } from 'node:crypto';
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
  changeProvedEmail,
  findByEmail,
  findById,
  restoreProvedEmail,
  retryWhileUnavailable,
} from '@/lib/server/identity';
import {
  addNotice,
  type EmailChangeNotice,
  type FlowContext,
  getActionUrl,
  readDeletion,
  sendEmail,
  toNoticeBrand,
  wakeOutbox,
} from '@/lib/server/notifications';
import {
  type Account,
  decideEmailChange,
  decideEmailProof,
  decideEmailUndo,
  getOwnUntil,
  getProvedEmail,
  hasEnterprise,
  isStorable,
} from '@/lib/server/policy';
import { type ClientDescription, env, setRequestAccount } from '@/lib/server/runtime';
import { removeSuspectFactors } from '@/lib/server/second-factor';
import {
  changeOwnAccount,
  type LiveSession,
  type RenewedSession,
  requireProof,
  type SessionRequest,
  verifyCookie,
} from '@/lib/server/session';
import {
  addEvent,
  consumeLimit,
  endEmailChanges,
  findEmailChange,
  insertEmailChange,
  type LockedAccount,
  markEmailChange,
  movePasskeys,
  type NoticeBrand,
  readEmailChange,
  type Records,
  type StoredEmailChange,
  type Tx,
  withAccountLock,
  withRecords,
  writeAboutAccount,
} from '@/lib/server/storage';
import type { LinkedEmailChange } from '@/lib/shared/account/email-action';
import { ApiProblem, isApiProblem } from '@/lib/shared/problem';
import { keepAccountBy } from './deletion';
import type { PreparedEmail } from './requested-email';

// A change of an account's email by its owner (docs/adr/0050). The new mailbox gets a code and a link. Until one of them
// is used, nothing has changed. The former mailbox gets a link that cancels the change, and undoes it for a week.

/** Who asks for which email. `token`: proof for `requireProof`. */
type EmailChangeRequest = { session: LiveSession; token: string | undefined; to: string; request: SessionRequest };

/**
 * Prepares the email to the new address. The request is written with the email to the former address. It does not read
 * whose the new address is.
 * @returns the token for the browser's cookie; its code is emailed only if no account has the address
 * @throws ApiProblem of `requireProof` and `decideEmailChange`; `too-many-requests`, `records-unavailable`, 401, 503
 */
export async function prepareEmailChange({
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
      const refusal = decideEmailChange({
        account: facts,
        to,
        isOfOrganization: await hasEnterprise(to),
        isDeletionScheduled: (await readDeletion(records, uid)) !== null,
        hasRoom: isStorable(user.customClaims, { proved: to }),
      });
      if (refusal !== null) throw new ApiProblem(refusal);
      const from = facts.email ?? '';
      const at = new Date();
      await writeAboutAccount(records, { uid, at }, async (tx) => {
        await locked.assertHeld();
        await insertEmailChange(tx, { id: change, uid, from, to });
        await addEvent(tx, { uid, at, kind: 'email-change-requested', client: request.client() });
        await addEmail(tx, from, { kind: 'email-change-requested', uid, change, at: at.toISOString() }, brand);
      });
    }),
  );
  wakeOutbox();
  return { result: issued.token, email: { kind: 'email-change', email: to, code: issued.code, uid, change } };
}

/** Emails the code and the link to the new address, or tells the owner of the account that has it. @throws ApiProblem `mail-unavailable`, 503 */
export async function emailChangeCode(
  { email, code, uid, change }: { email: string } & Pick<IssuedCode, 'code'> & { uid: string; change: string },
  context: FlowContext,
): Promise<void> {
  if ((await findByEmail(email)) !== null) return sendEmail(email, { kind: 'email-change-taken' }, context);
  const link = getActionUrl('changeEmail', await sealEmailChangeLink({ uid, change }), context);
  return sendEmail(email, { kind: 'email-change', code, link }, context);
}

/**
 * Changes the email of the signed-in user's account with the emailed code. All other sessions end.
 * @param given `token`: of the browser's cookie; `code`: the typed text
 * @returns this browser's new session; null if it could not be created
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
 * @returns this browser's new session; null if it could not be created
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
      await carryOut(records, locked, { account, id, brand, client: request.client() }, code);
      return renew(session);
    }),
  );
}

type ProofOver = 'code-expired' | 'action-code-invalid';
type Proof = { account: Account; id: string; brand: NoticeBrand; client: ClientDescription };

/** @param code of the error if the request is over */
async function carryOut(
  records: Records,
  locked: LockedAccount,
  { account, id, brand, client }: Proof,
  code: ProofOver,
): Promise<void> {
  const { uid } = locked;
  const change = await readEmailChange(records, { uid, id });
  const refusal = decideEmailProof({
    change,
    account: account.facts,
    isDeletionScheduled: (await readDeletion(records, uid)) !== null,
    isTaken: change !== null && (await findByEmail(change.to)) !== null,
  });
  if (refusal === 'taken') throw new ApiProblem('email-taken');
  if (change === null || refusal !== null) throw new ApiProblem(code);
  const { from, to } = change;
  // First, so that an interruption leaves the former mailbox a link that restores its email.
  await markEmailChange(records, id, true);
  try {
    await retryWhileUnavailable(() => changeProvedEmail(locked, account.user, to));
  } catch (error) {
    if (isApiProblem(error) && error.code === 'email-taken') await markEmailChange(records, id, false);
    throw error;
  }
  const at = new Date();
  await writeAboutAccount(records, { uid, at }, async (tx) => {
    await movePasskeys(tx, uid, to);
    await addEvent(tx, { uid, at, kind: 'email-changed', client });
    const undo = { uid, change: id, at: change.requestedAt.toISOString() };
    await addEmail(tx, from, { kind: 'email-change-done', ...undo }, brand);
    await addEmail(tx, to, { kind: 'email-change-here', uid }, brand);
  });
  wakeOutbox();
}

/** Writes an email about the change in its transaction. */
function addEmail(
  tx: Tx,
  to: string,
  {
    uid,
    ...email
  }: { uid: string } & ({ kind: EmailChangeNotice; change: string; at: string } | { kind: 'email-change-here' }),
  brand: NoticeBrand,
): Promise<void> {
  const notice = email.kind === 'email-change-here' ? email : { ...email, uid };
  return addNotice(tx, { uid, key: randomUUID(), body: { channel: 'email', to, email: notice, brand } });
}

/**
 * Cancels a change of the email, or restores the former one, by the link of the former mailbox. A restored account has
 * no password, and all its sessions end.
 * @returns what was done
 * @throws ApiProblem `action-code-expired`, `action-code-invalid`, `email-taken`, 503
 */
export async function undoEmailChange(code: string, client: ClientDescription): Promise<'cancel' | 'restore'> {
  const { uid, change: id } = await readEmailUndoLink(code);
  setRequestAccount(uid);
  return withRecords((records) =>
    withAccountLock(uid, async (locked) => {
      const change = await readEmailChange(records, { uid, id });
      const decision = decideEmailUndo(change, change !== null && (await isProvedByOther(change)));
      if (decision === 'taken') throw new ApiProblem('email-taken');
      if (change === null || decision === 'expired') throw new ApiProblem('action-code-expired');
      if (decision === 'ended') throw new ApiProblem('action-code-invalid');
      if (decision === 'restore') await restoreFormerEmail(records, locked, change, client);
      else await endChange(records, locked, change, client);
      wakeOutbox();
      return decision;
    }),
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
  await keepAccountBy(records, uid, { client });
  const ownUntil = getOwnUntil(change);
  await writeAboutAccount(records, { uid, at }, async (tx) => {
    await locked.assertHeld();
    // The restoration removes all other passkeys.
    await movePasskeys(tx, uid, change.from, ownUntil);
    await removeSuspectFactors(tx, { uid, at, client }, ({ at: addedAt }) => addedAt >= change.requestedAt);
  });
  await restoreProvedEmail(locked, change.from);
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
    await locked.assertHeld();
    await endEmailChanges(tx, change);
    if (change.doneAt === null) await addEvent(tx, { uid, at, kind: 'email-change-cancelled', client });
  });
}

/**
 * Returns the change by which an account left a mailbox since a time, if that mailbox can still undo it.
 * @param from the email of the mailbox
 */
export async function findReversibleChange(
  records: Records,
  from: { uid: string; from: string; since: Date },
): Promise<StoredEmailChange | null> {
  const change = await findEmailChange(records, from);
  const isReversible = change !== null && decideEmailUndo(change, await isProvedByOther(change)) === 'restore';
  return isReversible ? change : null;
}

async function isProvedByOther({ uid, from, doneAt }: StoredEmailChange): Promise<boolean> {
  if (doneAt === null) return false;
  const holder = await findByEmail(from);
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
    const refusal = decideEmailProof({ change, account: account.facts, isDeletionScheduled: false, isTaken: false });
    if (refusal === null) return { state: 'open', email: change.to };
    return { state: refusal === 'expired' ? 'expired' : 'ended', email: null };
  } catch (error) {
    return { state: toLinkState(error), email: null };
  }
}

/** Returns the state of the link of the former mailbox. Opening it changes nothing. */
export async function inspectEmailUndo(code: string): Promise<LinkedEmailChange> {
  try {
    const { uid, change: id } = await readEmailUndoLink(code);
    const change = await withRecords((records) => readEmailChange(records, { uid, id }));
    const decision = decideEmailUndo(change, false);
    if (change === null) return { state: 'invalid', email: null };
    // Not the new email, because the former mailbox can be another person's by now.
    if (decision === 'cancel') return { state: 'open', email: change.from };
    if (decision === 'restore') return { state: 'done', email: change.from };
    return { state: decision === 'expired' ? 'expired' : 'ended', email: null };
  } catch (error) {
    return { state: toLinkState(error), email: null };
  }
}
