import type { SessionsToEnd } from '@/lib/shared/account/devices';
import { ApiProblem } from '@/lib/shared/problem';
import { requireFreshProof } from '../accounts/fresh-proof';
import { hasRecords } from '../records';
import { endSessions } from '../records/session-ends';
import { findSession } from '../records/session-queries';
import { RECORDS_TIMEOUT_MS, withRecords } from '../records/with-records';
import { isRecentProof } from './custom-token';
import { markAllEnded } from './ended';
import type { LiveSession, SessionRequest } from './types';

/**
 * Ends other sessions of the account, for all processes at once, with everything that was opened from them. One that is over, or of
 * another account, is no error: the response must not tell which ids exist.
 * @param token ID token of a sign-in to the same account at most 5 minutes ago; not needed when the session is that young
 * @throws ApiProblem `recent-login-required`, `not-found` without records, as `requireFreshProof`, 503
 */
export async function endOtherSessions(
  { status: { uid }, sid, authTime }: LiveSession,
  which: SessionsToEnd,
  token: string | undefined,
  request: SessionRequest,
): Promise<void> {
  if (!hasRecords()) throw new ApiProblem('not-found');
  if (token !== undefined) await requireFreshProof(uid, token, request);
  else if (!isRecentProof(authTime ?? 0)) throw new ApiProblem('recent-login-required');
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
}
