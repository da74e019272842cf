import type { DecodedIdToken } from 'firebase-admin/auth';
import type { NextApiRequest, NextApiResponse } from 'next';
import { appendCookies, applySharedComputerExpiry } from '@/lib/server/http';
import { findById, idTokenByCustomToken, withAccountLock } from '@/lib/server/identity';
import type { Account } from '@/lib/server/policy';
import {
  endSessions,
  findSession,
  hasRecords,
  markAllEnded,
  withRecordsInTime,
  type Records,
} from '@/lib/server/storage';
import type { EventKind } from '@/lib/shared/account/activity';
import type { SessionsToEnd } from '@/lib/shared/account/security';
import { reportError } from '@/lib/shared/error-reporting/report';
import { ApiProblem } from '@/lib/shared/problem';
import { mintRenewedToken } from './tokens';
import { getSessionBackend, requireProof, revokeAllSessions } from './require-session';
import type { CreatedSession, LiveSession, SessionRequest } from './types';

/** See `renewAfterRevocation`. `decoded`: the verified ID token that authorized the change, or the session's cookie. */
type Renew = (decoded: DecodedIdToken, mint?: () => Promise<string>) => Promise<RenewedSession | null>;

/**
 * Serializes a change that the signed-in user makes (`withAccountLock`), and checks the session once more when it begins: the change
 * may have waited for a disavowal or a reset that has ended it.
 * @param work gets the account, with the email that the session was judged by, and what makes the browser's new session once the change has
 *   revoked all: nowhere but here, or a disavowal or a reset in between would not end that one
 * @throws ApiProblem 401 when the session has ended, or the account has another email by now; `recent-login-required` for a session of
 *   another browser; as `withAccountLock`, and what the work throws
 */
export function changeOwnAccount<T>(
  uid: string,
  request: SessionRequest,
  work: (account: Account, renew: Renew) => Promise<T>,
): Promise<T> {
  const { sessionCookie } = request;
  const change = async () => {
    if (sessionCookie === null) throw new ApiProblem('session-required');
    const { status } = await getSessionBackend().check(sessionCookie, { uncached: true });
    const account = await findById(uid);
    if (account === null) throw new ApiProblem('user-deleted');
    if (account.facts.disabled || account.user.email !== (status.email ?? undefined))
      throw new ApiProblem('token-revoked');
    await getSessionBackend().requireOwnBrowser(uid, request);
    return work(account, (decoded, mint = () => mintRenewedToken(decoded, account.facts)) =>
      renewAfterRevocation(request, mint),
    );
  };
  return withAccountLock(uid, change, { session: sessionCookie });
}

/** `customToken`: signs this browser in at the identity provider again. */
export type RenewedSession = Pick<CreatedSession, 'cookies'> & { customToken: string };

/**
 * Creates a session for the browser whose change has revoked all sessions of its account, its own included.
 * @param mint the custom token that it is created with
 * @returns null if that failed: the change is done already, so it is reported, and the user signs in again
 */
async function renewAfterRevocation(
  request: SessionRequest,
  mint: () => Promise<string>,
): Promise<RenewedSession | null> {
  try {
    const customToken = await mint();
    const idToken = await idTokenByCustomToken(customToken);
    const { cookies } = await getSessionBackend().replace(idToken, request);
    return { cookies, customToken };
  } catch (error) {
    reportError(error, { during: 'renewing the session after all were revoked' });
    return null;
  }
}

/** The body of the response to such a change. Sets the cookies of the renewed session; without one, the body is empty. */
export function respondWithRenewed(
  { req, res }: { req: NextApiRequest; res: NextApiResponse },
  renewed: RenewedSession | null,
): { customToken?: string } {
  if (renewed === null) return {};
  appendCookies(res, applySharedComputerExpiry(req, renewed.cookies));
  return { customToken: renewed.customToken };
}

/**
 * Ends other sessions of the account, for all processes at once, with everything that was opened from them. One that is over, or of
 * another account, is no error: the response must not tell which ids exist.
 * @param session of this browser (`requireOwnSession`)
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
  type Which = Parameters<typeof endSessions>[1]['which'];
  const endInRecords = async (kind: EventKind, choose: (records: Records, at: Date) => Promise<Which> | Which) => {
    const cookies = await withRecordsInTime(async (records) => {
      const at = new Date();
      const event = { uid, at, client: request.client(), kind };
      return endSessions(records, { uid, at, by: 'owner', which: await choose(records, at), event });
    });
    // After the records: without these marks, other processes would look there within 20 s.
    await markAllEnded(cookies);
  };
  if ('session' in which) {
    await endInRecords('device-signed-out', () => ({ id: which.session }));
    return null;
  }
  // All of it in its turn: two at once would end each other, and none would revoke.
  return changeOwnAccount(uid, request, async (_account, renew) => {
    await endInRecords('other-devices-signed-out', async (records, at) => ({
      except: (await findSession(records, [sid], at)).own?.id ?? null,
    }));
    // Sessions without a record, ID tokens that no session was opened with yet, and refresh tokens are only ended by this.
    await revokeAllSessions(uid);
    return renew(decoded);
  });
}
