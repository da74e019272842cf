import { randomUUID } from 'node:crypto';
import {
  requireFreshProof,
  changeOwnAccount,
  type RenewedSession,
  getSessionBackend,
  revokeAllSessions,
  type LiveSession,
  type SessionRequest,
} from '@/lib/server/session';
import {
  toNoticeBrand,
  wakeOutbox,
  insertDeletion,
  markSignedOut,
  cancelDeletion,
  defineCancelLink,
  readDeletion,
  sendWebhook,
  WebhookError,
  deleteAccountWithNotices,
  holdDeletion,
  readReminderSent,
  remindOfDeletion,
  startDeletion,
  type Deletion,
} from '@/lib/server/notifications';
import { consumeLimit, withRecords, advanceDue, postpone, deletions, type Records } from '@/lib/server/storage';
import { type ClientDescription, hashAccount, listWebhookReceivers, log } from '@/lib/server/runtime';
import { readDeletionLink } from '@/lib/server/codes';
import { reportError } from '@/lib/shared/error-reporting/report';
import { ApiProblem, isApiProblem } from '@/lib/shared/problem';
import {
  changeAccountWithSessions,
  deleteAccount,
  providerUnavailable,
  readStored,
  retryWhileUnavailable,
  withAccountLock,
} from '@/lib/server/identity';
import { decideDeletion } from '@/lib/server/policy';

/**
 * Schedules the deletion of the signed-in user's account, and ends all its sessions. This browser gets a new one, in which its
 * owner can still keep the account. Repeated, it changes nothing but that it ends them again.
 * @param token as for `requireFreshProof`
 * @returns when the account is deleted, RFC 3339; the new session, null if it could not be created
 * @throws ApiProblem as `requireFreshProof`; `not-found` without records, `too-many-requests`, `records-unavailable`, 503
 */
export function requestDeletion(
  { status: { uid } }: LiveSession,
  token: string,
  request: SessionRequest,
): Promise<{ effectiveAt: string; renewed: RenewedSession | null }> {
  return withRecords(async (records) => {
    const { decoded } = await requireFreshProof(uid, token, request);
    await consumeLimit('schedule-deletion', uid);
    const brand = toNoticeBrand(await request.emailContext());
    return changeOwnAccount(uid, request, async ({ user }, renew) => {
      const email = user.email ?? null;
      const deletion = await insertDeletion(records, { uid, email, brand, client: request.client() });
      const effectiveAt = deletion.effectiveAt.toISOString();
      wakeOutbox();
      try {
        await revokeAllSessions(uid);
        // The provider revokes by whole seconds; a session created within this second must be ended explicitly.
        await getSessionBackend().end(request.sessionCookie ?? '');
        await markSignedOut(records, deletion);
      } catch (error) {
        if (deletion.signedOutAt !== null) throw error;
        // It is scheduled, and whichever process takes it next ends the sessions (`advance`).
        reportError(error, { during: 'ending the sessions of an account that is to be deleted' });
        return { effectiveAt, renewed: null };
      }
      return { effectiveAt, renewed: await renew(decoded) };
    });
  });
}

/**
 * Cancels the deletion of the signed-in user's account. A session is enough: keeping loses nothing. Not before the request has ended all of
 * them: it may be another person's, and nothing would end it after that.
 * @returns whether there was one to cancel
 * @throws ApiProblem `provider-unavailable` until then, `action-code-expired` once the deletion has begun; `not-found` without records,
 *   `records-unavailable`
 */
export function keepAccount({ status: { uid } }: LiveSession, client: ClientDescription): Promise<boolean> {
  return withRecords(async (records) => {
    const found = await readDeletion(records, uid);
    if (found === null) return false;
    const { id, signedOutAt, startedAt } = found;
    if (signedOutAt === null && startedAt === null) throw providerUnavailable();
    const isKept = await cancelDeletion(records, { uid, id, client });
    // It has begun, and goes on.
    if (!isKept && (await readDeletion(records, uid, id)) !== null) throw new ApiProblem('action-code-expired');
    wakeOutbox();
    return isKept;
  });
}

