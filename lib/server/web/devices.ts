import type { DeviceSession } from '@/lib/shared/account/devices';
import { describeClient } from '@/lib/server/runtime';
import type { RequestWithCookies } from '@/lib/server/http';
import { listSessions, type ListedSession, type Records, isAnyEnded } from '@/lib/server/storage';
import { type LiveSession, getRememberedUntil } from '@/lib/server/session';
import { readRecords } from './read-records';

/** Null: this deployment keeps no records. */
export type DevicesState = DeviceSession[] | 'unavailable' | null;

/** The sessions of the account, that of the page first. */
export async function loadDevices(session: LiveSession, req: RequestWithCookies): Promise<DevicesState> {
  return readRecords('the sessions of an account cannot be read', async (records) => {
    const found = await readSessions(records, session);
    const current = found.find(({ sids }) => sids.includes(session.sid));
    const others = found.filter((each) => each !== current).map((each) => toDevice(each, false, session));
    return [current ? toDevice(current, true, session) : describeUnrecorded(session, req), ...others];
  });
}

async function readSessions(records: Records, { status: { uid }, validSince }: LiveSession): Promise<ListedSession[]> {
  const listed = await listSessions(records, { uid, now: new Date(), validSince: new Date((validSince ?? 0) * 1000) });
  // One that was ended while the database was away has only its marks.
  const ended = await Promise.all(listed.map(({ sids }) => isAnyEnded(sids)));
  return listed.filter((_, index) => !ended[index]);
}

function toDevice(
  { id, browser, system, method, firstSeenAt, lastSeenAt, rememberedAt }: ListedSession,
  isCurrent: boolean,
  { validSince }: LiveSession,
): DeviceSession {
  const until = getRememberedUntil({ rememberedAt, validSince: validSince ?? 0, now: new Date() });
  const rememberedUntil = until?.toISOString() ?? null;
  const [firstUsed, lastUsed] = [firstSeenAt.toISOString(), lastSeenAt.toISOString()];
  return { id, isCurrent, browser, system, method, firstUsed, lastUsed, rememberedUntil };
}

/** A session from before the update, or opened while the database was away: its next renewal records it. */
function describeUnrecorded({ authTime }: LiveSession, req: RequestWithCookies): DeviceSession {
  const { browser, system } = describeClient(req);
  const now = new Date();
  const firstUsed = authTime === null ? now : new Date(authTime * 1000);
  return {
    id: null,
    isCurrent: true,
    browser,
    system,
    method: null,
    firstUsed: firstUsed.toISOString(),
    lastUsed: now.toISOString(),
    rememberedUntil: null,
  };
}
