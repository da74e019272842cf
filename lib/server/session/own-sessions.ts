import type { NextApiRequest, NextApiResponse } from 'next';
import { appendCookies, applySharedComputerExpiry } from '@/lib/server/http';
import { findById, idTokenByCustomToken } from '@/lib/server/identity';
import { wakeOutbox, writeChangeNotice } from '@/lib/server/notifications';
import { getShownFactor, type Account, type Factor } from '@/lib/server/policy';
import {
  endSessions,
  findSession,
  type LockedAccount,
  markAllEnded,
  withAccountLock,
  withRecordsInTime,
  type Records,
  type Tx,
} from '@/lib/server/storage';
import type { EventKind } from '@/lib/shared/account/activity';
import type { SessionsToEnd } from '@/lib/shared/account/security';
import { reportError } from '@/lib/shared/error-reporting/report';
import { env } from '@/lib/server/runtime';
import { ApiProblem } from '@/lib/shared/problem';
import { mintRenewedToken } from './tokens';
import { getSessionBackend, requireProof, revokeAllSessions } from './require-session';
import type { CreatedSession, LiveSession, SessionRequest, VerifiedToken } from './types';

/**
 * See `renewAfterRevocation`. `proof`: the verified ID token that authorized the change, or the session's cookie.
 * `factor`: the second factor that the change has shown. By default, the factor of the proof stays.
 */
type Renew = (proof: VerifiedToken, factor?: Factor) => Promise<RenewedSession | null>;

/**
 * A change by the signed-in user. `account`: with the email of the session's check. `renew`: creates the browser's new session after the
 * change has revoked all sessions. Create it only there. Otherwise, a disavowal or reset in between would not end it.
 */
type OwnChange = { locked: LockedAccount; account: Account; renew: Renew };

/**
 * Serializes a change by the signed-in user (`withAccountLock`). It checks the session again when the change begins,
 * because it may have waited for a disavowal or reset that has ended the session.
 * @throws ApiProblem 401 if the session has ended, or the account's email has changed; `recent-login-required` for a
 *   session of another browser; a code of `withAccountLock`; any error of the work
 */
export function changeOwnAccount<T>(
  uid: string,
  request: SessionRequest,
  work: (change: OwnChange) => Promise<T>,
): Promise<T> {
  const { sessionCookie } = request;
  const change = async (locked: LockedAccount) => {
    if (sessionCookie === null) throw new ApiProblem('session-required');
    const { status } = await getSessionBackend().check(sessionCookie, { uncached: true, locked });
    const account = await findById(uid, locked);
    if (account === null) throw new ApiProblem('user-deleted');
    if (account.facts.disabled) throw new ApiProblem('token-revoked', { rule: 'disabled-account' });
    if (account.user.email !== (status.email ?? undefined))
      throw new ApiProblem('token-revoked', { rule: 'email-changed-since-sign-in' });
    await getSessionBackend().requireOwnBrowser(uid, request);
    const renew: Renew = (proof, factor) =>
      renewAfterRevocation(locked, request, () =>
        mintRenewedToken(proof, factor ?? getShownFactor(account.facts, proof.signIn)),
      );
    return work({ locked, account, renew });
  };
  return withAccountLock(uid, change, { session: sessionCookie });
}

/** `customToken`: signs this browser in at the identity provider again. */
export type RenewedSession = Pick<CreatedSession, 'cookies'> & { customToken: string };

/**
 * Creates a session for the browser whose change has revoked all sessions of its account, including its own.
 * @param mint mints the custom token for it
 * @returns null if that failed; it is reported, because the change is already made, and the user signs in again
 */
async function renewAfterRevocation(
  locked: LockedAccount,
  request: SessionRequest,
  mint: () => Promise<string>,
): Promise<RenewedSession | null> {
  try {
    const customToken = await mint();
    const idToken = await idTokenByCustomToken(customToken);
    const { cookies } = await getSessionBackend().replace(idToken, request, locked);
    return { cookies, customToken };
  } catch (error) {
    reportError(error, { during: 'renewing the session after all were revoked' });
    return null;
  }
}

/**
 * Builds the response body of such a change. It sets the cookies of the renewed session. Without a session, the body is
 * empty.
 */
export function respondWithRenewed(
  { req, res }: { req: NextApiRequest; res: NextApiResponse },
  renewed: RenewedSession | null,
): { customToken?: string } {
  if (renewed === null) return {};
  appendCookies(res, applySharedComputerExpiry(req, renewed.cookies));
  return { customToken: renewed.customToken };
}

/**
 * Ends other sessions of the account for all processes at once, with everything that was opened from them. A session
 * that is over or belongs to another account is no error, because the response must not reveal which ids exist. The
 * owner gets an email.
 * @param session this browser's session (`requireOwnSession`)
 * @param token ID token of a sign-in to the same account at most 5 minutes ago; not needed if the session is that
 *   recent
 * @returns this browser's new session, after ending all others, which revokes every sign-in of the account; null if it
 *   could not be created
 * @throws ApiProblem `not-found` for sessions of another deployment, a code of `requireProof`, or 503
 */
export async function endOtherSessions(
  session: LiveSession,
  which: SessionsToEnd,
  token: string | undefined,
  request: SessionRequest,
): Promise<RenewedSession | null> {
  if (env().SESSION_BACKEND === 'upstream') throw new ApiProblem('not-found');
  const { sid } = session;
  const { uid, email } = session.status;
  const proof = await requireProof(session, token, request);
  const context = await request.emailContext();
  const announce = async (tx: Tx) => {
    if (email !== null) await writeChangeNotice(tx, { uid, to: email }, { kind: 'devices-signed-out' }, context);
  };
  type Which = Parameters<typeof endSessions>[1]['which'];
  const endInRecords = async (kind: EventKind, choose: (records: Records, at: Date) => Promise<Which> | Which) => {
    const cookies = await withRecordsInTime(async (records) => {
      const at = new Date();
      const event = { uid, at, client: request.client(), kind };
      return endSessions(records, { uid, at, by: 'owner', which: await choose(records, at), event, announce });
    });
    // Set the marks after the records. Without these marks, other processes would read the records within 20 seconds.
    await markAllEnded(cookies);
    wakeOutbox();
  };
  if ('session' in which) {
    await endInRecords('device-signed-out', () => ({ id: which.session }));
    return null;
  }
  // Keep all of it within the lock. Two concurrent calls would end each other, and neither would revoke.
  return changeOwnAccount(uid, request, async ({ locked, renew }) => {
    await endInRecords('other-devices-signed-out', async (records, at) => ({
      except: (await findSession(records, [sid], at)).own?.id ?? null,
    }));
    // Only this ends refresh tokens, and ID tokens that have not opened a session yet.
    await revokeAllSessions(locked, 'other-devices-signed-out');
    return renew(proof);
  });
}
