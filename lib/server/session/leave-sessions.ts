import { and, isNull } from 'drizzle-orm';
import { reportError } from '@/lib/shared/error-reporting/report';
import { nullOnProblem } from '@/lib/shared/problem';
import { readStored } from '@/lib/server/identity';
import { toAccountFacts, type StoredAccount } from '@/lib/server/policy';
import {
  announceDisabledAccount,
  announceUnusableSessions,
  endRevokedSessions,
  endWhere,
  forgetDisabledTold,
  getRecords,
  hasAnyCookie,
  hasRecords,
  isRecordsError,
  markAllEnded,
  readDisabledToldAt,
  sessions,
  writeAboutKnownAccount,
  type Records,
  type Tx,
} from '@/lib/server/storage';
import { getSessionId, verifyCookie } from './handoff';
import type { SignIn } from './types';

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
    if (account.validSince > at.getTime() + REVOCATION_MS) return;
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

/** The same in the background. @param sids of the refused session, as by `getSessionIds` */
export function leaveSessionsInBackground(uid: string, account: RefusedAccount | null, sids: readonly string[]): void {
  inBackground((records) => leaveSessions(records, uid, account, (tx) => findLive(tx, sids)));
}

/** The same for the session that a browser had before another account signed in there. */
export async function leaveSessionOfOther(cookie: string | null, uid: string): Promise<void> {
  const decoded = cookie === null ? null : await nullOnProblem(verifyCookie(cookie));
  if (cookie === null || decoded === null || decoded.uid === uid) return;
  inBackground((records) =>
    writeAboutKnownAccount(records, decoded.uid, async (tx) =>
      announceUnusableSessions(tx, decoded.uid, await findLive(tx, [getSessionId(cookie)]), 'other-account'),
    ),
  );
}

/** Those that have ended are told of. */
async function findLive(tx: Tx, sids: readonly string[]): Promise<string[]> {
  const isLive = and(hasAnyCookie(tx, sids), isNull(sessions.endedAt));
  // Bounded: one row for each cookie of a request.
  const live = await tx.select({ id: sessions.id }).from(sessions).where(isLive);
  return live.map(({ id }) => id);
}

function inBackground(work: (records: Records) => Promise<unknown>): void {
  if (!hasRecords()) return;
  getRecords()
    .then(work)
    .catch((error: unknown) => {
      if (!isRecordsError(error) || !error.isAway) reportError(error, { during: 'telling of a session that is over' });
    });
}
