import { and, eq, isNull, lte, sql, type SQL } from 'drizzle-orm';
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
import { verifyCookie } from './tokens';
import { digestDevice } from './request';
import type { SessionRequest, SignIn, VerifiedCookie } from './types';

/** A revocation by the provider's own software covers all sessions until the next full second, in milliseconds. */
const REVOCATION_MS = 2_000;

/** The identity provider's state of an account whose session is refused. `validSince`: in milliseconds since 1970. */
type RefusedAccount = { isDisabled: boolean; isRevoked: boolean; validSince: number };

/** @param signIn the session's sign-in */
export function toRefusedAccount(
  user: StoredAccount,
  { renewedAt, authenticatedAt }: Pick<SignIn, 'renewedAt' | 'authenticatedAt'>,
): RefusedAccount {
  const { validSince } = toAccountFacts(user, null, null);
  // Uses the operator's flag, whatever the email is now. An email change at the identity provider must not suppress the
  // notification.
  return {
    isDisabled: user.disabled,
    isRevoked: (renewedAt ?? authenticatedAt) < validSince,
    validSince: validSince * 1000,
  };
}

/**
 * Notifies OpenID Provider clients and webhook receivers that a session is unusable, which another system caused. Its
 * account was disabled, revoked or deleted elsewhere, or may no longer be signed in.
 * @param account null if it was deleted
 */
export async function leaveSessions(
  records: Records,
  uid: string,
  account: RefusedAccount | null,
  find: (tx: Tx) => Promise<string[]>,
): Promise<void> {
  const at = new Date();
  if (account === null) {
    const ended = await writeAboutKnownAccount(records, uid, (tx) =>
      endWhere(tx, { uid, at, by: 'deleted-account' }, undefined),
    );
    return markAllEnded(ended?.cookies ?? []);
  }
  if (account.isDisabled) {
    await writeAboutKnownAccount(records, uid, (tx) => announceDisabledAccount(tx, uid));
    return;
  }
  if (account.isRevoked) {
    // A later time freezes the account for our own change, which ends the sessions itself.
    if (toOwnTime(account.validSince) > at.getTime() + REVOCATION_MS) return;
    const ending = { uid, at, by: 'revoked-since-proof' } as const;
    return markAllEnded(await endRevokedSessions(records, { ...ending, validSince: new Date(account.validSince) }));
  }
  await writeAboutKnownAccount(records, uid, async (tx) =>
    announceUnusableSessions(tx, uid, await find(tx), 'not-allowed'),
  );
}

/**
 * Records in the background that an account is enabled although receivers were notified that it is disabled. Then they
 * are notified again when it is disabled again. Its sessions are usable again, so this cannot wait for a sign-in.
 */
export function markEnabledInBackground(uid: string): void {
  inBackground(async (records) => {
    const toldAt = await readDisabledToldAt(records, uid);
    // Ask the provider after reading the time, so that the response shows that the account was enabled since.
    const user = toldAt && (await readStored(uid));
    if (user && !user.disabled) await forgetDisabledTold(records, uid, toldAt);
  });
}

/** Notifies receivers of a refused session in the background. @param session the refused session */
export function leaveSessionsInBackground(session: VerifiedCookie, account: RefusedAccount | null): void {
  inBackground((records) => leaveSessions(records, session.uid, account, (tx) => findLive(tx, session)));
}

/**
 * Notifies receivers of the session that a browser had before another account signed in there. It ignores a session
 * whose cookie was copied to the browser.
 */
export async function leaveSessionOfOther(
  request: Pick<SessionRequest, 'device' | 'sessionCookie'>,
  uid: string,
): Promise<void> {
  const { sessionCookie } = request;
  const session = sessionCookie === null ? null : await nullOnProblem(verifyCookie(sessionCookie));
  if (session === null || session.uid === uid) return;
  const deviceDigest = digestDevice(request.device, session.uid);
  if (deviceDigest === null) return;
  const write = (records: Records) =>
    writeAboutKnownAccount(records, session.uid, async (tx) => {
      const ids = await findLive(tx, session, eq(devices.cookieDigest, deviceDigest));
      await announceUnusableSessions(tx, session.uid, ids, 'other-account');
    });
  inBackground(write, `leave ${session.sid}`);
}

/** Tolerance between the clock of the identity provider, which issues the cookie, and ours. */
const CLOCKS_DIFFER_SECONDS = 10;

/**
 * Finds the live session of a cookie. It ignores a session that has ended, whose end is already announced, or whose
 * browser has a newer cookie. An old cookie can be a copy and proves nothing about the session.
 */
async function findLive(tx: Tx, session: VerifiedCookie, ofDevice?: SQL): Promise<string[]> {
  const issuedAt = sql`to_timestamp(${session.issuedAt + CLOCKS_DIFFER_SECONDS})`;
  const [live] = await tx
    .select({ id: sessions.id })
    .from(sessions)
    .innerJoin(devices, eq(devices.id, sessions.deviceId))
    .where(and(hasAnyCookie(tx, [session.sid]), isNull(sessions.endedAt), lte(lastCookieAt, issuedAt), ofDevice))
    .limit(1);
  return live ? [live.id] : [];
}

/** @param late a name for work that no later check repeats, which is retried if the database is unavailable */
function inBackground(work: (records: Records) => Promise<unknown>, late: string | null = null): void {
  getRecords()
    .then(work)
    .catch(async (error: unknown) => {
      if (!isRecordsError(error) || !error.isUnavailable)
        reportError(error, { during: 'telling of a session that is over' });
      else if (late !== null) await runOutsideOfRequest(() => tryLater(late, LATE_ENDS, work));
    });
}
