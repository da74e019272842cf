import { and, eq, exists, gte, isNull, min, sql } from 'drizzle-orm';
import {
  addEvent,
  writeAboutKnownAccount,
  type NewEvent,
  removeSuspectPasskeys,
  accounts,
  devices,
  events,
  notices,
  sessions,
  endWhere,
  type Ending,
  type SessionCookie,
  type Records,
} from '@/lib/server/storage';
import { cancelReset } from '@/lib/server/notifications';
import { removeSuspectFactors } from '@/lib/server/second-factor';
import { DISAVOWAL_MS } from '@/lib/server/codes';

/** A sign-in that was announced to the owner. */
export type RecordedSignIn = {
  openedAt: Date;
  browser: string | null;
  system: string | null;
  disavowedAt: Date | null;
  /** The first sign-in that was announced within the 10 days before this one, and not disavowed: both may be the intruder's. */
  since: Date;
  /** Sign-in methods of the account, as last read; null when they never were. */
  known: readonly string[] | null;
  /** Sign-in methods that were connected then or later. */
  connected: readonly string[];
};

/** @returns null when the account has no such session */
export function readAnnouncedSignIn(
  records: Records,
  { uid, session }: { uid: string; session: string },
): Promise<RecordedSignIn | null> {
  return records.transact(async (tx) => {
    const [found] = await tx
      .select({
        openedAt: sessions.openedAt,
        disavowedAt: sessions.disavowedAt,
        browser: devices.browser,
        system: devices.system,
        known: accounts.methods,
      })
      .from(sessions)
      .innerJoin(devices, eq(devices.id, sessions.deviceId))
      .innerJoin(accounts, eq(accounts.uid, sessions.uid))
      .where(and(eq(sessions.id, session), eq(sessions.uid, uid)));
    if (!found) return null;
    const announced = tx
      .select({ id: notices.id })
      .from(notices)
      .where(and(eq(notices.uid, uid), eq(notices.key, sql`${sessions.id}::text`)));
    const tenDays = new Date(found.openedAt.getTime() - DISAVOWAL_MS);
    const [first] = await tx
      .select({ at: min(sessions.openedAt) })
      .from(sessions)
      .where(
        and(eq(sessions.uid, uid), gte(sessions.openedAt, tenDays), isNull(sessions.disavowedAt), exists(announced)),
      );
    const since = first?.at ?? found.openedAt;
    const isSince = and(eq(events.uid, uid), eq(events.kind, 'method-connected'), gte(events.at, since));
    // Bounded: a row for each sign-in method, however often it was connected.
    const connected = await tx.select({ method: events.method }).from(events).where(isSince).groupBy(events.method);
    return { ...found, since, connected: connected.flatMap(({ method }) => method ?? []) };
  });
}

/**
 * Ends all sessions of an account whose owner disavows a sign-in, and forgets all its browsers: the intruder may have used
 * others. Passkeys, authenticator apps and recovery codes that were added then or later are
 * removed. The other sign-ins until then count as disavowed, too: their links would undo what the owner does next. Repeated, it
 * records nothing more.
 * @returns all their cookies
 */
export async function disavowSession(
  records: Records,
  { id, since, event, ...ending }: Ending & { id: string; since: Date; event: NewEvent },
): Promise<SessionCookie[]> {
  const cookies = await writeAboutKnownAccount(records, ending.uid, async (tx) => {
    const [session] = await tx
      .update(sessions)
      .set({ disavowedAt: ending.at })
      .where(and(eq(sessions.id, id), eq(sessions.uid, ending.uid), isNull(sessions.disavowedAt)))
      .returning({ id: sessions.id });
    if (session) {
      const isEarlier = and(eq(sessions.uid, ending.uid), isNull(sessions.disavowedAt));
      await tx.update(sessions).set({ disavowedAt: ending.at }).where(isEarlier);
      await tx.update(devices).set({ cookieDigest: null }).where(eq(devices.uid, ending.uid));
      await removeSuspectPasskeys(tx, event, { since });
      await removeSuspectFactors(tx, event, since);
      await cancelReset(tx, event);
      await addEvent(tx, event);
    }
    return (await endWhere(tx, ending, undefined)).cookies;
  });
  return cookies ?? [];
}
