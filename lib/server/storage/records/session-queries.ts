import { and, desc, eq, gt, gte, inArray, isNull, sql, type SQL } from 'drizzle-orm';
import { devices, sessionCookies, sessions } from './schema';
import type { Records, Tx } from './types';

export type RecordedSession = { id: string; uid: string; isLive: boolean; deviceDigest: string | null };

export type ListedSession = {
  id: string;
  browser: string | null;
  system: string | null;
  method: string | null;
  firstSeenAt: Date;
  lastSeenAt: Date;
  rememberedAt: Date | null;
  sids: string[];
};

/**
 * The session of a cookie, by its own id, and whether it or the session that it was derived from was ended.
 * @param sids as by `getSessionIds`: its own first
 */
export function findSession(
  records: Records,
  sids: readonly string[],
  now: Date,
): Promise<{ own: RecordedSession | null; isEnded: boolean }> {
  return records.transact(async (tx) => {
    // Bounded: one row for each cookie of a request.
    const found = await tx
      .select({
        sid: sessionCookies.sid,
        id: sessions.id,
        uid: sessions.uid,
        endedAt: sessions.endedAt,
        expiresAt: sessions.expiresAt,
        deviceDigest: devices.cookieDigest,
      })
      .from(sessionCookies)
      .innerJoin(sessions, eq(sessions.id, sessionCookies.sessionId))
      .innerJoin(devices, eq(devices.id, sessions.deviceId))
      .where(inArray(sessionCookies.sid, [...sids]));
    const own = found.find(({ sid }) => sid === sids[0]);
    const isEnded = found.some(({ endedAt }) => endedAt !== null);
    if (!own) return { own: null, isEnded };
    const { id, uid, deviceDigest } = own;
    return { own: { id, uid, deviceDigest, isLive: !isEnded && own.expiresAt > now }, isEnded };
  });
}

/** The first proof of a session; of one that did not record it, what it can have been. */
export const firstProof = sql`coalesce(${sessions.firstAuthenticatedAt}, ${sessions.openedAt} - interval '5 minutes')`;

/**
 * Whether the owner ended a session of this proof from another one: the proof opens no session again. A session can have had
 * several proofs, of which its record has the last: any between the first one and that counts as its own.
 */
export async function isProofEnded(tx: Tx, uid: string, authenticatedAt: Date): Promise<boolean> {
  const isSince = sql`${firstProof} <= ${authenticatedAt.toISOString()}::timestamp with time zone`;
  const ended = and(
    eq(sessions.uid, uid),
    eq(sessions.endedBy, 'owner'),
    gte(sessions.authenticatedAt, authenticatedAt),
    isSince,
  );
  return (await tx.select({ id: sessions.id }).from(sessions).where(ended).limit(1)).length > 0;
}

/** An intruder can open a session each second: the list has the last used ones, and "sign out everywhere" ends all. */
const MAX_LISTED_COOKIES = 1_000;

/** The live sessions of an account, the last used first. @param validSince revocation of all before it */
export function listSessions(
  records: Records,
  { uid, now, validSince }: { uid: string; now: Date; validSince: Date },
): Promise<ListedSession[]> {
  return records.transact(async (tx) => {
    const found = await tx
      .select({
        id: sessions.id,
        browser: devices.browser,
        system: devices.system,
        method: sessions.method,
        firstSeenAt: devices.firstSeenAt,
        lastSeenAt: sessions.lastSeenAt,
        rememberedAt: devices.rememberedAt,
        sid: sessionCookies.sid,
      })
      .from(sessions)
      .innerJoin(devices, eq(devices.id, sessions.deviceId))
      .innerJoin(sessionCookies, eq(sessionCookies.sessionId, sessions.id))
      .where(
        and(eq(sessions.uid, uid), isNull(sessions.endedAt), gt(sessions.expiresAt, now), isValidSince(validSince)),
      )
      .orderBy(desc(sessions.lastSeenAt), desc(sessions.id))
      .limit(MAX_LISTED_COOKIES);
    const listed = new Map<string, ListedSession>();
    for (const { sid, ...session } of found) {
      const sids = [...(listed.get(session.id)?.sids ?? []), sid];
      listed.set(session.id, { ...session, sids });
    }
    return [...listed.values()];
  });
}

/** A session opened after a revocation was decided on after it; one that was continued has a later proof. */
export function isValidSince(validSince: Date): SQL {
  return sql`greatest(${sessions.authenticatedAt}, ${sessions.openedAt}) >= ${validSince.toISOString()}::timestamp with time zone`;
}
