import { and, eq, inArray, isNull, ne, or, sql, type SQL } from 'drizzle-orm';
import { announceSessionEnds, findSessionsOfCookies } from './client-sessions';
import { addEvent, writeAboutKnownAccount, type NewEvent } from './events';
import { forgetBrowsers } from './remembered-browsers';
import { sessionCookies, sessions } from './schema';
import { isValidSince } from './session-queries';
import type { Records, Tx } from './types';
import type { SessionEndReason } from './webhook-events';

/** Why a session is over. `owner`: from another session of the account, so that its proof opens none again. */
export type SessionEnd = 'owner' | 'sign-out' | 'revoked' | 'expired';

export type SessionCookie = { sid: string; expiresAt: Date };

/** `reason`: as receivers of webhooks are told, when `by` does not say it. */
export type Ending = { uid: string; at: Date; by: Exclude<SessionEnd, 'expired'>; reason?: SessionEndReason };

/**
 * Ends one session of an account, or all but one, with the sessions derived from them, and records the event if any was
 * live. An id of another account ends nothing.
 * @returns all their cookies
 */
export async function endSessions(
  records: Records,
  { which, event, ...ending }: Ending & { which: { id: string } | { except: string | null }; event: NewEvent },
): Promise<SessionCookie[]> {
  const isOne =
    'id' in which ? eq(sessions.id, which.id) : which.except === null ? undefined : ne(sessions.id, which.except);
  const cookies = await writeAboutKnownAccount(records, ending.uid, async (tx) => {
    const ended = await endWhere(tx, ending, isOne);
    if (ended.isAny) await addEvent(tx, event);
    return ended.cookies;
  });
  return cookies ?? [];
}

/**
 * Ends the sessions of these cookies.
 * @returns all their cookies; `isAny`: one of them was live. Null when none of them is recorded.
 */
export function endSessionsOfCookies(
  records: Records,
  { sids, ...ending }: Ending & { sids: readonly string[] },
): Promise<{ cookies: SessionCookie[]; isAny: boolean } | null> {
  return writeAboutKnownAccount(records, ending.uid, async (tx) => {
    const found = await findSessionsOfCookies(tx, sids);
    return found.length === 0 ? null : endWhere(tx, ending, inArray(sessions.id, found));
  });
}

/**
 * Ends the sessions that a change of the account has revoked at the identity provider.
 * @returns all their cookies
 */
export async function endRevokedSessions(
  records: Records,
  ending: Ending & { validSince: Date },
): Promise<SessionCookie[]> {
  const ended = await writeAboutKnownAccount(records, ending.uid, (tx) =>
    endWhere(tx, ending, sql`not ${isValidSince(ending.validSince)}`),
  );
  return ended?.cookies ?? [];
}

/**
 * For use within `writeAboutKnownAccount`.
 * @returns the cookies of all these sessions, also of those that were over; `isAny`: one was live
 */
export async function endWhere(
  tx: Tx,
  { uid, at, by, reason = by }: Ending,
  condition: SQL | undefined,
): Promise<{ cookies: SessionCookie[]; isAny: boolean }> {
  const isOfAccount = eq(sessions.uid, uid);
  // Bounded: one account's, of which none may be left out.
  const ofCookies = await tx
    .select({ id: sessions.id, sid: sessionCookies.sid, expiresAt: sessionCookies.expiresAt })
    .from(sessions)
    .innerJoin(sessionCookies, eq(sessionCookies.sessionId, sessions.id))
    .where(and(isOfAccount, condition));
  const sids = ofCookies.map(({ sid }) => sid);
  if (by === 'owner' || by === 'revoked') await forgetBrowsers(tx, { uid, at }, condition);
  const isDerived = sids.length > 0 ? inArray(sessions.root, sids) : undefined;
  const ended = await tx
    .update(sessions)
    .set({ endedAt: at, endedBy: by })
    .where(and(isOfAccount, isNull(sessions.endedAt), condition && isDerived ? or(condition, isDerived) : condition))
    .returning({ id: sessions.id });
  const ids = ended.map(({ id }) => id);
  await announceSessionEnds(tx, ids, { uid, everywhere: condition === undefined, reason });
  return { cookies: ofCookies.map(({ sid, expiresAt }) => ({ sid, expiresAt })), isAny: ended.length > 0 };
}
