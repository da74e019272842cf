import { requireFreshProof } from '../accounts/fresh-proof';
import { toNoticeBrand } from '../notices/types';
import { wakeOutbox } from '../notices/wake';
import { consumeLimit } from '../rate-limits';
import { withRecords } from '../records/with-records';
import { revokeAllSessions, type LiveSession } from '../session';
import type { SessionRequest } from '../session/types';
import { insertDeletion, markSignedOut } from './rows';

/**
 * Schedules the deletion of the signed-in user's account, and ends all its sessions. Repeated, it changes nothing but that
 * it ends them again.
 * @param token as for `requireFreshProof`
 * @returns when the account is deleted, RFC 3339
 * @throws ApiProblem as `requireFreshProof`; `not-found` without records, `too-many-requests`, `records-unavailable`, 503
 */
export function requestDeletion(
  { status: { uid } }: LiveSession,
  token: string,
  request: SessionRequest,
): Promise<string> {
  return withRecords(async (records) => {
    const { account } = await requireFreshProof(uid, token, request);
    await consumeLimit('schedule-deletion', uid);
    const brand = toNoticeBrand(await request.emailContext());
    const email = account.user.email ?? null;
    const deletion = await insertDeletion(records, { uid, email, brand, client: request.client() });
    // Interrupted in between, whichever process takes the deletion next ends the sessions (advance.ts).
    await revokeAllSessions(uid);
    await markSignedOut(records, deletion);
    wakeOutbox();
    return deletion.effectiveAt.toISOString();
  });
}
