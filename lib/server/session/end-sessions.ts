import type { SessionsToEnd } from '@/lib/shared/account/devices';
import { ApiProblem } from '@/lib/shared/problem';
import { requireFreshProof } from '../accounts/fresh-proof';
import { withAccountLock } from '../accounts/account-lock';
import { renewAfterRevocation, type RenewedSession } from '../accounts/renewed-session';
import { hasRecords } from '../records';
import { endSessions } from '../records/session-ends';
import { findSession } from '../records/session-queries';
import { RECORDS_TIMEOUT_MS, withRecords } from '../records/with-records';
import { changeAccountWithSessions } from './change-account';
import { isRecentProof } from './custom-token';
import { markAllEnded } from './ended';
import type { LiveSession, SessionRequest } from './types';
import { verifyCookie } from './verify-cookie';

/**
 * Ends other sessions of the account, for all processes at once, with everything that was opened from them. One that is over, or of
 * another account, is no error: the response must not tell which ids exist.
 * @param token ID token of a sign-in to the same account at most 5 minutes ago; not needed when the session is that young
 * @returns for all others, which revokes every sign-in of the account, the new session of this browser; null if it could not be created
 * @throws ApiProblem `recent-login-required`, `not-found` without records, as `requireFreshProof`, 503
 */
export async function endOtherSessions(
  { status: { uid }, sid, authTime }: LiveSession,
  which: SessionsToEnd,
  token: string | undefined,
  request: SessionRequest,
): Promise<RenewedSession | null> {
  if (!hasRecords()) throw new ApiProblem('not-found');
  if (token === undefined && !isRecentProof(authTime ?? 0)) throw new ApiProblem('recent-login-required');
  const proof = token === undefined ? null : (await requireFreshProof(uid, token, request)).decoded;
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
  const decoded = proof ?? (await verifyCookie(request.sessionCookie ?? ''));
  // Sessions without a record, ID tokens that no session was opened with yet, and refresh tokens are only ended by this.
  return withAccountLock(uid, async () => {
    await changeAccountWithSessions(uid, { revoke: true });
    return renewAfterRevocation(decoded, request);
  });
}
