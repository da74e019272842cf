import type { ScheduledChange } from '@/lib/shared/account/email-action';
import { type ClientDescription, setRequestAccount } from '@/lib/server/runtime';
import { wakeOutbox, cancelDeletion, readDeletion } from '@/lib/server/notifications';
import { readDeletionLink, toCancelProblem, toLinkState } from '@/lib/server/codes';
import { withRecords } from '@/lib/server/storage';
import type { LiveSession } from '@/lib/server/session';

/**
 * Cancels the deletion of the signed-in user's account. A session is enough: keeping loses nothing.
 * @returns whether there was one to cancel
 * @throws ApiProblem `not-found` without records, `records-unavailable`
 */
export function keepAccount({ status: { uid } }: LiveSession, client: ClientDescription): Promise<boolean> {
  return withRecords(async (records) => {
    const isKept = await cancelDeletion(records, { uid, client });
    wakeOutbox();
    return isKept;
  });
}

/**
 * Cancels a deletion by the link of an email about it, without a session: the deletion has ended them all.
 * @throws ApiProblem `action-code-expired` once the account is deleted, `action-code-invalid` when it was kept before;
 *   `not-found` without records, `records-unavailable`
 */
export function keepAccountByLink(code: string, client: ClientDescription): Promise<void> {
  return withRecords(async (records) => {
    const link = await readDeletionLink(code);
    setRequestAccount(link.uid);
    const isKept = await cancelDeletion(records, { uid: link.uid, id: link.deletion, client });
    if (!isKept) throw toCancelProblem(link);
    wakeOutbox();
  });
}

/** The state of a link that keeps an account; opening it changes nothing. */
export async function inspectDeletionLink(code: string): Promise<ScheduledChange> {
  try {
    return await withRecords(async (records) => {
      const link = await readDeletionLink(code);
      const found = await readDeletion(records, link.uid, link.deletion);
      if (found === null || found.startedAt !== null) throw toCancelProblem(link);
      return { state: 'scheduled', effectiveAt: found.effectiveAt.toISOString() };
    });
  } catch (error) {
    return { state: toLinkState(error), effectiveAt: null };
  }
}
