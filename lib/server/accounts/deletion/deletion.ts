import {
  requireFreshProof,
  changeOwnAccount,
  type RenewedSession,
  getSessionBackend,
  revokeAllSessions,
  type LiveSession,
  type SessionRequest,
} from '@/lib/server/session';
import { toNoticeBrand, wakeOutbox, defineCancelLink, getOwnBrand } from '@/lib/server/notifications';
import {
  consumeLimit,
  withAccountLock,
  withRecords,
  advanceDue,
  postpone,
  deletions,
  type ByOperator,
  type LockedAccount,
  type Records,
} from '@/lib/server/storage';
import { type ClientDescription, hashAccount, log } from '@/lib/server/runtime';
import { readDeletionLink } from '@/lib/server/codes';
import { reportError } from '@/lib/shared/error-reporting/report';
import { ApiProblem, isApiProblem } from '@/lib/shared/problem';
import {
  changeAccountWithSessions,
  deleteAccount,
  providerUnavailable,
  readStored,
  retryWhileUnavailable,
} from '@/lib/server/identity';
import { decideDeletion } from '@/lib/server/policy';
import {
  cancelDeletion,
  deleteAccountWithNotices,
  type Deletion,
  holdDeletion,
  insertDeletion,
  markSignedOut,
  orderDeletion,
  readDeletion,
  readReminderSent,
  remindOfDeletion,
  startDeletion,
} from './rows';

/**
 * Schedules the deletion of the signed-in user's account, and ends all its sessions. This browser gets a new session,
 * in which the owner can still keep the account. A repeated request only ends the sessions again.
 * @param token proof for `requireFreshProof`
 * @returns when the account is deleted, RFC 3339; the new session, or null if it could not be created
 * @throws ApiProblem of `requireFreshProof`; `too-many-requests`, `records-unavailable`, 503; `not-found` if another
 *   deployment has the accounts
 */
export function requestDeletion(
  { status: { uid } }: LiveSession,
  token: string,
  request: SessionRequest,
): Promise<{ effectiveAt: string; renewed: RenewedSession | null }> {
  return withRecords(async (records) => {
    const { token: proof } = await requireFreshProof(uid, token, request);
    await consumeLimit('schedule-deletion', uid);
    const brand = toNoticeBrand(await request.emailContext());
    return changeOwnAccount(uid, request, async ({ locked, account: { user }, renew }) => {
      const email = user.email ?? null;
      const deletion = await insertDeletion(records, locked, { email, brand, client: request.client() });
      const effectiveAt = deletion.effectiveAt.toISOString();
      wakeOutbox();
      try {
        await revokeAllSessions(locked, 'deletion-requested');
        // The provider revokes by whole seconds, so end a session created within this second explicitly.
        await getSessionBackend().end(request.sessionCookie ?? '');
        await markSignedOut(records, deletion);
      } catch (error) {
        if (deletion.signedOutAt !== null) throw error;
        // The deletion is scheduled, and the next process that advances it ends the sessions (`advance`).
        reportError(error, { during: 'ending the sessions of an account that is to be deleted' });
        return { effectiveAt, renewed: null };
      }
      return { effectiveAt, renewed: await renew(proof) };
    });
  });
}

/**
 * Cancels the deletion of the signed-in user's account. A session is sufficient, because keeping an account loses no
 * data. It is refused until the request has ended all sessions, because a session may be another person's, and would
 * otherwise never end.
 * @returns whether a deletion was canceled
 * @throws ApiProblem `provider-unavailable` until the sessions have ended; `action-code-expired` after the deletion has
 *   begun
 * @throws ApiProblem `records-unavailable`; `not-found` if another deployment has the accounts
 */
export function keepAccount({ status: { uid } }: LiveSession, client: ClientDescription): Promise<boolean> {
  return withRecords(async (records) => {
    const found = await readDeletion(records, uid);
    if (found === null) return false;
    const { id, signedOutAt, startedAt } = found;
    if (signedOutAt === null && startedAt === null) throw providerUnavailable();
    const isKept = await cancelDeletion(records, { uid, id, client });
    // The deletion has begun and continues.
    if (!isKept && (await readDeletion(records, uid, id)) !== null) throw new ApiProblem('action-code-expired');
    wakeOutbox();
    return isKept;
  });
}

/** Cancels a deletion by the link of its email, which says that all sessions have ended. */
export const { keep: keepAccountByLink, inspect: inspectDeletionLink } = defineCancelLink({
  readLink: readDeletionLink,
  read: (records, { uid, deletion }) => readDeletion(records, uid, deletion),
  cancel: async (records, { uid, deletion: id }, client) => {
    await signOutFirst(records, await readDeletion(records, uid, id));
    return cancelDeletion(records, { uid, id, client });
  },
});

/**
 * Cancels a deletion without a session or a link, under the account's lock: by order of an operator, or with the owner's
 * former email.
 * @returns whether a deletion was canceled; false also after it has begun
 * @throws ApiProblem 503; RecordsError
 */
