import { canRemovePasskey } from '@/lib/shared/account/security';
import type { PasskeySignal } from '@/lib/shared/account/passkeys';
import { ApiProblem } from '@/lib/shared/problem';
import {
  changeOwnAccount,
  getMethods,
  renewAfterRevocation,
  type RenewedSession,
  requireProof,
  type LiveSession,
  type SessionRequest,
} from '@/lib/server/session';
import { wakeOutbox } from '@/lib/server/notifications';
import { listPasskeys, removePasskey as deletePasskey, RECORDS_TIMEOUT_MS, withRecords } from '@/lib/server/storage';
import { changeAccountWithSessions, getUsablePasskeys } from '@/lib/server/identity';
import { notifyOfPasskey } from './notify';
import { toSignal } from './list';
import type { RelyingParty } from '@/lib/server/http';

/** `renewed`: null when nothing was removed, or the session could not be created. */
export type RemovedPasskey = { signal: PasskeySignal | null; renewed: RenewedSession | null };

/**
 * Removes a passkey of the signed-in user, with its event and email. All sessions and tokens of the account are revoked, since
 * any of them may have been created with it; this browser gets a new session.
 * @param id ours; one that the account no longer has is no error
 * @throws ApiProblem as `requireProof`; `last-method`, `records-unavailable`, 503
 */
export async function removePasskey(
  rp: RelyingParty,
  { id, token }: { id: string; token?: string | undefined },
  session: LiveSession,
  request: SessionRequest,
): Promise<RemovedPasskey> {
  const { uid } = session.status;
  const decoded = await requireProof(session, token, request);
  const brand = await request.emailContext();
  return changeOwnAccount(uid, request, async ({ user, facts }) => {
    const before = await withRecords((records) => listPasskeys(records, uid), RECORDS_TIMEOUT_MS);
    if (!before.passkeys.some((passkey) => passkey.id === id))
      return { signal: toSignal(rp, user, before), renewed: null };
    const others = before.passkeys.filter((passkey) => passkey.id !== id);
    const methods = await getMethods(facts, await request.enabledSocial());
    const passkeys = getUsablePasskeys(rp, facts, others).length;
    if (!canRemovePasskey({ methods, passkeys })) throw new ApiProblem('last-method');
    // Before, so that a failure removes nothing, and after: the passkey may just have signed in once more.
    await changeAccountWithSessions(uid, { revoke: true });
    const announce = notifyOfPasskey('passkey-removed', facts.email ?? '', brand);
    const occasion = { id, uid, at: new Date(), client: request.client(), announce };
    const left = await withRecords((records) => deletePasskey(records, occasion));
    wakeOutbox();
    await changeAccountWithSessions(uid, { revoke: true });
    const renewed = left === null ? null : await renewAfterRevocation(decoded, request);
    return { signal: toSignal(rp, user, left ?? before), renewed };
  });
}
