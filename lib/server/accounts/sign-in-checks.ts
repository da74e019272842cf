import { and, desc, eq, exists, gt, isNull, ne, notExists } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { DISAVOWAL_MS, sealDisavowalLink } from '@/lib/server/codes';
import { isAbout, isAnnouncement, type LiveSession } from '@/lib/server/session';
import { devices, notices, sessionCookies, sessions, type Records, type Tx, withRecords } from '@/lib/server/storage';
import { ApiProblem } from '@/lib/shared/problem';

/** By whom a sign-in is checked: the session of a cookie. */
type Checker = { uid: string; sid: string };
type UncheckedSignIn = { id: string; openedAt: Date; browser: string | null; system: string | null };

/** More than these are not asked about at once: the list of devices has all. */
const MAX_CHECKS = 3;

/**
 * Sign-ins that were announced to the owner within 10 days and that nothing was said about, the last one first, ended or not: who ended one
 * may be the intruder in another browser. Only a browser in which the account was used before such a sign-in is asked, and none that is asked
 * about itself: an intruder must not answer for the owner, nor disavow, which would undo the links that the owner has got.
 */
export function listUncheckedSignIns(records: Records, checker: Checker, now: Date): Promise<UncheckedSignIn[]> {
  return records.transact((tx) => readUnchecked(tx, checker, now));
}

/** @returns null when this session is not asked about it */
function findUncheckedSignIn(
  records: Records,
  { id, ...checker }: Checker & { id: string },
  now: Date,
): Promise<UncheckedSignIn | null> {
  return records.transact(async (tx) => {
    const found = await readUnchecked(tx, checker, now);
    return found.find((each) => each.id === id) ?? null;
  });
}

/** Records that a sign-in was the owner's; of one that this session is not asked about, nothing. */
function acknowledgeSignIn(records: Records, { id, ...checker }: Checker & { id: string }, now: Date): Promise<void> {
  return records.transact(async (tx) => {
    const found = await readUnchecked(tx, checker, now);
    if (!found.some((each) => each.id === id)) return;
    await tx.update(sessions).set({ acknowledgedAt: now }).where(eq(sessions.id, id));
  });
}

async function readUnchecked(tx: Tx, { uid, sid }: Checker, now: Date): Promise<UncheckedSignIn[]> {
  const since = new Date(now.getTime() - DISAVOWAL_MS);
  const first = alias(sessions, 'first');
  const inQuestion = tx
    .select({ id: first.id })
    .from(first)
    .innerJoin(notices, and(isAnnouncement(uid), isAbout(first.id)))
    .where(and(eq(first.deviceId, devices.id), gt(first.openedAt, since), isNull(first.acknowledgedAt)));
  const [own] = await tx
    .select({ deviceId: devices.id, firstSeenAt: devices.firstSeenAt })
    .from(sessionCookies)
    .innerJoin(sessions, eq(sessions.id, sessionCookies.sessionId))
    .innerJoin(devices, eq(devices.id, sessions.deviceId))
    .where(and(eq(sessionCookies.sid, sid), eq(sessions.uid, uid), notExists(inQuestion)))
    .limit(1);
  if (!own) return [];
  const announcement = tx
    .select({ id: notices.id })
    .from(notices)
    .where(and(isAnnouncement(uid), isAbout(sessions.id)));
  return tx
    .select({ id: sessions.id, openedAt: sessions.openedAt, browser: devices.browser, system: devices.system })
    .from(sessions)
    .innerJoin(devices, eq(devices.id, sessions.deviceId))
    .where(
      and(
        eq(sessions.uid, uid),
        ne(sessions.deviceId, own.deviceId),
        gt(sessions.openedAt, own.firstSeenAt),
        gt(sessions.openedAt, since),
        isNull(sessions.disavowedAt),
        isNull(sessions.acknowledgedAt),
        exists(announcement.limit(1)),
      ),
    )
    .orderBy(desc(sessions.openedAt))
    .limit(MAX_CHECKS);
}

/**
 * The owner's answer to "Was this you?" on /security. Either answer needs a session alone: "It was me" changes nothing but the
 * question, and "This wasn't me" is the link of the email about the sign-in, which removes only what was added since.
 * @returns the code of that link for a sign-in that was not the owner's
 * @throws ApiProblem `not-found` without records, and for a sign-in that this session is not asked about; `records-unavailable`
 */
export function checkSignIn(
  { sid, status: { uid } }: LiveSession,
  { session: id, isOwn }: { session: string; isOwn: boolean },
): Promise<{ code?: string }> {
  return withRecords(async (records) => {
    const now = new Date();
    if (isOwn) {
      await acknowledgeSignIn(records, { uid, sid, id }, now);
      return {};
    }
    const found = await findUncheckedSignIn(records, { uid, sid, id }, now);
    if (found === null) throw new ApiProblem('not-found');
    return { code: await sealDisavowalLink({ uid, session: id, at: found.openedAt.toISOString(), to: '' }) };
  });
}