export async function keepAccountBy(
  records: Records,
  locked: LockedAccount,
  by: ByOperator | { client: ClientDescription },
): Promise<boolean> {
  const { uid } = locked;
  const found = await readDeletion(records, uid);
  if (found === null) return false;
  await signOutFirst(records, found, locked);
  return cancelDeletion(records, { uid, id: found.id, ...by });
}

/**
 * Deletes an account, or what its deletion elsewhere has left, by order of an operator. There is no grace period.
 * @param email the account's, which gets the last notice; null without an account
 * @throws ApiProblem 503; RecordsError
 */
export async function deleteByOrder(records: Records, locked: LockedAccount, email: string | null): Promise<void> {
  const deletion = await orderDeletion(records, locked.uid, getOwnBrand());
  await finishDeletion(records, deletion, { email, disabled: false, validSince: 0 }, locked);
}

/** Ends the sessions from before a request that has not ended them yet. @throws ApiProblem 503 */
async function signOutFirst(records: Records, found: Deletion | null, held?: LockedAccount): Promise<void> {
  if (found?.signedOutAt === null && found.startedAt === null) await endEarlierSessions(records, found, held);
}

/**
 * Ends the sessions from before a request, once. Sessions opened after a revocation continue.
 * @param held the account, if the caller has locked it
 * @throws ApiProblem 503
 */
async function endEarlierSessions(records: Records, deletion: Deletion, held?: LockedAccount): Promise<void> {
  const { uid, requestedAt } = deletion;
  await withAccountLock(held ?? uid, async (locked) => {
    const { validSince = 0 } = (await providerCalls.readAccount(uid)) ?? {};
    if (validSince < requestedAt.getTime()) await providerCalls.endSessions(locked);
  });
  await markSignedOut(records, deletion);
}

/** The account of a deletion at the identity provider. */
type ProviderAccount = { email: string | null; disabled: boolean; validSince: number } | null;

/** The identity provider's part of a deletion. Each call can be repeated. */
export const providerCalls = {
  readAccount: async (uid: string): Promise<ProviderAccount> => {
    const user = await readStored(uid);
    if (!user) return null;
    const validSince = Date.parse(user.tokensValidAfterTime ?? '') || 0;
    return { email: user.email ?? null, disabled: user.disabled, validSince };
  },
  endSessions: async (account: LockedAccount): Promise<void> => {
    try {
      await changeAccountWithSessions(account, { revoke: 'deletion-requested' });
    } catch (error) {
      if (!isApiProblem(error) || error.code !== 'user-deleted') throw error;
    }
  },
  // Retry without a response. The provider may delete late, and then no longer finds the account.
  deleteAccount: (uid: string) => retryWhileUnavailable(() => deleteAccount(uid)),
};

/** Advances requested deletions: sends reminders, and deletes accounts when due. @throws RecordsError */
export function advanceDeletions(records: Records): Promise<void> {
  return advanceDue(records, deletions, {
    advance: (row, now) => advance(records, row, now),
    delayed: 'the deletion of an account is delayed',
  });
}

async function advance(records: Records, deletion: Deletion, now: Date): Promise<void> {
  const { uid } = deletion;
  const account = await providerCalls.readAccount(uid);
  const state = account === null ? 'gone' : account.disabled ? 'disabled' : 'active';
  const sentAt = await readReminderSent(records, deletion);
  const decision = decideDeletion({ now, ...deletion, sentAt, account: state });
  switch (decision.step) {
    case 'hold':
      log().warn({ account: hashAccount(uid) }, 'the deletion of a disabled account waits');
      return holdDeletion(records, deletion, decision);
    case 'wait':
      return postpone(records, deletions, deletion, decision);
    case 'sign-out':
      return endEarlierSessions(records, deletion);
    case 'remind':
      return remindOfDeletion(records, deletion, mergeEmails(deletion, account));
    case 'delete':
      return finishDeletion(records, deletion, account);
  }
}

/**
 * Deletes an account: first its sessions, then the account at the identity provider, then all records together with the
 * last notices. After an interruption, a repeated call finishes, and announces only once.
 * @param held the account, if the caller has locked it
 * @throws ApiProblem 503; RecordsError
 */
export async function finishDeletion(
  records: Records,
  deletion: Deletion,
  account: ProviderAccount = null,
  held?: LockedAccount,
): Promise<void> {
  const { uid, startedAt } = deletion;
  const emails = mergeEmails(deletion, account);
  await withAccountLock(held ?? uid, async (locked) => {
    // Check again with the account's lock, because the account may have been disabled during the wait.
    if (startedAt === null && (await providerCalls.readAccount(uid))?.disabled) return;
    if (!(await startDeletion(records, deletion, emails))) return;
    await providerCalls.endSessions(locked);
    await providerCalls.deleteAccount(uid);
    await deleteAccountWithNotices(records, deletion);
    log().info({ account: hashAccount(uid) }, 'an account was deleted');
  });
}

/** Combines the emails at the request with the present email, which may belong to different people. */
function mergeEmails({ emails }: Deletion, account: ProviderAccount): string[] {
  const present = account?.email ?? null;
  const isKnown = present === null || emails.some((email) => email.toLowerCase() === present.toLowerCase());
  return isKnown ? emails : [...emails, present];
}
