import { changeJudgedAccount, changeAccountWithSessions } from '@/lib/server/identity';
import {
  changeOwnAccount,
  renewAfterRevocation,
  type RenewedSession,
  requireProof,
  type LiveSession,
  type SessionRequest,
} from '@/lib/server/session';
import { wakeOutbox } from '@/lib/server/notifications';
import { readSecondFactor } from './rows';
import { removeApp as deleteApp, removeSecondFactor } from './setup-rows';
import { RECORDS_TIMEOUT_MS, withRecords } from '@/lib/server/storage';
import { notifyOfSecondFactor } from './notify';

/**
 * Removes an authenticator app of the signed-in user; with the last one the second factor is off, and its recovery codes are gone. All
 * sessions and tokens of the account are revoked; this browser gets a new session.
 * @returns null when nothing was removed, or the session could not be created
 * @throws ApiProblem as `requireProof`; `records-unavailable`, 503
 */
export async function removeApp(
  { id, token }: { id: string; token?: string | undefined },
  session: LiveSession,
  request: SessionRequest,
): Promise<RenewedSession | null> {
  const { uid } = session.status;
  const decoded = await requireProof(session, token, request);
  const brand = await request.emailContext();
  return changeOwnAccount(uid, request, async (account) => {
    const { apps } = await withRecords((records) => readSecondFactor(records, uid), RECORDS_TIMEOUT_MS);
    if (!apps.some((app) => app.id === id)) return null;
    const at = new Date();
    const isLast = apps.length === 1;
    const announce = notifyOfSecondFactor(isLast ? 'second-factor-off' : 'factor-app-removed', {
      uid,
      to: account.facts.email ?? '',
      at,
      brand,
    });
    const occasion = { uid, at, client: request.client(), announce };
    // The claim first: interrupted, the second factor stays on, with its apps (records/sessions.ts).
    await changeJudgedAccount(account, { revoke: true, ...(isLast && { claims: { secondFactorSince: null } }) });
    if (isLast) await withRecords((records) => removeSecondFactor(records, occasion));
    else await withRecords((records) => deleteApp(records, { ...occasion, id }));
    wakeOutbox();
    // Once more: the app may have completed a sign-in meanwhile.
    await changeAccountWithSessions(uid, { revoke: true });
    return renewAfterRevocation(decoded, request);
  });
}
