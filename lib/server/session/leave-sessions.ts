import { and, eq, isNull, lte, sql, type SQL } from 'drizzle-orm';
import type { DecodedIdToken } from 'firebase-admin/auth';
import { runOutsideOfRequest } from '@/lib/server/runtime';
import { reportError } from '@/lib/shared/error-reporting/report';
import { nullOnProblem } from '@/lib/shared/problem';
import { readStored, toOwnTime } from '@/lib/server/identity';
import { toAccountFacts, type StoredAccount } from '@/lib/server/policy';
import {
  announceDisabledAccount,
  announceUnusableSessions,
  devices,
  endRevokedSessions,
  endWhere,
  forgetDisabledTold,
  getRecords,
  hasAnyCookie,
  hasRecords,
  isRecordsError,
  LATE_ENDS,
  lastCookieAt,
  markAllEnded,
  readDisabledToldAt,
  sessions,
  tryLater,
  writeAboutKnownAccount,
  type Records,
  type Tx,
} from '@/lib/server/storage';
import { getSessionId, verifyCookie } from './tokens';
import { digestDevice } from './request';
import type { SessionRequest, SignIn } from './types';

/** A revocation by the provider's own software is of all sessions until the next full second, in milliseconds. */
const REVOCATION_MS = 2_000;

/** What the identity provider says of an account whose session is refused. `validSince`: milliseconds since 1970. */
type RefusedAccount = { isDisabled: boolean; isRevoked: boolean; validSince: number };

/** @param signIn that of the session */
export function toRefusedAccount(
  user: StoredAccount,
  { renewedAt, authenticatedAt }: Pick<SignIn, 'renewedAt' | 'authenticatedAt'>,
): RefusedAccount {
  const { validSince } = toAccountFacts(user, null, null);
  // By an operator, whatever the email is now: who changes it at the identity provider must not keep this from being told.
  return {
    isDisabled: user.disabled,
    isRevoked: (renewedAt ?? authenticatedAt) < validSince,
    validSince: validSince * 1000,
  };
}

/**
 * Tells the clients of the OpenID Provider, and the receivers of webhooks, that a session is of no use any more, which was noticed and not done
 * here: its account was disabled, revoked or deleted elsewhere, or may no longer be signed in to.
 * @param account null: it is gone
 */
export async function leaveSessions(
  records: Records,
  uid: string,
  account: RefusedAccount | null,
  find: (tx: Tx) => Promise<string[]>,
): Promise<void> {
  const at = new Date();
  const ending = { uid, at, by: 'revoked' } as const;
  if (account === null) {
    const ended = await writeAboutKnownAccount(records, uid, (tx) =>
      endWhere(tx, { ...ending, reason: 'deleted' }, undefined),
    );
    return markAllEnded(ended?.cookies ?? []);
  }
  if (account.isDisabled) {
    await writeAboutKnownAccount(records, uid, (tx) => announceDisabledAccount(tx, uid));
    return;
  }
  if (account.isRevoked) {
    // Later, it freezes the account for a change of ours, which ends the sessions itself.
    if (toOwnTime(account.validSince) > at.getTime() + REVOCATION_MS) return;
    return markAllEnded(await endRevokedSessions(records, { ...ending, validSince: new Date(account.validSince) }));
  }
  await writeAboutKnownAccount(records, uid, async (tx) =>
    announceUnusableSessions(tx, uid, await find(tx), 'not-allowed'),
  );
}

/**
 * Records, in the background, that an account which was told to be disabled is not: when it is once more, it is told once more. Its sessions
 * come back with it, so that no sign-in is to be waited for.
 */
export function markEnabledInBackground(uid: string): void {
  inBackground(async (records) => {
    const toldAt = await readDisabledToldAt(records, uid);
    // Asked after that was read: only then does the answer say that the account was enabled since.
    const user = toldAt && (await readStored(uid));
    if (user && !user.disabled) await forgetDisabledTold(records, uid, toldAt);
  });
}

/** The same in the background. @param cookie the refused one */
export function leaveSessionsInBackground(
  decoded: DecodedIdToken,
  account: RefusedAccount | null,
  cookie: string,
): void {
  inBackground((records) => leaveSessions(records, decoded.uid, account, (tx) => findLive(tx, cookie, decoded)));
}

/** The same for the session that a browser had before another account signed in there; not for one whose cookie was copied to it. */
export async function leaveSessionOfOther(
  request: Pick<SessionRequest, 'device' | 'sessionCookie'>,
  uid: string,
): Promise<void> {
  const { sessionCookie: cookie } = request;
  const decoded = cookie === null ? null : await nullOnProblem(verifyCookie(cookie));
  if (cookie === null || decoded === null || decoded.uid === uid) return;
  const deviceDigest = digestDevice(request.device, decoded.uid);
  if (deviceDigest === null) return;
  const write = (records: Records) =>
    writeAboutKnownAccount(records, decoded.uid, async (tx) => {
      const ids = await findLive(tx, cookie, decoded, eq(devices.cookieDigest, deviceDigest));
      await announceUnusableSessions(tx, decoded.uid, ids, 'other-account');
    });
  inBackground(write, `leave ${getSessionId(cookie)}`);
}

/** The identity provider's, which issues the cookie, and ours. */
const CLOCKS_DIFFER_SECONDS = 10;

/**
 * The session of a cookie, unless it is over, which is told of, or its browser has a newer one: an old cookie, which can be a copy, says
 * nothing about it.
 */
async function findLive(tx: Tx, cookie: string, { iat }: DecodedIdToken, ofDevice?: SQL): Promise<string[]> {
  const issuedAt = sql`to_timestamp(${iat + CLOCKS_DIFFER_SECONDS})`;
  const [live] = await tx
    .select({ id: sessions.id })
    .from(sessions)
    .innerJoin(devices, eq(devices.id, sessions.deviceId))
    .where(
      and(hasAnyCookie(tx, [getSessionId(cookie)]), isNull(sessions.endedAt), lte(lastCookieAt, issuedAt), ofDevice),
    )
    .limit(1);
  return live ? [live.id] : [];
}

/** @param late a name, for what no later check notices: it is tried again when the database is away */
function inBackground(work: (records: Records) => Promise<unknown>, late: string | null = null): void {
  if (!hasRecords()) return;
  getRecords()
    .then(work)
    .catch(async (error: unknown) => {
      if (!isRecordsError(error) || !error.isUnavailable)
        reportError(error, { during: 'telling of a session that is over' });
      else if (late !== null) await runOutsideOfRequest(() => tryLater(late, LATE_ENDS, work));
    });
}
