import { and, eq, isNull } from 'drizzle-orm';
import { reportError } from '@/lib/shared/error-reporting/report';
import { nullOnProblem } from '@/lib/shared/problem';
import { toAccountFacts, type StoredAccount } from '@/lib/server/policy';
import {
  announceDisabledAccount,
  announceUnusableSessions,
  endRevokedSessions,
  endWhere,
  findSessionsOfCookies,
  getRecords,
  hasRecords,
  isRecordsError,
  markAllEnded,
  sessions,
  writeAboutKnownAccount,
  type Records,
  type Tx,
} from '@/lib/server/storage';
import { getSessionIds, verifyCookie } from './handoff';
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
  const { disabled, hasUnprovedEmail, validSince } = toAccountFacts(user, null, null);
  // An email that is not the proved one is restored.
  const isDisabled = disabled && !hasUnprovedEmail;
  return { isDisabled, isRevoked: (renewedAt ?? authenticatedAt) < validSince, validSince: validSince * 1000 };
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

/** The same in the background. @param sids of the refused session, as by `getSessionIds` */
export function leaveSessionsInBackground(uid: string, account: RefusedAccount | null, sids: readonly string[]): void {
  inBackground((records) => leaveSessions(records, uid, account, (tx) => findLive(tx, sids)));
}

/** The same for the session that a browser had before another account signed in there. */
export async function leaveSessionOfOther(cookie: string | null, uid: string): Promise<void> {
  const decoded = cookie === null ? null : await nullOnProblem(verifyCookie(cookie));
  if (cookie === null || decoded === null || decoded.uid === uid) return;
  const sids = getSessionIds(cookie, decoded);
  inBackground((records) =>
    writeAboutKnownAccount(records, decoded.uid, async (tx) =>
      announceUnusableSessions(tx, decoded.uid, await findLive(tx, sids), 'other-account'),
    ),
  );
}

/** Those that have ended are told of. */
async function findLive(tx: Tx, sids: readonly string[]): Promise<string[]> {
  const ids = await findSessionsOfCookies(tx, sids);
  const live: string[] = [];
  for (const id of ids) {
    const found = await tx
      .select({ id: sessions.id })
      .from(sessions)
      .where(and(eq(sessions.id, id), isNull(sessions.endedAt)));
    live.push(...found.map((row) => row.id));
  }
  return live;
}

function inBackground(work: (records: Records) => Promise<unknown>): void {
  if (!hasRecords()) return;
  getRecords()
    .then(work)
    .catch((error: unknown) => {
      if (!isRecordsError(error) || !error.isAway) reportError(error, { during: 'telling of a session that is over' });
    });
}
