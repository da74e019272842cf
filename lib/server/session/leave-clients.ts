import { reportError } from '@/lib/shared/error-reporting/report';
import { nullOnProblem } from '@/lib/shared/problem';
import {
  endClientSessionsOfCookies,
  getRecords,
  hasRecords,
  isRecordsError,
  writeAboutKnownAccount,
} from '@/lib/server/storage';
import { getSessionIds } from './handoff';
import { verifyCookie } from './verify-cookie';

/**
 * Tells, in the background, the clients of the OpenID Provider that a session is of no use any more, although its record goes on: its account
 * was disabled or revoked elsewhere.
 * @param sids as by `getSessionIds`
 */
export function leaveClients(uid: string, sids: readonly string[]): void {
  if (!hasRecords()) return;
  getRecords()
    .then((records) => writeAboutKnownAccount(records, uid, (tx) => endClientSessionsOfCookies(tx, sids, uid)))
    .catch((error: unknown) => {
      if (!isRecordsError(error) || !error.isAway) reportError(error, { during: 'telling clients of a session' });
    });
}

/** The same for the session that a browser had before another account signed in there. */
export async function leaveClientsOfOther(cookie: string | null, uid: string): Promise<void> {
  const decoded = cookie === null ? null : await nullOnProblem(verifyCookie(cookie));
  if (cookie !== null && decoded && decoded.uid !== uid) leaveClients(decoded.uid, getSessionIds(cookie, decoded));
}
