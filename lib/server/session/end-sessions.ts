import type { SessionsToEnd } from '@/lib/shared/account/devices';
import { ApiProblem } from '@/lib/shared/problem';
import { requireProof } from './require-proof';
import { changeOwnAccount } from './change-own-account';
import { renewAfterRevocation, type RenewedSession } from './renewed-session';
import {
  hasRecords,
  endSessions,
  findSession,
  RECORDS_TIMEOUT_MS,
  withRecords,
  markAllEnded,
} from '@/lib/server/storage';
import { changeAccountWithSessions } from '@/lib/server/identity';
import type { LiveSession, SessionRequest } from './types';

/**
 * Ends other sessions of the account, for all processes at once, with everything that was opened from them. One that is over, or of
 * another account, is no error: the response must not tell which ids exist.
 * @param token ID token of a sign-in to the same account at most 5 minutes ago; not needed when the session is that young
 * @returns for all others, which revokes every sign-in of the account, the new session of this browser; null if it could not be created
 * @throws ApiProblem `not-found` without records, as `requireProof`, 503
 */
export async function endOtherSessions(
  session: LiveSession,
  which: SessionsToEnd,
  token: string | undefined,
  request: SessionRequest,
): Promise<RenewedSession | null> {
  if (!hasRecords()) throw new ApiProblem('not-found');
  const { sid } = session;
  const { uid } = session.status;
  const decoded = await requireProof(session, token, request);
  const cookies = await withRecords(async (records) => {
    const at = new Date();
    const common = { uid, at, by: 'owner' } as const;
    const event = { uid, at, client: request.client() };
    if ('session' in which) {
      const one = { which: { id: which.session }, event: { ...event, kind: 'device-signed-out' } } as const;
      return endSessions(records, { ...common, ...one });
    }
    const { own } = await findSession(records, [sid], at);
    const others = {
      which: { except: own?.id ?? null },
      event: { ...event, kind: 'other-devices-signed-out' },
    } as const;
    return endSessions(records, { ...common, ...others });
  }, RECORDS_TIMEOUT_MS);
  // After the records: without these marks, other processes would look there within 20 s.
  await markAllEnded(cookies);
  if ('session' in which) return null;
  // Sessions without a record, ID tokens that no session was opened with yet, and refresh tokens are only ended by this.
  return changeOwnAccount(uid, request, async () => {
    await changeAccountWithSessions(uid, { revoke: true });
    return renewAfterRevocation(decoded, request);
  });
}