/** By the link of an email about it, which says that all sessions are ended. */
export const { keep: keepAccountByLink, inspect: inspectDeletionLink } = defineCancelLink({
  readLink: readDeletionLink,
  read: (records, { uid, deletion }) => readDeletion(records, uid, deletion),
  cancel: async (records, { uid, deletion: id }, client) => {
    const found = await readDeletion(records, uid, id);
    if (found?.signedOutAt === null && found.startedAt === null) await endEarlierSessions(records, found);
    return cancelDeletion(records, { uid, id, client });
  },
});

/** Ends the sessions of before a request, once: those that were opened since a revocation go on. @throws ApiProblem 503 */
async function endEarlierSessions(records: Records, deletion: Deletion): Promise<void> {
  const { uid, requestedAt } = deletion;
  await withAccountLock(uid, async () => {
    const { validSince = 0 } = (await providerCalls.readAccount(uid)) ?? {};
    if (validSince < requestedAt.getTime()) await providerCalls.endSessions(uid);
  });
  await markSignedOut(records, deletion);
}

/** The account of a deletion at the identity provider. */
type ProviderAccount = { email: string | null; disabled: boolean; validSince: number } | null;

/** The identity provider's part of a deletion: each call can be repeated. */
export const providerCalls = {
  readAccount: async (uid: string): Promise<ProviderAccount> => {
    const user = await readStored(uid);
    if (!user) return null;
    const validSince = Date.parse(user.tokensValidAfterTime ?? '') || 0;
    return { email: user.email ?? null, disabled: user.disabled, validSince };
  },
  endSessions: async (uid: string): Promise<void> => {
    try {
      await changeAccountWithSessions(uid, { revoke: true });
    } catch (error) {
      if (!isApiProblem(error) || error.code !== 'user-deleted') throw error;
    }
  },
  // Again where no answer came: it may be done late, and is once the provider does not find the account.
  deleteAccount: (uid: string) => retryWhileUnavailable(() => deleteAccount(uid)),
};

/**
 * Does what requested deletions need now: reminders, and deletions themselves.
 * @throws RecordsError
 */
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
 * Deletes an account: sessions, then the account at the identity provider, then all records together with the notices
 * that tell of it. Repeated after an interruption it finishes, and nothing is announced twice.
 * @throws ApiProblem 503; RecordsError
 */
export async function finishDeletion(
  records: Records,
  deletion: Deletion,
  account: ProviderAccount = null,
): Promise<void> {
  const { uid, startedAt } = deletion;
  const emails = mergeEmails(deletion, account);
  await withAccountLock(uid, async () => {
    // Once more, with the account's lock: it may have been disabled while this waited.
    if (startedAt === null && (await providerCalls.readAccount(uid))?.disabled) return;
    if (!(await startDeletion(records, deletion, emails))) return;
    await providerCalls.endSessions(uid);
    await providerCalls.deleteAccount(uid);
    await deleteAccountWithNotices(records, deletion);
    log().info({ account: hashAccount(uid) }, 'an account was deleted');
  });
}

/**
 * Deletes an account where no records are kept, and tells each receiver once. Repeated, it tells them again.
 * @returns the receivers that have not accepted it, each with the reason
 * @throws ApiProblem 503
 */
export async function deleteWithoutRecords(uid: string): Promise<string[]> {
  await providerCalls.endSessions(uid);
  await providerCalls.deleteAccount(uid);
  const event = { type: 'account.deleted', timestamp: new Date().toISOString(), data: { uid } } as const;
  const receivers = (await listWebhookReceivers()).filter(({ events }) => events.includes(event.type));
  const untold = await Promise.all(
    receivers.map(async ({ name }) => {
      try {
        await sendWebhook(name, randomUUID(), event);
        return [];
      } catch (error) {
        return [`${name ?? 'WEBHOOK_URL'} (${error instanceof WebhookError ? error.code : String(error)})`];
      }
    }),
  );
  return untold.flat();
}

/** The email at the request and the present one, which may belong to different people. */
function mergeEmails({ emails }: Deletion, account: ProviderAccount): string[] {
  const present = account?.email ?? null;
  const isKnown = present === null || emails.some((email) => email.toLowerCase() === present.toLowerCase());
  return isKnown ? emails : [...emails, present];
}
