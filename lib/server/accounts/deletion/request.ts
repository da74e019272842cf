import {
  requireFreshProof,
  renewAfterRevocation,
  type RenewedSession,
  getSessionBackend,
  revokeAllSessions,
  type LiveSession,
  type SessionRequest,
} from '@/lib/server/session';
import { toNoticeBrand, wakeOutbox, insertDeletion, markSignedOut } from '@/lib/server/notifications';
import { consumeLimit, withRecords } from '@/lib/server/storage';

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
    const { account, decoded } = await requireFreshProof(uid, token, request);
    await consumeLimit('schedule-deletion', uid);
    const brand = toNoticeBrand(await request.emailContext());
    const email = account.user.email ?? null;
    const deletion = await insertDeletion(records, { uid, email, brand, client: request.client() });
    // Interrupted in between, whichever process takes the deletion next ends the sessions (advance.ts).
    await revokeAllSessions(uid);
    // The provider revokes by whole seconds; a session created within this second must be ended explicitly.
    await getSessionBackend().end(request.sessionCookie ?? '');
    await markSignedOut(records, deletion);
    wakeOutbox();
    const renewed = await renewAfterRevocation(decoded, request);
    return { effectiveAt: deletion.effectiveAt.toISOString(), renewed };
  });
}
