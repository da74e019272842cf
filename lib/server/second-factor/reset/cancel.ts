import type { ScheduledChange } from '@/lib/shared/account/email-action';
import { type ClientDescription, setRequestAccount } from '@/lib/server/runtime';
import { wakeOutbox, cancelReset, readFactorReset } from '@/lib/server/notifications';
import { readResetLink, toCancelProblem, toLinkState } from '@/lib/server/codes';
import { withRecords } from '@/lib/server/storage';
import type { LiveSession } from '@/lib/server/session';

/**
 * Cancels the reset of the signed-in user's second factor, if one runs. A session is enough: canceling loses nothing.
 * @throws ApiProblem `not-found` without records, `records-unavailable`
 */
export function keepSecondFactor({ status: { uid } }: LiveSession, client: ClientDescription): Promise<void> {
  return withRecords(async (records) => {
    await records.transact((tx) => cancelReset(tx, { uid, at: new Date(), client }));
    wakeOutbox();
  });
}

/**
 * Cancels a reset by the link of an email about it, without a session.
 * @throws ApiProblem `action-code-expired` once the second factor is off, `action-code-invalid` when it was kept before;
 *   `not-found` without records, `records-unavailable`
 */
export function keepSecondFactorByLink(code: string, client: ClientDescription): Promise<void> {
  return withRecords(async (records) => {
    const link = await readResetLink(code);
    const { uid, reset: id } = link;
    setRequestAccount(uid);
    const isKept = await records.transact((tx) => cancelReset(tx, { uid, id, at: new Date(), client }));
    if (!isKept) throw toCancelProblem(link);
    wakeOutbox();
  });
}

/** The state of a link that keeps a second factor; opening it changes nothing. */
export async function inspectResetLink(code: string): Promise<ScheduledChange> {
  try {
    return await withRecords(async (records) => {
      const link = await readResetLink(code);
      const found = await readFactorReset(records, link.uid, link.reset);
      if (found === null || found.startedAt !== null) throw toCancelProblem(link);
      return { state: 'scheduled', effectiveAt: found.effectiveAt.toISOString() };
    });
  } catch (error) {
    return { state: toLinkState(error), effectiveAt: null };
  }
}
